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
    var count = 0
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
      query.after = comparison.common.number
      query.until = copy.newest?.number ?? comparison.common.number
      count += try output.write(query)
    }
    if count == 0 {
      let names = UnknownNames()
      for snapshot in [first, second] {
        try names.search(
          HistoryReading(session: session, timeline: HistoryTimeline(snapshot)),
          for: conditions)
      }
      names.report(session)
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

/// Writes the objects that differ in two copies of a store.
struct DifferenceOutput: FieldPage {
  let session: Session
  let form: DiffForm

  /// Writes the differences and returns their number.
  func write(_ differences: ObjectComparison) throws -> Int {
    var summary = NetChangeSummary()
    var unexplainedCount = 0
    func forEach(_ body: (ObjectDifference) throws -> Void) throws {
      while let difference = try differences.next() {
        summary.add(difference.kind, of: difference.entity)
        if !difference.unexplained.isEmpty { unexplainedCount += 1 }
        try body(difference)
      }
    }
    switch form {
    case .objects, .changes:
      if isJSON {
        var encoder = NetChangeLineEncoder()
        try forEach { difference in
          encoder.encode(difference)
          try writer.write(&encoder)
        }
      } else {
        let table = NetChangeText.table(self, minimumWidth: 24)
        try forEach { try table.write(row($0)) }
        try table.finish()
        try writeSummary(summary.total, unexplainedCount)
      }
    case .names:
      try forEach { difference in
        try writer.writeLine(
          TerminalText.terminal.escaped("\(difference.entity.label)/p\(difference.primaryKey)"))
      }
    case .stat:
      try forEach { _ in }
      try writeStat(summary, path: nil)
      if !isJSON { try writeSummary(summary.total, unexplainedCount) }
    }
    return summary.total.total
  }

  private func writeSummary(_ counts: NetChangeSummary.Counts, _ unexplainedCount: Int) throws {
    guard counts.total > 0 else { return try writer.writeLine("no object differs") }
    var spans = NetChangeText.summary(counts)
    if unexplainedCount > 0 {
      spans.append(.init(text: "; of \(unexplainedCount.grouped), ", style: .plain))
      spans.append(.init(text: "the histories do not mention all that differs", style: .warning))
    }
    try writer.writeLine("")
    try line(spans)
  }

  private func row(_ difference: ObjectDifference) -> [TableCell] {
    let sign = ChangeSign(difference.kind)
    let name = "\(sign.text) \(difference.entity.label)/p\(difference.primaryKey)"
    let transactions = difference.transactions.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    return [
      TableCell(name, style: sign.style), TableCell(transactions ?? "-", style: .token),
      TableCell(spans: details(difference)),
    ]
  }

  /// The values that differ: first those that a transaction explains.
  private func details(_ difference: ObjectDifference) -> [TableCell.Span] {
    var texts: [(name: String, text: String)] = []
    let kind: ChangeKind =
      switch difference.kind {
      case .insert: .insert
      case .delete: .delete
      case .update, .replace: .update
      }
    for value in difference.values {
      // If only one copy has the object, its null values are no difference.
      if kind != .update, (value.old ?? value.new) == .value(.null) { continue }
      texts.append((value.property, ValueChangeText.text(value, of: kind)))
    }
    if kind == .update {
      // The version differs whenever anything does.
      for column in difference.columns where texts.isEmpty || column.name != "Z_OPT" {
        texts.append((column.name, ValueChangeText.text(column)))
      }
    }
    let unexplained = Set(difference.unexplained)
    let explained = texts.filter { !unexplained.contains($0.name) }.map(\.text)
    let others = texts.filter { unexplained.contains($0.name) }.map(\.text)
    var spans: [TableCell.Span] = []
    if !explained.isEmpty {
      spans.append(.init(text: explained.joined(separator: ", "), style: .plain))
    }
    if !unexplained.isEmpty {
      spans.append(
        .init(text: (explained.isEmpty ? "" : "; ") + "not in the history", style: .warning))
      if !others.isEmpty {
        spans.append(.init(text: ": " + others.joined(separator: ", "), style: .plain))
      }
    }
    return spans
  }
}
