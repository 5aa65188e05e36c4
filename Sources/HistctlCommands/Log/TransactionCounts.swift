import HistoryCoding
import PersistentHistory
import Terminal

/// Writes how many objects of each entity transactions changed, or how many transactions there are.
struct TransactionCounts {
  let writer: OutputWriter
  let isJSON: Bool
  /// Reports gaps; `nil` where there can be none.
  let gaps: GapReport?

  /// Writes a line of JSON for each transaction, and returns the number of lines.
  func write(_ reader: TimelineReader) throws -> Int {
    var count = 0
    while let element = try reader.nextElement() {
      count += 1
      switch element {
      case .transaction(let transaction):
        try writer.writeLine(json(transaction, reader.countChanges()))
      case .gap(let gap):
        try TransactionLines(writer: writer).write(gap)
        gaps?.report(gap)
      }
    }
    return count
  }

  /// Writes the number of transactions, and returns it.
  func writeNumber(_ reader: TimelineReader) throws -> Int {
    var count = 0
    while let element = try reader.nextElement() {
      switch element {
      case .transaction: count += 1
      case .gap(let gap):
        if isJSON { try TransactionLines(writer: writer).write(gap) }
        gaps?.report(gap)
      }
    }
    if isJSON {
      try writer.writeLine(
        .record(
          "transactionCount",
          ["store": gaps?.timeline.storeIdentifier, "transactions": Int64(count)]))
    } else {
      try writer.writeLine("\(count)")
    }
    return count
  }

  private func json(_ transaction: HistoryTransaction, _ summary: ChangeSummary) -> JSONValue {
    let timestamp = transaction.timestamp
    return .record(
      "transactionStat",
      [
        "store": transaction.store, "transaction": transaction.number,
        "timestamp": timestamp?.iso8601(), "author": transaction.author?.string.json,
        "bundle": transaction.bundle?.string.json, "process": transaction.process?.string.json,
        "context": transaction.context?.string.json,
        "partial": transaction.isPartial ? true : nil,
        "entities": JSONValue.array(summary.entries.map(Self.json)),
      ])
  }

  private static func json(_ entry: ChangeSummary.Entry) -> JSONValue {
    let name = entry.entity?.name
    return .object(of: [
      "entity": name, "entityRaw": name == nil ? entry.entity?.number : nil,
      "inserts": Int64(entry.inserts), "updates": Int64(entry.updates),
      "deletes": Int64(entry.deletes),
      "others": entry.others > 0 ? Int64(entry.others) : nil,
    ])
  }
}
