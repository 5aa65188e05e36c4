import Libc
import StoreFormat
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of a file that holds a token.
enum TokenFile {
  case token(HistoryToken)
  /// A token in one of its written forms.
  case text(String)

  /// Reads text, the JSON of a token, or a property list with an archived `NSPersistentHistoryToken`, from
  /// a file or, for `-`, from standard input.
  ///
  /// - Throws: ``HistoryError/unreadableToken(path:reason:)``.
  static func read(_ path: String) throws(HistoryError) -> TokenFile {
    do {
      return try parse(try SmallFile.read(path))
    } catch let failure as SmallFile.Failure {
      throw .unreadableToken(path: path, reason: failure.text)
    } catch let malformed as Malformed {
      throw .unreadableToken(path: path, reason: malformed.reason)
    } catch {
      throw .unreadableToken(path: path, reason: "\(error)")
    }
  }

  private struct Malformed: Error { let reason: String }

  private static func parse(_ bytes: [UInt8]) throws -> TokenFile {
    let start = bytes.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    if bytes.starts(with: "bplist".utf8) || start.first == UInt8(ascii: "<") {
      return .token(try HistoryToken(archive: bytes))
    }
    if start.first == UInt8(ascii: "{") {
      guard let token = try? JSONDecoder().decode(HistoryToken.self, from: Data(bytes)) else {
        throw Malformed(reason: #"its JSON is not a token's, {"storeTokens":{"STORE":NUMBER}}"#)
      }
      guard !token.storeTokens.isEmpty else { throw Malformed(reason: "it names no store") }
      return .token(token)
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw Malformed(reason: "it is neither text nor a property list")
    }
    let trimmed = text.trimmingBlanks
    guard !trimmed.isEmpty else { throw Malformed(reason: "it is empty") }
    guard !trimmed.contains(where: \.isNewline) else {
      throw Malformed(reason: "it has more than one line")
    }
    return .text(trimmed)
  }
}

/// Reads files that should be small: tokens and bookmarks.
enum SmallFile {
  /// The maximum length in bytes.
  static let limit = 1 << 20

  enum Failure: Error, Hashable {
    case missing
    case tooLarge
    case noFile
    case system(Errno)

    var text: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge: "it is larger than \(SmallFile.limit >> 20) MiB"
      case .noFile: "it is not a file"
      case .system(let error): error.description
      }
    }
  }

  /// Reads a file or a pipe, or standard input for `-`.
  static func read(_ path: String) throws(Failure) -> [UInt8] {
    try read {
      guard path != "-" else { return try read(from: .standardInput) }
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      return try file.closeAfter { try read(from: file) }
    }
  }

  /// Reads a regular file. A pipe in its place would make every command wait.
  static func readFile(_ path: String) throws(Failure) -> [UInt8] {
    try read {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
          throw Failure.noFile
        }
        return try read(from: file)
      }
    }
  }

  private static func read(_ body: () throws -> [UInt8]) throws(Failure) -> [UInt8] {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure
    } catch Errno.noSuchFileOrDirectory, Errno.fileNameTooLong {
      throw .missing
    } catch {
      throw .system(error as? Errno ?? .ioError)
    }
  }

  private static func read(from file: FileDescriptor) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try file.read(into: buffer), count > 0 {
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard bytes.count <= limit else { throw Failure.tooLarge }
    }
    return bytes
  }
}
