import DurableFiles
import Foundation
import StoreFormat
import Synchronization

/// The folder of a store that is gone with its container.
///
/// It is in the memory file system where there is one with room enough, so that nothing of it reaches a
/// disk; nobody else may read it. A program that ends removes its folders, and one that makes a folder
/// removes those that killed programs have left.
final class TemporaryStoreFolder: @unchecked Sendable {
  private let folder: DraftFolder

  init() throws {
    let file = Self.parent + "/openswiftdata-memory.store"
    folder = try DraftFolder(path: DraftFolder.path(for: file), forStoreAt: file)
    Self.remember(folder.path)
  }

  deinit {
    folder.discard()
    Self.present.withLock { paths in _ = paths.remove(folder.path) }
  }

  var storePath: String { folder.path + "/memory.store" }

  // MARK: - Where

  /// With less room than this in memory a store is on the disk; containers have 64 MiB as a rule, for
  /// all programs together.
  private static let leastRoom: Int64 = 256 << 20

  private static var parent: String {
    let memory = "/dev/shm"
    let room = (try? FreeSpace.byteCount(inFolder: memory)) ?? 0
    return room >= leastRoom && FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
  }

  // MARK: - The end of the program

  private static let present = Mutex<Set<String>>([])

  /// A container that a program keeps to its end is never let go.
  private static let removesAtExit: Void = {
    owner.withLock { $0 = ProcessInfo.processInfo.processIdentifier }
    atexit { TemporaryStoreFolder.removeAll() }
  }()
  private static let owner = Mutex<Int32>(0)

  private static func remember(_ path: String) {
    _ = removesAtExit
    present.withLock { paths in _ = paths.insert(path) }
  }

  private static func removeAll() {
    // What has been forked off ends without its parent.
    guard owner.withLock({ $0 }) == ProcessInfo.processInfo.processIdentifier else { return }
    for path in present.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}
