import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the difference between two positions in a history.
struct DiffOutput: FieldPage {
  let reading: HistoryReading
  let schema: HistorySchema
  let form: DiffForm
  /// The store's path, written in lines if there are several stores.
  var path: String?
  /// Gets the numbers of several histories.
  var table: DiffTable?

  var session: Session { reading.session }
  private var timeline: HistoryTimeline { reading.timeline }

  /// Writes the changes in a range and returns the number of objects, or with ``DiffForm/changes`` of
  /// changes.
  ///
  /// - Parameters:
  ///   - query: The range, and conditions on transactions and changes. Its kinds select objects by their net change.
  ///   - isReversed: Whether the tokens of the range were given in reverse order.
  func write(_ query: HistoryQuery, isReversed: Bool = false) throws -> Int {
    // Report unknown names before anything is written.
    _ = try TimelineReader(timeline, query: query, schema: schema)
    reading.noteUnknownHierarchy(of: query)
    try writeHeading(query, isReversed: isReversed)
    if form != .changes { try writeGaps(query) }
    return switch form {
    case .objects: try writeObjects(query)
    case .names: try writeNames(query)
    case .stat: try writeStat(query)
    case .changes: try writeChanges(query)
    }
  }

  /// Writes which range is compared: in JSON always, in words if the tokens are in reverse order.
  private func writeHeading(_ query: HistoryQuery, isReversed: Bool) throws {
    let store = timeline.storeIdentifier
    let (after, until) = (query.after ?? 0, query.until ?? .max)
    if isJSON {
      try writer.writeLine(
        .record(
          "diff",
          [
            "path": path, "store": store, "after": after, "until": until,
            "reversed": isReversed ? true : nil,
          ]))
    }
    guard isReversed else { return }
    let tokens = reading.tokens
    session.diagnostics.warn(
      "the second token is before the first: showing the changes after "
        + "\(tokens.text(after)) up to \(tokens.text(until)), not their reverse",
      kind: "reversedRange", hint: "give the earlier token first")
  }

  /// Reports history in the range that is missing.
  private func writeGaps(_ query: HistoryQuery) throws {
    for gap in try timeline.gaps(after: query.after, until: query.until) {
      if isJSON { try reading.writeLine(of: gap) }
      reading.report(gap)
    }
  }

  // MARK: - Net changes

  private func writeObjects(_ query: HistoryQuery) throws -> Int {
    if isJSON {
      var encoder = NetChangeLineEncoder(path: path)
      return try forEachObject(query) { change in
        encoder.encode(change)
        if encoder.byteCount >= HistoryReading.pieceSize { try writer.write(&encoder) }
      } finish: { _ in
        try writer.write(&encoder)
      }
    }
    let table = NetChangeText.table(reading, minimumWidth: 48)
    return try forEachObject(query) { change in
      try table.write([
        NetChangeText.object(change), NetChangeText.transactions(change),
        NetChangeText.details(change),
      ])
    } finish: { summary in
      try table.finish()
      try writeSummary(summary.total)
    }
  }

  private func writeNames(_ query: HistoryQuery) throws -> Int {
    try forEachObject(query, readsDetails: false) { try line(NetChangeText.name($0)) }
  }

  private func writeStat(_ query: HistoryQuery) throws -> Int {
    try forEachObject(query, readsDetails: false) { _ in
    } finish: { summary in
      if let table { return try table.write(summary, reading) }
      try reading.writeStat(summary, path: path)
      if !isJSON { try writeSummary(summary.total) }
    }
  }

  /// Reads the net changes to show, and returns their number.
  private func forEachObject(
    _ query: HistoryQuery, readsDetails: Bool = true, _ body: (NetChange) throws -> Void,
    finish: (NetChangeSummary) throws -> Void = { _ in }
  ) throws -> Int {
    var folded = query
    folded.change.kinds = []
    if !readsDetails { folded.recordedValues = nil }
    let reader = try NetChangeReader(
      timeline, query: folded, schema: schema, readsTombstones: readsDetails)
    var summary = NetChangeSummary()
    while let change = try reader.next() {
      if query.change.kinds.isEmpty || query.change.kinds.contains(where: change.isKind) {
        summary.add(change)
        try body(change)
      }
    }
    try finish(summary)
    try reportSkipped(by: reader, summary.total, query)
    return summary.total.total
  }

  private func writeSummary(_ counts: NetChangeSummary.Counts) throws {
    guard counts.total > 0 else { return }
    try writer.writeLine("")
    try line(NetChangeText.summary(counts))
  }

  /// Reports changes that the answer omits.
  private func reportSkipped(
    by reader: NetChangeReader, _ counts: NetChangeSummary.Counts, _ query: HistoryQuery
  ) throws {
    let skipped = reader.skippedChangeCount
    if skipped > 0 {
      session.diagnostics.warn(
        "\(skipped.counted("change")) skipped: the row names no object, or a kind that no framework "
          + "writes",
        kind: "skippedChanges", hint: "--each shows every change")
    }
    if counts.total == 0 { try explainNothing(foldedCount: reader.changeCount, query) }
  }

  /// Explains an empty answer, unless there are several, which are explained together.
  private func explainNothing(foldedCount: Int, _ query: HistoryQuery) throws {
    guard path == nil else { return }
    guard try timeline.newestTransaction() != nil else {
      return try reading.explainEmptyAnswer(to: query)
    }
    if !query.isUnconditional {
      // Others of several objects may have been folded.
      _ = try reading.reportUnknownNames(in: query, onlyObjects: foldedCount > 0)
    }
    guard session.environment.isErrorTerminal else { return }
    let range = "after \(query.after ?? 0) up to \(query.until ?? 0)"
    let asked = query.isUnconditional ? "" : " that matches"
    session.diagnostics.note(
      foldedCount == 0
        ? "no change \(range)\(asked)"
        : "the \(foldedCount.grouped) changes \(range) have no net effect\(asked)")
  }

  // MARK: - Each change

  private func writeChanges(_ query: HistoryQuery) throws -> Int {
    var query = query
    query.keepsOnlyMatchingChanges = true
    let reader = try TimelineReader(timeline, query: query, schema: schema)
    var count = 0
    if isJSON {
      var encoder = try ChangeRecordEncoder()
      try reading.forEach(reader.nextElement) { transaction in
        encoder.begin(transaction)
        while let change = try reader.nextChange() {
          count += 1
          encoder.append(change)
          if encoder.byteCount >= HistoryReading.pieceSize { try writer.write(&encoder) }
        }
        encoder.end()
        try writer.write(&encoder)
      }
    } else {
      let transactions = TransactionColumns(
        reading, showsAuthors: try timeline.hasAuthors(), showsProcess: false)
      let table = streamedTable(
        transactions.columns + [
          TableColumn("OBJECT", priority: 60, minimumWidth: 48, canShrink: true),
          TableColumn("DETAILS", priority: 45, minimumWidth: 10, canShrink: true, canDrop: true),
        ])
      try reading.forEach(reader.nextElement) { transaction in
        while let change = try reader.nextChange() {
          count += 1
          try table.write(
            transactions.cells(transaction) + [
              TableCell(spans: [ChangeText.object(change)]),
              TableCell(spans: ChangeText.details(change)),
            ])
        }
      }
      try table.finish()
    }
    if count == 0 { try explainNothing(foldedCount: 0, query) }
    return count
  }
}

extension NetChange {
  /// Whether this is of a kind that was asked for; replacing an object deletes it and inserts another.
  fileprivate func isKind(_ kind: ChangeKind) -> Bool {
    switch self.kind {
    case .insert: kind == .insert
    case .update: kind == .update
    case .delete: kind == .delete
    case .replace: kind != .update
    case nil: false
    }
  }
}

/// What `diff` shows of the changes in a range.
enum DiffForm {
  /// The net change of each object.
  case objects
  /// Only the names of the objects.
  case names
  /// The number of objects of each entity.
  case stat
  /// Every change.
  case changes
}

/// The numbers of changed objects of several histories, as a table.
final class DiffTable {
  private let histories: SeveralHistories
  private let table: StreamedTable
  private var total = NetChangeSummary.Counts()

  init(_ histories: SeveralHistories) {
    self.histories = histories
    table = histories.streamedTable([
      .store, TableColumn("ENTITY", priority: 6, minimumWidth: 8, canShrink: true),
      TableColumn("OBJECTS", alignment: .trailing, priority: 4, canDrop: true),
      TableColumn("CHANGES", priority: 5),
    ])
  }

  /// Writes the numbers of a history, one line for each entity, the most first.
  func write(_ summary: NetChangeSummary, _ reading: HistoryReading) throws {
    total += summary.total
    for entry in reading.sorted(summary) {
      let counts = NetChangeText.counts(entry.counts)
      try table.write([
        TableCell(reading.name ?? ""), TableCell(entry.entity?.label ?? "(others)"),
        TableCell(entry.counts.total.grouped),
        TableCell(
          spans: counts.enumerated().map { place, count in
            .init(
              text: (place > 0 ? " " : "") + count.sign.text + count.count.grouped,
              style: count.sign.style)
          }),
      ])
    }
  }

  /// Writes what was kept back, and the sum.
  func finish() throws {
    try table.finish()
    guard total.total > 0 else { return }
    try histories.writer.writeLine("")
    try histories.readings.first?.line(NetChangeText.summary(total))
  }
}
