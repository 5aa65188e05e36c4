import PersistentHistory
import StoreFormat

/// Writes history in one format to its own buffer: transaction by transaction, change by change.
///
/// The parts of a transaction come one after the other, so that even one with millions of changes
/// takes no more memory than a small one. Encoders that began at different transactions give texts
/// that can be put together in the order of the transactions: whatever stands before the first
/// record of a file is its ``prologue``, and no record depends on the ones before it.
package protocol HistoryEncoder: Sendable {
  /// What a file begins with, such as the heading of a table; mostly nothing.
  var prologue: [UInt8] { get }

  /// Starts a transaction; its ``/PersistentHistory/HistoryTransaction/changes`` are not looked at.
  mutating func begin(_ transaction: HistoryTransaction)

  /// Adds a change to the transaction that was started.
  mutating func append(_ change: HistoryChange)

  /// Adds a change with what its object is now; a format without a place for that leaves it out.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - present: Its object; nil where that is not known, or is not in the store any more.
  mutating func append(_ change: HistoryChange, present: PresentObject?)

  /// Whether records have a place for what objects are now.
  var carriesPresentObjects: Bool { get }

  /// Adds the changes that a reader gives of its current transaction, with what their objects are now
  /// if its query asks for that.
  ///
  /// - Parameters:
  ///   - reader: Where they come from.
  ///   - byteLimit: Stops when ``byteCount`` has reached it.
  /// - Returns: Whether all changes were added; false to be called again.
  mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool

  /// Ends the transaction that was started.
  mutating func end()

  /// Says that history is missing here; a format without a place for that leaves it out.
  mutating func append(_ gap: HistoryGap)

  /// Whether whole lines that were written before can be added as they are.
  var takesLines: Bool { get }

  /// Adds a piece of such a line.
  mutating func append(line piece: UnsafeRawBufferPointer)

  /// How many bytes have been written since the last ``removeAll()``.
  var byteCount: Int { get }

  /// Lends what has been written.
  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result

  /// Forgets what has been written, for the caller has put it elsewhere.
  mutating func removeAll()
}

extension HistoryEncoder {
  /// Nothing.
  package var prologue: [UInt8] { [] }

  /// The change alone.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) { append(change) }

  /// No.
  package var carriesPresentObjects: Bool { false }

  /// One by one.
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

  /// Nothing, as where every record is complete by itself.
  package mutating func end() {}

  /// Nothing.
  package mutating func append(_ gap: HistoryGap) {}

  /// No.
  package var takesLines: Bool { false }

  /// Nothing.
  package mutating func append(line piece: UnsafeRawBufferPointer) {}

  /// One by one, each with what its object is now.
  mutating func appendChangesAndObjects(
    of reader: HistoryReader, byteLimit: Int
  ) throws -> Bool {
    while let change = try reader.nextChange() {
      append(change, present: try reader.presentObject(of: change))
      if byteCount >= byteLimit { return false }
    }
    return true
  }
}
