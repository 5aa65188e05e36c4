import DurableFiles
import SystemPackage

/// Recognises stores by their first bytes, without SQLite and whatever their name.
package enum StoreBeginning {
  /// The smallest file that SQLite writes, in bytes.
  package static let shortest: Int64 = 512
  /// The number of bytes that distinguish SQLite's files from all others.
  package static let headerLength = FileHeader.length
  /// The longest first page, in bytes.
  static let longest = 1 << 16

  /// Names of tables that every store has; the first page holds the names of the oldest tables.
  private static let names = ["Z_METADATA", "Z_PRIMARYKEY"].map { Array($0.utf8) }
  /// The kind of a page that refers to other pages, which then hold the schema.
  private static let interiorPage: UInt8 = 5

  /// Returns the length of the first page of a SQLite file, or `nil` for any other file.
  ///
  /// - Parameter header: The first bytes of the file, at least ``headerLength``.
  package static func pageLength(_ header: [UInt8]) -> Int? {
    FileHeader(header).map { $0.pageSize ?? longest }
  }

  /// Returns whether a SQLite file may be a store; only opening it tells for certain.
  ///
  /// - Parameters:
  ///   - page: The first page, or as much of it as there is.
  ///   - hasLog: Whether it has a log, in which the schema may be.
  package static func mayBeStore(_ page: [UInt8], hasLog: Bool) -> Bool {
    guard pageLength(page) != nil, page.count > headerLength else { return false }
    return hasLog || page[headerLength] == interiorPage
      || names.contains { page.contains($0) }
  }

  /// Returns whether a file may be a store, from its first page.
  ///
  /// A link is not followed, and a pipe not waited for.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - logPath: The log that belongs to it; `nil` if any file may have one.
  /// - Throws: The system's error.
  package static func mayBeStore(at path: FilePath, logPath: String?) throws -> Bool {
    let file = try ReadableFile(path, followsLink: false)
    guard let length = pageLength(try file.readPrefix(headerLength)) else { return false }
    let hasLog = try logPath.map { try FileStatus(path: $0)?.size ?? 0 > 0 } ?? true
    return mayBeStore(try file.readPrefix(length), hasLog: hasLog)
  }
}
