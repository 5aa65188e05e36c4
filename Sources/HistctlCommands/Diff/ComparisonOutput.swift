import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the relation of two copies of a store, and the history that only one of them has.
struct ComparisonOutput: FieldPage {
  let session: Session
  let form: DiffForm

  /// Writes the comparison of two stores and returns their relation.
  ///
  /// - Parameters:
  ///   - conditions: Which changes to show; its range does not count.
  ///   - values: Which old and new values to show; a file of them that it names is of the first store.
  func write(
    _ first: StoreSnapshot, _ second: StoreSnapshot, _ conditions: HistoryQuery,
    _ values: ValuesOptions
  ) throws -> StoreComparison.Relation {
    let comparison = try StoreComparison(first, second)
    if isJSON {
      try writer.writeLine(json(comparison))
    } else {
      try writeHeading(comparison)
    }
    var others = values
    others.valuesFile = nil
    for (copy, snapshot, values) in [
      (comparison.first, first, values), (comparison.second, second, others),
    ] where copy.transactionCount > 0 {
      if !isJSON {
        try writer.writeLine("")
        let heading = "\(copy.path) after \(tokens(comparison).text(comparison.common.number))"
        try line(heading, .heading)
      }
      let reading = HistoryReading(session: session, timeline: HistoryTimeline(snapshot))
      var query = conditions
      try values.apply(to: &query, reading)
      let output = DiffOutput(
        reading: reading, schema: try session.schema(of: snapshot), form: form, path: copy.path)
      _ = try output.write(
        HistoryRange(
          from: comparison.common.number, to: copy.newest?.number ?? comparison.common.number),
        query)
    }
    return comparison.relation
  }

  /// Writes the objects that differ, from the second store to the first, and returns whether there are any.
  ///
  /// Copies whose histories have nothing in common any more are compared too.
  func writeDifferences(
    _ first: StoreSnapshot, _ second: StoreSnapshot, _ query: HistoryQuery
  ) throws -> Bool {
    var comparison: StoreComparison?
    do {
      comparison = try StoreComparison(first, second)
    } catch HistoryError.withoutCommonTransaction {
      session.diagnostics.warn(
        "\(first.location.path) and \(second.location.path) have no common transaction any more",
        kind: "withoutCommonTransaction",
        hint: "whether their histories explain a difference is not known")
    }
    if isJSON {
      if let comparison { try writer.writeLine(json(comparison)) }
    } else if form != .names {
      if let comparison { try writeHeading(comparison) }
      try writer.writeLine("")
      let heading = "from \(second.location.path) to \(first.location.path)"
      try line(heading, .heading)
    }
    let differences = try ObjectComparison(
      from: second, to: first, common: comparison?.common.number, query)
    let count = try DifferenceOutput(session: session, form: form)
      .write(differences)
    let skipped = differences.skippedProperties
    if !skipped.isEmpty {
      session.diagnostics.warn(
        "not compared, because only one copy has them: \(skipped.prefix(10).joined(separator: ", "))"
          + (skipped.count > 10 ? " and \((skipped.count - 10).grouped) others" : ""),
        kind: "skippedProperties")
    }
    return count > 0
  }

  private func tokens(_ comparison: StoreComparison) -> TokenText {
    session.tokens(of: comparison.storeIdentifier)
  }

  // MARK: - For people

  private func writeHeading(_ comparison: StoreComparison) throws {
    let (first, second) = (comparison.first, comparison.second)
    let answer =
      switch comparison.relation {
      case .same where first.earlierCount == 0 && second.earlierCount == 0:
        "\(first.path) and \(second.path) have the same history"
      case .same: "\(first.path) and \(second.path) have the same history, as far as both keep it"
      case .firstAhead: "\(first.path) is newer; \(second.path) has no changes of its own"
      case .secondAhead: "\(second.path) is newer; \(first.path) has no changes of its own"
      case .diverged:
        "\(first.path) and \(second.path) are copies of one store that have diverged"
      }
    let width = max(10, first.path.displayWidth, second.path.displayWidth) + 2
    func field(_ title: String, _ text: String) throws {
      try writer.writeLine(styled.field(styled.text.escaped(title), text, width: width))
    }
    try line(answer, .heading)
    if let identifier = comparison.storeIdentifier { try field("store", identifier) }
    try field("common", position(comparison.common, comparison))
    for (copy, other) in [(first, second), (second, first)] {
      let count = copy.transactionCount
      try field(
        copy.path,
        count == 0
          ? "nothing since"
          : count.counted("transaction") + " since"
            + (copy.newest.map { ", up to \(position($0, comparison))" } ?? ""))
      if copy.earlierCount > 0 {
        try field(
          "",
          copy.earlierCount.counted("transaction")
            + " from before, which \(other.path) has pruned")
      }
    }
  }

  private func position(
    _ position: TransactionPosition, _ comparison: StoreComparison
  ) -> String {
    guard position.number != 0 || position.timestamp != nil else {
      return "nothing but the beginning"
    }
    return "\(tokens(comparison).text(position.number))  \(time.text(position.timestamp))"
  }

  // MARK: - For programs

  private func json(_ comparison: StoreComparison) -> JSONValue {
    .record(
      "comparison",
      [
        "store": comparison.storeIdentifier, "relation": comparison.relation.rawValue,
        "common": comparison.common.number,
        "commonTimestamp": comparison.common.timestamp?.iso8601(),
        "first": Self.json(comparison.first), "second": Self.json(comparison.second),
      ])
  }

  private static func json(_ copy: StoreComparison.Copy) -> JSONValue {
    .object(of: [
      "path": copy.path, "transactionsSince": copy.transactionCount,
      "transactionsBefore": copy.earlierCount > 0 ? copy.earlierCount : nil,
      "newest": copy.newest?.number, "newestTimestamp": copy.newest?.timestamp?.iso8601(),
    ])
  }
}
