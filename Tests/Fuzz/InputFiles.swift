import Foundation

/// Files with the current input, for decoders that read files.
final class InputFiles: Sendable {
  static let shared = InputFiles()

  private let folder = NSTemporaryDirectory() + "/histctl-fuzz-\(getpid())"

  init() {
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Writes a file and returns its path.
  func write(_ bytes: ArraySlice<UInt8>, _ name: String = "input") throws -> String {
    let path = folder + "/" + name
    // Foundation takes ten times as long.
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard bytes.withUnsafeBytes({ Foundation.write(file, $0.baseAddress, $0.count) }) == bytes.count
    else { throw POSIXError(.EIO) }
    return path
  }

  /// Writes a store and its log.
  ///
  /// - Parameters:
  ///   - bytes: Both, one after the other.
  ///   - repairsLog: Whether to write correct checksums into the log, without which SQLite ignores it.
  func writeStore(_ bytes: [UInt8], repairsLog: Bool) throws -> String {
    for suffix in ["", "-wal", "-shm"] { unlink(folder + "/store" + suffix) }
    let start = LogImage.start(in: bytes) ?? bytes.count
    if start < bytes.count {
      var log = LogImage(Array(bytes[start...]))
      if repairsLog { log.repair() }
      _ = try write(log.bytes[...], "store-wal")
    }
    return try write(bytes[..<start], "store")
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
