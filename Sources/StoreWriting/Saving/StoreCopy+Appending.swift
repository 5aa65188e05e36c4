import StoreEditing
import StoreFormat

extension StoreCopy {
  /// Makes a copy with one more transaction.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the store to copy.
  ///   - save: What is appended to the copy.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  ///   - inspect: Called with the finished copy before it is moved to its place, the appended transaction, and the
  ///     number of copied files of large values. It may write recorded values beside the copy.
  /// - Throws: ``StoreWriteError``, or the errors of `progress` and `inspect`; everything is then
  ///   unchanged.
  package func write<Result>(
    _ snapshot: StoreSnapshot, appending save: StoreSave, progress: (Int64) throws -> Void,
    inspect: (StoreSnapshot, AppendedTransaction?, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    var appended: AppendedTransaction?
    return try write(snapshot, progress: progress) { path in
      // The draft syncs the finished file.
      let editor = try StoreEditor(path: path, busyTimeout: 0, durability: .whenClosed)
      appended = try editor.append(save)
      try editor.close()
    } inspect: {
      try inspect($0, appended, $1)
    }
  }
}
