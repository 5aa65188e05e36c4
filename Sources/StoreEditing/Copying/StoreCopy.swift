import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

/// A copy of a store with its large values, in which parts of the history are deleted before it takes
/// its place.
///
/// The store itself is only read. Under the copy's own name there is never a part of it.
package struct StoreCopy: Sendable {
  /// Where the copy will be.
  package let path: String

  /// Whether a store that is there is replaced.
  package var overwrites: Bool { draft.overwrites }

  private let draft: StoreDraft

  /// Chooses a place for a copy of a store.
  ///
  /// - Parameters:
  ///   - location: The store.
  ///   - path: Where the copy will be.
  ///   - overwrites: Whether a store that is there is replaced, with its large values and the values
  ///     that were recorded beside it.
  ///   - busyTimeout: How long to wait for somebody who has the store open that is to be replaced, in
  ///     seconds.
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` where something is there that is not to be
  ///   replaced, and ``StoreWriteError/copyOntoItself(path:of:)`` where the copy, or its folder of
  ///   large values, would take the store's own place.
  package init(
    of location: StoreLocation, at path: String, overwrites: Bool = false, busyTimeout: Double = 5
  ) throws(StoreWriteError) {
    self.path = path
    let external = ExternalData(besideStoreAt: path)
    guard !location.owns(path),
      ExternalData(besideStoreAt: FileStatus.resolvedPlace(path)).path
        != ExternalData(besideStoreAt: location.resolvedPath).path
    else { throw .copyOntoItself(path: path, of: location.path) }
    draft = try StoreDraft(path: path, overwrites: overwrites, busyTimeout: busyTimeout)
    let values = RecordedValuesFile.path(besideStore: path)
    for taken in [external.path, values] where !overwrites && FileMove.entry(at: taken) != .none {
      throw .alreadyThere(path: taken)
    }
  }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - snapshot: The store as it is to be copied.
  ///   - cut: Transactions before this number are deleted from the copy; nil for none.
  ///   - numbers: Single transactions that are deleted from it, each with its changes.
  ///   - progress: Told now and then how many bytes have been copied; what it throws ends the
  ///     copying, and nothing is left of it.
  ///   - inspect: Looks at the finished copy before it takes its place, and may write recorded values
  ///     beside it, which go with it. It is told what was deleted, and how many files of large values
  ///     were copied.
  /// - Throws: ``StoreWriteError``, or what `progress` and `inspect` throw; everything is then as it
  ///   was before.
  package func write<Result>(
    _ snapshot: StoreSnapshot, deletingBefore cut: Int64?, deleting numbers: Set<Int64>,
    progress: (Int64) throws -> Void = { _ in },
    inspect: (StoreSnapshot, DeletedHistory, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    _ = try snapshot.historyTables()
    do {
      return try draft.write { path in
        var copied: Int64 = 0
        try snapshot.copyStore(to: path) { bytes in
          copied = bytes
          try progress(copied)
        }
        let deleted = try delete(before: cut, numbers, from: path) { try progress(copied) }
        let source = ExternalData(besideStoreAt: snapshot.location.resolvedPath)
        let files = try source.copy(to: ExternalData(besideStoreAt: path).path) { bytes in
          copied += bytes
          try progress(copied)
        }
        let result = try StoreFile(path: path).read { try inspect($0, deleted, files) }
        try progress(copied)
        return result
      }
    } catch {
      throw named(error, snapshot.location)
    }
  }

  private func delete(
    before cut: Int64?, _ numbers: Set<Int64>, from path: String, progress: () throws -> Void
  ) throws -> DeletedHistory {
    let queue = try WritingConnection.open(path: path, busyTimeout: 0)
    let deleted = try queue.writeWithoutTransaction { database in
      try CopyReduction(database: database).delete(before: cut, numbers, progress: progress)
    }
    try queue.close()
    return deleted
  }

  /// An error with the names that the store and its copy are known by.
  private func named(_ error: any Error, _ location: StoreLocation) -> any Error {
    switch error {
    case StoreWriteError.unwritable(let place, let reason) where place == temporaryValues:
      StoreWriteError.unwritable(
        path: RecordedValuesFile.path(besideStore: path), reason: reason)
    case StoreWriteError.unwritable(draft.temporaryPath, let reason):
      StoreWriteError.unwritable(path: path, reason: reason)
    case let error as DatabaseError:
      switch error.resultCode {
      // The copy is as damaged as what was copied.
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        StoreError.translating(error, location: location, busyTimeout: 0)
      default:
        StoreWriteError.unwritable(path: path, reason: error.message ?? "\(error.resultCode)")
      }
    case StoreError.damaged(draft.temporaryPath, let place, let detail):
      StoreError.damaged(path: location.path, place: place, detail: detail)
    case let error as StoreError where error.path == draft.temporaryPath:
      StoreWriteError.unwritable(path: path, reason: error.message)
    case let error as Errno:
      StoreWriteError.unwritable(
        path: ExternalData(besideStoreAt: path).path, reason: error.description)
    default: error
    }
  }

  private var temporaryValues: String { RecordedValuesFile.path(besideStore: draft.temporaryPath) }
}
