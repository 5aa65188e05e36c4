import StoreFormat

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a file that holds a token holds.
enum TokenFile {
  /// A token with its stores.
  case token(HistoryToken)
  /// A token in one of the forms of the command line.
  case text(String)

  /// Reads a file, or with `-` standard input: text, the JSON of a token, or a property list of an
  /// archived `NSPersistentHistoryToken`.
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
