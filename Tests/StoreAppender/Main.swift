import Foundation
import StoreFormat
import StoreWriting

/// Appends saves to a store of `TripsModel`, for tests that need another process to do so.
///
/// ```
/// StoreAppender STORE AUTHOR COUNT
/// ```
///
/// Every save puts a new trip with two items into the store and writes its own number into the label
/// of the tag with the primary key 1, which must be there; from the second on it also changes the
/// trip of the save before and deletes one of its items. The number stands in the name of the
/// context as well, so that whoever looks at the store can tell whether rows and history agree. What
/// is written to standard output, transaction numbers in lines, was in the store before.
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 3, let path = words.first, let count = words.last.flatMap({ Int($0) })
    else {
      fail("usage: StoreAppender STORE AUTHOR COUNT", status: 64)
    }
    do {
      let editor = try StoreEditor(path: path, busyTimeout: 600)
      var saves = Saves(author: words[words.startIndex + 1])
      for _ in 0..<count {
        let number = try saves.append(to: editor)
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
      }
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func fail(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("StoreAppender: \(text)\n".utf8))
    exit(status)
  }
}
