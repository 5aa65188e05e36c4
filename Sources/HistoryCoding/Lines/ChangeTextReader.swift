import PersistentHistory
import StoreFormat

/// Reads the texts of changes one after the other; those that are like thousands before, but for their
/// two numbers, cost a fraction.
package final class ChangeTextReader {
  private let decoder: TransactionLineDecoder
  private var known = KnownChanges<HistoryChange>()

  /// - Parameter decoder: Reads what is not known yet.
  package init(_ decoder: TransactionLineDecoder) { self.decoder = decoder }

  /// Reads a change that is known, with which a text begins, and gives how many bytes it has; nil for
  /// all others.
  @inline(__always)
  package func readKnown(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (HistoryChange, Int)? {
    guard let found = known.find(text) else { return nil }
    var change = known[found.index]
    change.number = found.number
    change.primaryKey = found.primaryKey
    return (change, found.length)
  }

  /// Reads a change that is all of a text.
  ///
  /// - Throws: ``LineError``.
  package func read(_ text: UnsafeBufferPointer<UInt8>) throws(LineError) -> HistoryChange {
    let change = try decoder.decodeChange(text)
    // What objects leave behind, or had before, is different each time.
    if change.tombstone.isEmpty, change.extra.isEmpty, change.values.isEmpty {
      _ = known.learn(text, as: change)
    }
    return change
  }
}
