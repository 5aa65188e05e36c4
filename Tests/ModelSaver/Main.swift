import Foundation
import OpenSwiftData

/// Saves models, for tests that need another process to do so.
///
/// ```
/// ModelSaver STORE AUTHOR COUNT [--bytes=NUMBER] [--values]
/// ModelSaver STORE OTHER AUTHOR COUNT [--values]
/// ModelSaver STORE
/// ModelSaver --in-memory
/// ModelSaver --read STORE
/// ```
///
/// Every save inserts an entry and writes its number into the author's counter; from the third on it
/// also deletes the entry of two saves before. So a store that holds whole saves only has a counter
/// that agrees with its entries and with the number of the author's transactions. A line on standard
/// output means that the save of this number was in the store before. With a number of bytes every
/// entry has so many of them, each of which is the entry's number.
///
/// With `--values`, old and new values of what is updated are recorded.
///
/// With a second store that one has the counters, and every save is one to both.
///
/// Without an author it opens the store with newer models, to which the store is migrated, and prints how
/// many of the entries the migration has marked. In memory it opens a store that it never lets go, and
/// prints where that is. To read, it opens the store once, without being allowed to save, and for every
/// line of standard input prints how many entries and transactions there are.
@main
enum Main {
  nonisolated(unsafe) private static var kept: ModelContainer?

  static func main() {
    var words = CommandLine.arguments.dropFirst()
    if words.count == 1, words.first == "--in-memory" {
      do {
        kept = try ModelContainer(
          for: SavedEntry.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let files = try FileManager.default.subpathsOfDirectory(atPath: "/proc/self/fd")
          .compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
          }
        let path = files.first { $0.hasSuffix("memory.store") } ?? "none"
        FileHandle.standardOutput.write(Data("\(path)\n".utf8))
        exit(0)
      } catch {
        fail("\(error)", status: 1)
      }
    }
    if words.count == 2, words.first == "--read", let path = words.last {
      do {
        try read(path)
      } catch {
        fail("\(error)", status: 1)
      }
      return
    }
    let recordsValues = words.last == "--values"
    if recordsValues { words.removeLast() }
    if words.count == 1, let path = words.first {
      do {
        FileHandle.standardOutput.write(Data("\(try NewerModels.migrate(path))\n".utf8))
      } catch {
        fail("\(error)", status: 1)
      }
      return
    }
    let byteCount = words.last.flatMap {
      $0.hasPrefix("--bytes=") ? Int($0.dropFirst("--bytes=".count)) : nil
    }
    if byteCount != nil { words.removeLast() }
    guard words.count == 3 || words.count == 4, let count = words.last.flatMap({ Int($0) }) else {
      fail("usage: ModelSaver STORE [[OTHER] AUTHOR COUNT [--bytes=NUMBER] [--values]]", status: 64)
    }
    do {
      try save(
        count, as: words[words.endIndex - 2], byteCount,
        to: try container(Array(words.dropLast(2)), recordsValues: recordsValues))
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func container(
    _ paths: [String], recordsValues: Bool
  ) throws -> ModelContainer {
    func configuration(
      _ path: String, _ models: [any PersistentModel.Type]
    ) -> ModelConfiguration {
      ModelConfiguration(
        schema: Schema(models), url: URL(fileURLWithPath: path), recordsValues: recordsValues)
    }
    let models: [any PersistentModel.Type] = [SavedEntry.self, SavedCounter.self]
    return try ModelContainer(
      for: Schema(models),
      configurations: paths.count == 1
        ? [configuration(paths[0], models)]
        : zip(paths, models).map { configuration($0, [$1]) })
  }

  private static func save(
    _ count: Int, as author: String, _ byteCount: Int?, to container: ModelContainer
  ) throws {
    let context = ModelContext(container)
    context.author = author
    let counters = try context.fetch(
      FetchDescriptor<SavedCounter>(predicate: #Predicate { $0.author == author }))
    let counter = counters.first ?? SavedCounter(author: author)
    if counters.isEmpty { context.insert(counter) }
    for _ in 0..<count {
      counter.count += 1
      let number = counter.count
      let entry = SavedEntry(author: author, number: number)
      entry.content = byteCount.map {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: $0)
      }
      context.insert(entry)
      let old = try context.fetch(
        FetchDescriptor<SavedEntry>(
          predicate: #Predicate { $0.author == author && $0.number == number - 2 }))
      for entry in old { context.delete(entry) }
      try context.save()
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
  }

  private static func read(_ path: String) throws {
    let container = try ModelContainer(
      for: SavedEntry.self, SavedCounter.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path), allowsSave: false))
    let context = ModelContext(container)
    while readLine() != nil {
      var line: String
      do {
        let counts = [
          try context.fetchCount(FetchDescriptor<SavedEntry>()),
          try context.fetch(FetchDescriptor<SavedEntry>()).count,
          try ModelContext(container).fetch(FetchDescriptor<SavedEntry>()).count,
          try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count,
        ]
        line = counts.map { "\($0)" }.joined(separator: " ")
      } catch {
        line = "\(error)"
      }
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
  }

  private static func fail(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("ModelSaver: \(text)\n".utf8))
    exit(status)
  }
}
