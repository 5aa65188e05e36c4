import Foundation
import Libc

/// A folder that is removed when the test ends.
package final class TemporaryFolder: Sendable {
  /// The folder, links resolved.
  package let path: String

  /// Makes a folder.
  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("histctl-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// The names in the folder, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// Removes a file in the folder.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  /// Copies a store with its log and returns the path of the copy.
  package func copy(store path: String) throws -> String {
    let target = file(URL(fileURLWithPath: path).lastPathComponent)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileBytes.write(try FileBytes.read(path + suffix), to: target + suffix)
    }
    return target
  }
}

/// Whole files as bytes.
package enum FileBytes {
  package static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Writes a file, which need not survive a power failure: Foundation would wait for the disk.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "we") else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }

  package static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }
}
