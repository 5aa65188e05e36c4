import StoreFormat

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file beside a store in which consumers keep their bookmarks.
///
/// A JSON object: `schema` is 1, `bookmarks` an array of objects with `name`, `token` (SwiftData's
/// JSON of a token) and `timestampRaw` (seconds since 2001, as the transaction has it).
public struct BookmarkFile: Hashable, Sendable {
  /// The path of the file.
  package let path: String
  /// The bookmarks, by name; empty where the file does not exist.
  public let bookmarks: [Bookmark]
  /// Whether the file exists.
  package let isThere: Bool

  /// The schema that this code reads.
  private static let schema = 1

  /// Where a store's bookmarks are kept unless told otherwise.
  package static func path(besideStore path: String) -> String { path + "-bookmarks.json" }

  /// Reads the bookmarks.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)``.
  public init(path: String) throws(HistoryError) {
    self.path = path
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.readFile(path)
    } catch .missing {
      bookmarks = []
      isThere = false
      return
    } catch {
      throw .unreadableBookmarks(path: path, reason: error.text)
    }
    isThere = true
    guard !bytes.isEmpty else {
      throw .unreadableBookmarks(
        path: path, reason: "it is empty, as a full disk or a loss of power leave a file behind")
    }
    do {
      // The schema alone first: what a later one puts beside it may have another shape.
      let schema = try JSONDecoder().decode(Version.self, from: Data(bytes)).schema
      guard schema == BookmarkFile.schema else {
        throw HistoryError.unreadableBookmarks(
          path: path, reason: "its schema is \(schema), expected \(BookmarkFile.schema)")
      }
      let content = try JSONDecoder().decode(Content.self, from: Data(bytes))
      bookmarks = content.bookmarks.map {
        Bookmark(
          name: $0.name, token: $0.token,
          timestamp: $0.timestampRaw.map(StoreTimestamp.init(secondsSinceReferenceDate:)))
      }.sorted { $0.name < $1.name }
      if let problem = BookmarkFile.problem(of: bookmarks) {
        throw HistoryError.unreadableBookmarks(path: path, reason: problem)
      }
    } catch let error as HistoryError {
      throw error
    } catch {
      throw .unreadableBookmarks(path: path, reason: "it is not the JSON of bookmarks")
    }
  }

  /// The bookmarks of a file and why there are none, for whoever has more to tell than bookmarks.
  package static func readable(
    in path: String
  ) -> (bookmarks: [Bookmark], problem: HistoryError?) {
    do throws(HistoryError) {
      return (try BookmarkFile(path: path).bookmarks, nil)
    } catch {
      return ([], error)
    }
  }

  /// The bookmark of a name.
  ///
  /// - Throws: ``HistoryError/unknownBookmark(name:path:known:)``.
  public func bookmark(named name: String) throws(HistoryError) -> Bookmark {
    guard let bookmark = bookmarks.first(where: { $0.name == name }) else {
      throw .unknownBookmark(name: name, path: path, known: bookmarks.map(\.name))
    }
    return bookmark
  }

  /// What is wrong with the names of bookmarks, which somebody else may have written.
  private static func problem(of bookmarks: [Bookmark]) -> String? {
    if let bookmark = bookmarks.first(where: { !Bookmark.isName($0.name) }) {
      return "it has a bookmark named '\(bookmark.name.prefix(40))', which cannot be a name"
    }
    for (bookmark, next) in zip(bookmarks, bookmarks.dropFirst()) where bookmark.name == next.name {
      return "it has two bookmarks named '\(bookmark.name)'"
    }
    return nil
  }

  /// The content of a file with these bookmarks.
  static func encode(_ bookmarks: [Bookmark]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let entries = bookmarks.sorted { $0.name < $1.name }.map { bookmark in
      // JSON has no infinities, and a bookmark without a time is one all the same.
      let seconds = bookmark.timestamp?.secondsSinceReferenceDate
      return Content.Entry(
        name: bookmark.name, token: bookmark.token,
        timestampRaw: seconds.flatMap { $0.isFinite ? $0 : nil })
    }
    return Array(try encoder.encode(Content(schema: schema, bookmarks: entries))) + [0x0A]
  }

  private struct Version: Decodable {
    let schema: Int
  }

  private struct Content: Codable {
    struct Entry: Codable {
      let name: String
      let token: HistoryToken
      let timestampRaw: Double?
    }

    let schema: Int
    let bookmarks: [Entry]
  }
}
