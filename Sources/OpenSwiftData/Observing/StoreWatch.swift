import Foundation
import StoreFormat
import Synchronization

/// Looks whether others have saved to the file of a store.
final class StoreWatch: Sendable {
  private struct State {
    var file: StoreFile
    var stamp: StoreStamp
    /// All up to and including this transaction has been looked at.
    var position: Int64
    /// The newest transaction that was seen, and the saves of our own that were going on then.
    var seen: (newest: Int64, ongoing: Set<Int>)?
  }

  private let storeIdentifier: String
  private let path: String
  private let state: Mutex<State>

  /// Takes a first look, for which a store is waited for that somebody is writing to.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  init(_ store: DefaultStore) throws {
    storeIdentifier = store.identifier
    path = store.filePath
    state = Mutex(try Self.firstLook(at: path))
  }

  private static func firstLook(at path: String) throws -> State {
    let end = ContinuousClock.now + .seconds(DefaultStore.busyTimeout)
    while true {
      do {
        // Later, a file that is busy is looked at again a moment later.
        let file = try StoreFile(path: path, busyTimeout: 0)
        let stamp = try file.stamp()
        return State(
          file: file, stamp: stamp, position: try file.read { try $0.highestTransaction() })
      } catch StoreError.busy where ContinuousClock.now < end {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  /// All transactions up to and including this one have been looked at.
  var position: Int64 { state.withLock { $0.position } }

  /// What others have saved since the last look.
  ///
  /// - Parameters:
  ///   - ongoing: The saves of the container's own contexts that are going on at the moment.
  ///   - own: The transactions of its own contexts, up to one.
  /// - Throws: ``/StoreFormat/StoreError``.
  func look(
    ongoing: () -> Set<Int>, own: (_ upTo: Int64) -> Set<Int64>
  ) throws -> [RecordedSave] {
    try state.withLock { state in
      try lookForNewest(&state, ongoing)
      // A transaction is somebody else's only once all saves that may have made it have said so.
      guard let seen = state.seen, seen.ongoing.isDisjoint(with: ongoing()) else { return [] }
      let saves =
        seen.newest > state.position
        ? try othersSaves(
          in: state.file, after: state.position, until: seen.newest, own(seen.newest))
        : []
      state.position = max(state.position, seen.newest)
      state.seen = nil
      return saves
    }
  }

  private func othersSaves(
    in file: StoreFile, after position: Int64, until newest: Int64, _ own: Set<Int64>
  ) throws -> [RecordedSave] {
    let own = own.filter { $0 > position }
    guard newest - position != Int64(own.count) else { return [] }
    return try file.read { snapshot in
      var saves = try snapshot.recordedSaves(
        after: position, until: newest, storeIdentifier: storeIdentifier)
      let start = position.following
      let missing = start..<max(start, saves.first?.number ?? newest.following)
      if !missing.allSatisfy(own.contains) {
        // Somebody has deleted history before it could be looked at.
        saves.insert(RecordedSave(storeIdentifier: storeIdentifier), at: 0)
      }
      return saves.filter { save in save.number.map { !own.contains($0) } ?? true }
    }
  }

  private func lookForNewest(_ state: inout State, _ ongoing: () -> Set<Int>) throws {
    guard state.seen == nil else { return }
    let stamp = try state.file.stamp()
    let isOutdated = try state.file.isOutdated
    guard stamp != state.stamp || isOutdated else { return }
    if isOutdated { state.file = try StoreFile(path: path, busyTimeout: 0) }
    let newest = try state.file.read { try $0.highestTransaction() }
    state.seen = (newest, ongoing())
    state.stamp = stamp
  }
}
