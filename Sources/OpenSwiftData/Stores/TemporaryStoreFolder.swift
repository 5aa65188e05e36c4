import Foundation

/// The folder of a store that is gone with its container.
///
/// It is in the memory file system where there is one, so that nothing of it reaches a disk; nobody
/// else may read it.
final class TemporaryStoreFolder: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = parent + "/openswiftdata-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var storePath: String { path + "/memory.store" }
}
