import PersistentHistory
import StoreFormat

/// Text that an encoder has written to its own buffer.
package protocol EncodedText {
  /// The number of bytes written since the last ``removeAll()`` and not taken by a ``TextDrain``.
  var byteCount: Int { get }

  /// Lends the written bytes to a closure.
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result

  /// Removes the written bytes.
  mutating func removeAll()
}

/// Text in a writer.
protocol BufferedText: EncodedText {
  var writer: JSONWriter { get set }
}

extension BufferedText {
  package var byteCount: Int { writer.count }

  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  package mutating func removeAll() { writer.removeAll() }
}

/// Writes history in one format to its own buffer: transaction by transaction, change by change.
///
/// The parts of a transaction come one after the other, so that even one with millions of changes
/// takes no more memory than a small one. The texts of encoders that began at different transactions
/// can be concatenated in the order of the transactions: what precedes the first record of a file is
/// its ``prologue``, and no record depends on the ones before it.
package protocol HistoryEncoder: EncodedText, Sendable {
  /// The beginning of a file, such as the heading of a table; usually empty.
  var prologue: [UInt8] { get }

  /// Starts a transaction, without its ``/PersistentHistory/HistoryTransaction/changes``.
  mutating func begin(_ transaction: HistoryTransaction)

  /// Adds a change to the transaction that was started.
  mutating func append(_ change: HistoryChange)

  /// Adds a change with the present state of its object; a format without a place for that omits it.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - present: Its object; `nil` if that is unknown or no longer in the store.
  mutating func append(_ change: HistoryChange, present: PresentObject?)

  /// Whether records have a place for the present state of objects.
  var carriesPresentObjects: Bool { get }

  /// Adds the changes that a reader returns of its current transaction, with the present state of
  /// their objects if its query asks for that.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - byteLimit: Stops when ``byteCount`` has reached it.
  /// - Returns: Whether all changes were added; `false` to be called again.
  mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool

  /// Ends the transaction that was started.
  mutating func end()

  /// Reports that history is missing here; a format without a place for that omits it.
  mutating func append(_ gap: HistoryGap)

  /// Takes the text while a long value is written; `nil` if the buffer keeps all of it.
  var drain: TextDrain? { get set }
}

extension HistoryEncoder {
  package var prologue: [UInt8] { [] }

  package mutating func append(_ change: HistoryChange, present: PresentObject?) { append(change) }

  package var carriesPresentObjects: Bool { false }

  package mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    if reader.readsPresentObjects {
      return try appendChangesAndObjects(of: reader, byteLimit: byteLimit)
    }
    while let change = try reader.nextChange() {
      append(change)
      if byteCount >= byteLimit { return false }
    }
    return true
  }

  package mutating func end() {}

  package mutating func append(_ gap: HistoryGap) {}

  mutating func appendChangesAndObjects(
    of reader: HistoryReader, byteLimit: Int
  ) throws -> Bool {
    while let change = try reader.nextChange() {
      append(change, present: try reader.presentObject(of: change))
      if byteCount >= byteLimit { return false }
    }
    return true
  }

  /// Adds the current transaction of a timeline's reader, with its changes.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - reader: The reader.
  ///   - byteLimit: The number of bytes to collect before `flush` is called.
  ///   - flush: Moves the text elsewhere when ``byteCount`` has reached `byteLimit`.
  package mutating func append(
    _ transaction: HistoryTransaction, of reader: TimelineReader, byteLimit: Int,
    flush: (inout Self) throws -> Void
  ) throws {
    begin(transaction)
    if let store = reader.storeReader {
      while try !appendChanges(of: store, byteLimit: byteLimit) { try flush(&self) }
      try drain?.throwFailure()
    } else {
      while let change = try reader.nextChange() {
        if reader.readsPresentObjects {
          append(change, present: try reader.presentObject(of: change))
        } else {
          append(change)
        }
        try drain?.throwFailure()
        if byteCount >= byteLimit { try flush(&self) }
      }
    }
    end()
    try drain?.throwFailure()
  }
}

/// An encoder that collects its text in a writer.
protocol BufferedEncoder: HistoryEncoder, BufferedText {}

extension BufferedEncoder {
  package var drain: TextDrain? {
    get { writer.drain }
    set { writer.drain = newValue }
  }
}

extension HistoryTransaction {
  /// Whether a text or another value is long, so that formats that repeat it for each change do not keep
  /// its encoded form.
  var hasLongValue: Bool {
    StringRole.allCases.contains { text($0)?.string.utf8.count ?? 0 > TextDrain.longValue }
      || extra.contains { $0.value.isLong }
  }
}

extension HistoryChange {
  /// Whether a value is long, apart from the mask.
  var hasLongValue: Bool {
    tombstone.contains { $0.isLong } || extra.contains { $0.value.isLong }
      || values.contains { $0.old?.isLong ?? false || $0.new?.isLong ?? false }
  }
}

extension RecordedContent {
  fileprivate var isLong: Bool { if case .value(let value) = self { value.isLong } else { false } }
}

extension StoredValue {
  /// Whether the value is so long that it is written in pieces.
  var isLong: Bool {
    switch self {
    case .null, .integer, .real: false
    case .text(let text): text.utf8.count > TextDrain.longValue
    case .malformedText(let bytes), .blob(let bytes): bytes.count > TextDrain.longValue
    }
  }
}
