import Foundation
import OpenSwiftData

/// Saves models, for tests that need another process to do so.
///
/// ```
/// ModelSaver STORE AUTHOR COUNT
/// ModelSaver STORE
/// ```
///
/// Every save inserts an entry and writes its number into the author's counter; from the third on it
/// also deletes the entry of two saves before. So a store that holds whole saves only has a counter
/// that agrees with its entries and with the number of the author's transactions. A line on standard
/// output means that the save of this number was in the store before.
///
/// Without an author it opens the store with newer models, to which the store is migrated, and prints how
/// many of the entries the migration has marked.
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    if words.count == 1, let path = words.first {
      do {
        FileHandle.standardOutput.write(Data("\(try NewerModels.migrate(path))\n".utf8))
      } catch {
        fail("\(error)", status: 1)
      }
      return
    }
    guard words.count == 3, let path = words.first, let count = words.last.flatMap({ Int($0) })
    else {
      fail("usage: ModelSaver STORE [AUTHOR COUNT]", status: 64)
    }
    do {
      try save(count, as: words[words.startIndex + 1], to: path)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func save(_ count: Int, as author: String, to path: String) throws {
    let container = try ModelContainer(
      for: SavedEntry.self, SavedCounter.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    context.author = author
    let counters = try context.fetch(
      FetchDescriptor<SavedCounter>(predicate: #Predicate { $0.author == author }))
    let counter = counters.first ?? SavedCounter(author: author)
    if counters.isEmpty { context.insert(counter) }
    for _ in 0..<count {
      counter.count += 1
      let number = counter.count
      context.insert(SavedEntry(author: author, number: number))
      let old = try context.fetch(
        FetchDescriptor<SavedEntry>(
          predicate: #Predicate { $0.author == author && $0.number == number - 2 }))
      for entry in old { context.delete(entry) }
      try context.save()
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
  }

  private static func fail(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("ModelSaver: \(text)\n".utf8))
    exit(status)
  }
}
