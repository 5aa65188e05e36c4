import DurableFiles
import Foundation
import StoreFormat
import Synchronization

/// The folder of a store that exists as long as its container.
///
/// It is in memory if there is enough space, so that nothing reaches a disk, and no other user may read
/// it. A program removes its folders when it ends, and those of killed programs when it creates one.
final class TemporaryStoreFolder: @unchecked Sendable {
  private let folder: DraftFolder

  init() throws {
    let file = Self.parent + "/openswiftdata-memory.store"
    folder = try DraftFolder(path: DraftFolder.path(for: file), forStoreAt: file)
    Self.remember(folder.path)
  }

  deinit {
    folder.discard()
    Self.present.withLock { present in _ = present.paths.remove(folder.path) }
  }

  /// In a folder of its own: that of the draft is locked for as long as it exists, and programs lock
  /// the folder of a store to set bookmarks and to delete history.
  var storePath: String { folder.path + "/store/memory.store" }

  // MARK: - Where

  /// The minimum of free memory; containers usually have 64 MiB for all programs together.
  private static let leastRoom: Int64 = 256 << 20

  private static var parent: String {
    let memory = "/dev/shm"
    let room = (try? FreeSpace.byteCount(inFolder: memory)) ?? 0
    return room >= leastRoom && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
  }

  // MARK: - The end of the program

  /// The folders, and the process that made the first. A handler of the end of a process reaches only static values.
  private static let present = Mutex<(owner: Int32?, paths: Set<String>)>((nil, []))

  private static func remember(_ path: String) {
    present.withLock { present in
      present.paths.insert(path)
      guard present.owner == nil else { return }
      present.owner = ProcessInfo.processInfo.processIdentifier
      atexit { TemporaryStoreFolder.removeAll() }
    }
  }

  private static func removeAll() {
    // A forked process ends without removing the folders of its parent.
    let (owner, paths) = present.withLock { $0 }
    guard owner == ProcessInfo.processInfo.processIdentifier else { return }
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
  }
}
