import Foundation
import TestSupport

/// A store whose authors are as unlike names as can be, and what shells are to offer of them.
enum CompletionStore {
  /// Authors that can be typed, by value.
  static let authors = [
    "$(touch pwned)", "%F{red}", "*", "@at", "`touch pwned`", #"back\slash"#, "com:colon=eq",
    "it's", #"say "hi""#, "semi;touch pwned", "two  blanks ", "widget", "~tilde", "Ünï 日本",
  ].sorted()

  /// Authors that would break a line or act on a terminal, or that look like an option.
  static let unfit = [
    "new\nline", "carriage\rreturn", "esc\u{1B}[2J", "tab\there", "rtl\u{202E}x", "\u{9B}2J", "-rf",
    "", String(repeating: "x", count: 300),
  ]

  /// Writes the store with a transaction for each author, and a bookmark.
  @discardableResult
  static func write(in folder: TemporaryFolder, name: String = "my store.store") throws -> String {
    let path = folder.file(name)
    let writer = try StoreWriter(path: path)
    for (index, author) in (authors + unfit).enumerated() {
      try writer.transaction(Int64(index + 1), author: author)
      try writer.change(
        Int64(index + 1), of: Int64(index + 1), 0, TripsModel.number("Trip"), Int64(index + 1))
    }
    try writer.close()
    let token = #"{"storeTokens":{"\#(StoreWriter.identifier)":3}}"#
    try FileBytes.write(
      Array(#"{"schema":1,"bookmarks":[{"name":"widget","token":\#(token)}]}"#.utf8),
      to: path + "-bookmarks.json")
    return path
  }
}
