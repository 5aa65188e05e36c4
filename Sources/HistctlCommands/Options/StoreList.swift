import DurableFiles
import HistoryOperations
import StoreFormat
import SystemPackage

/// A list of paths, as `find` writes it.
enum StoreList {
  /// The longest list that is read, in bytes.
  private static let longest = 64 << 20

  /// Returns the paths in a file: separated by NUL bytes where it has one, else by line ends. Empty ones are
  /// left out.
  ///
  /// - Parameter file: The path of the file; `-` is standard input.
  /// - Throws: ``OperationError``.
  static func paths(in file: String) throws -> [String] {
    let bytes: [UInt8]
    do {
      bytes = try read(file)
    } catch let error as Errno {
      throw OperationError(
        .unreadable, "cannot read the list of stores in \(file): \(error)",
        hint: "check the path; - is standard input")
    }
    let separator: UInt8 = bytes.contains(0) ? 0 : 0x0A
    return bytes.split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func read(_ file: String) throws -> [UInt8] {
    let input = file == "-" ? nil : try ReadableFile(anyAt: FilePath(file))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try buffer.withUnsafeMutableBytes({
      try input?.read(into: $0) ?? FileDescriptor.standardInput.read(into: $0)
    }), count > 0 {
      bytes += buffer[..<count]
      guard bytes.count <= longest else {
        throw OperationError(
          .unreadable, "the list of stores in \(file) is longer than \(longest >> 20) MiB",
          hint: "give a file with one path a line")
      }
    }
    return bytes
  }
}
