/// A store that is read again after each save of any process.
package final class SavedStore {
  package private(set) var file: StoreFile
  private var stamp: StoreStamp?

  package init(_ file: StoreFile) { self.file = file }

  /// Whether a reading has succeeded.
  package var hasBeenRead: Bool { stamp != nil }

  /// Reads the store if something may have been saved since the last reading that succeeded; finding out takes
  /// a few microseconds.
  ///
  /// - Parameters:
  ///   - reopen: Opens the store again, because its connection cannot see later saves, or because another file
  ///     has replaced it, as the argument says.
  ///   - body: Reads the store.
  /// - Throws: ``StoreError``, and errors of the closures; the next call then tries again.
  package func readNews(
    reopening reopen: (_ isReplaced: Bool) throws -> StoreFile, _ body: (StoreFile) throws -> Void
  ) throws {
    var now = try file.stamp()
    guard now != stamp else { return }
    if let stamp {
      let isReplaced = !now.isSameFile(as: stamp)
      if isReplaced || !file.seesLaterSaves {
        file = try reopen(isReplaced)
        now = try file.stamp()
      }
    }
    try body(file)
    // Only now: what a failed reading has missed is read the next time.
    stamp = now
  }
}
