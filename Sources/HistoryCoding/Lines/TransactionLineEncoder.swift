import PersistentHistory
import StoreFormat

/// Writes transactions as JSON lines, in pieces, so that even one with millions of changes takes no
/// more memory than a small one.
///
/// ```swift
/// var encoder = TransactionLineEncoder()
/// while let transaction = try reader.nextTransaction() {
///   encoder.begin(transaction)
///   while let change = try reader.nextChange() { encoder.append(change) }
///   encoder.end()
///   output.append(contentsOf: encoder.bytes)
///   encoder.removeAll()
/// }
/// ```
public struct TransactionLineEncoder: HistoryEncoder {
  private var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private var plainTexts = PlainChangeTexts()
  private var isFirstChange = true

  /// An encoder with an empty buffer.
  public init() {}

  /// What has been written since the last ``removeAll()``; it need not end with a line.
  public var bytes: ArraySlice<UInt8> { writer.bytes }

  /// How many bytes have been written since the last ``removeAll()``.
  package var byteCount: Int { writer.count }

  /// Lends what has been written.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Forgets what has been written, for the caller has put it elsewhere.
  public mutating func removeAll() { writer.removeAll() }

  /// Writes a whole line.
  public mutating func encode(_ line: HistoryLine) {
    switch line {
    case .transaction(let transaction):
      begin(transaction)
      for change in transaction.changes { append(change) }
      end()
    case .gap(let gap):
      append(gap)
    }
  }

  /// Writes the line of a gap.
  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap) }

  /// Yes.
  package var takesLines: Bool { true }

  /// Adds a piece of a line that was written before.
  package mutating func append(line piece: UnsafeRawBufferPointer) {
    writer.appendRaw(piece.bindMemory(to: UInt8.self))
  }

  /// Starts the line of a transaction; its ``/PersistentHistory/HistoryTransaction/changes`` are not
  /// looked at.
  public mutating func begin(_ transaction: HistoryTransaction) {
    writer.appendRaw("{\"schema\":1,\"type\":\"transaction\"")
    if let store = transaction.store {
      writer.appendRaw(",\"store\":")
      writer.appendString(store)
    }
    writer.appendRaw(",\"transaction\":")
    writer.appendInteger(transaction.number)
    if let timestamp = transaction.timestamp { writer.append(timestamp, withStored: true) }
    writer.append(",\"author\":", transaction.author)
    writer.append(",\"bundle\":", transaction.bundle)
    writer.append(",\"process\":", transaction.process)
    writer.append(",\"context\":", transaction.context)
    if let bytes = transaction.queryGeneration {
      writer.appendRaw(",\"queryGenerationRaw\":")
      writer.append(blob: bytes)
    }
    if !transaction.extra.isEmpty { writer.append(transaction.extra) }
    if transaction.isPartial { writer.appendRaw(",\"partial\":true") }
    writer.appendRaw(",\"changes\":[")
    isFirstChange = true
  }

  /// Adds a change to the line that was started.
  public mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  /// Adds a change with what its object is now, which the decoder does not look at.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    if isFirstChange {
      isFirstChange = false
      writer.appendRaw("{\"change\":")
    } else {
      writer.appendRaw(",{\"change\":")
    }
    writer.appendInteger(change.number)
    writer.append(membersOf: change, change.entity.map { texts.text(for: $0) })
    if let present {
      var isFirst = false
      writer.append(present, &isFirst)
    }
    writer.appendRaw("}")
  }

  /// Yes.
  package var carriesPresentObjects: Bool { true }

  /// Adds the changes that a reader gives; those that are like thousands before cost a fraction.
  ///
  /// The reader must be of one store through all the encoder's life.
  package mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    if reader.readsPresentObjects {
      return try appendChangesAndObjects(of: reader, byteLimit: byteLimit)
    }
    while let row = try reader.nextRow() {
      try append(row, of: reader)
      if writer.count >= byteLimit { return false }
    }
    return true
  }

  /// Adds a change whose row a reader has lent.
  @inline(__always)
  package mutating func append(_ row: ChangeCursor, of reader: HistoryReader) throws {
    if reader.readsRecordedValues, case let values = try reader.recordedValues(of: row),
      !values.isEmpty
    {
      var change = reader.change(at: row)
      change.values = values
      return append(change)
    }
    if plainTexts.append(row, reader, isFirst: isFirstChange, to: &writer) {
      isFirstChange = false
    } else {
      append(reader.change(at: row))
    }
  }

  /// Ends the line that was started.
  public mutating func end() { writer.appendRaw("]}\n") }
}
