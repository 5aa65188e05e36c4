import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the life of an object as JSON lines: its transactions, cut to its changes, then itself.
struct ObjectLines {
  /// How many bytes are gathered before they are written.
  private static let pieceSize = 1 << 16

  let writer: OutputWriter
  let timeline: HistoryTimeline
  let gaps: GapReport

  /// Writes everything that a reader gives; nothing at all where the object is unknown.
  ///
  /// - Parameter beforeObject: Is called when all of its history is written.
  func write(_ reader: ObjectLifeReader, beforeObject: () throws -> Void) throws {
    var encoder = TransactionLineEncoder()
    while let element = try reader.nextElement() {
      guard case .transaction(let transaction) = element else {
        if case .gap(let gap) = element {
          encoder.append(gap)
          gaps.tell(gap)
        }
        continue
      }
      encoder.begin(transaction)
      while let change = try reader.nextChange() { encoder.append(change) }
      encoder.end()
      if encoder.byteCount >= Self.pieceSize { try flush(&encoder) }
    }
    try flush(&encoder)
    try beforeObject()
    guard reader.life.state != .unknown else { return }
    var object = ObjectLifeEncoder()
    object.encode(reader.life, store: timeline.storeIdentifier)
    try object.withUnsafeBytes { try writer.write($0) }
  }

  private func flush(_ encoder: inout TransactionLineEncoder) throws {
    try encoder.withUnsafeBytes { try writer.write($0) }
    encoder.removeAll()
  }
}
