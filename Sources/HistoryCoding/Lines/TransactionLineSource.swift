import PersistentHistory

/// A source whose transactions are written as lines already.
///
/// Who wants lines takes them as they are, which is a small part of the work of reading and writing
/// them anew.
package protocol TransactionLineSource: TransactionSource {
  /// Lends the line of the current transaction, with its line end, piece by piece.
  ///
  /// - Returns: Whether it was lent; false, and nothing, where the source leaves out some of its
  ///   changes, or where they were asked for one by one before.
  func readLine(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool
}
