import Foundation
import OpenSwiftData
import TestSupport
import Testing

/// Models of an app, and those that a copy without its names has.
enum PrivateModels {
  @Model final class Author {
    @Attribute(.unique) var name: String
    var birth: Date?
    @Relationship(inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author?
    init(title: String, author: Author?) {
      self.title = title
      self.author = author
    }
  }
}

enum NeutralModels {
  @Model final class Entity01 {
    @Attribute(.unique) var property04: String
    var property02: Date?
    @Relationship(inverse: \Entity02.property01) var property03: [Entity02] = []
    init(property04: String) { self.property04 = property04 }
  }

  @Model final class Entity02 {
    var property05: String
    var property01: Entity01?
    init(property05: String) { self.property05 = property05 }
  }
}

@Suite(.bounded) struct ScrubbedNamesTests {
  @Test func `a scrubbed store opens with models of neutral names`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.file("private.store")
    do {
      let container = try ModelContainer(
        for: PrivateModels.Author.self, PrivateModels.Book.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: store)))
      let context = ModelContext(container)
      for number in 0..<3 {
        let author = PrivateModels.Author(name: "Author \(number)")
        context.insert(author)
        for place in 0..<number {
          context.insert(PrivateModels.Book(title: "Book \(place)", author: author))
        }
      }
      try context.save()
      for author in try context.fetch(FetchDescriptor<PrivateModels.Author>()) {
        author.birth = Date(timeIntervalSinceReferenceDate: 1000)
      }
      try context.save()
    }
    let copy = folder.file("neutral.store")
    let result = try await Tool.histctl.run(["scrub", store, "-o", copy, "--yes", "--names"])
    #expect(result.status == 0, "\(result.errors)")
    let properties = "SELECT hex(Z_PLIST) FROM Z_METADATA"
    let before = try StoreQuery(path: copy).lines(properties)

    let container = try ModelContainer(
      for: NeutralModels.Entity01.self, NeutralModels.Entity02.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: copy)))
    let context = ModelContext(container)
    let authors = try context.fetch(FetchDescriptor<NeutralModels.Entity01>())
    #expect(authors.map(\.property03.count).sorted() == [0, 1, 2])
    #expect(authors.allSatisfy { $0.property04.count == 8 && !$0.property04.contains("Author") })
    #expect(Set(authors.map(\.property02)).count == 1)
    #expect(try context.fetchCount(FetchDescriptor<NeutralModels.Entity02>()) == 3)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [6, 3])
    let updates = history[1].changes.compactMap { change in
      if case .update(let update) = change {
        (update as? DefaultHistoryUpdate<NeutralModels.Entity01>)?.updatedAttributes
      } else {
        nil
      }
    }
    #expect(updates == Array(repeating: [\NeutralModels.Entity01.property02], count: 3))
    // The hashes fit, so nothing was migrated, and new objects can be saved.
    #expect(try StoreQuery(path: copy).lines(properties) == before)
    context.insert(NeutralModels.Entity01(property04: "new"))
    try context.save()
  }
}
