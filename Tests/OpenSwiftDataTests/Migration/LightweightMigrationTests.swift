import OpenSwiftData
import TestSupport
import Testing

/// A store of older models is brought to newer ones when it is opened.
@Suite(.bounded) struct LightweightMigrationTests {
  /// A store of the first version with something in every table and every kind of change in its
  /// history.
  static func library() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(LibraryV1.models, author: "v1") { context in
      let eco = LibraryV1.Author(name: "Eco")
      let rose = LibraryV1.Book(title: "Rose", author: eco)
      let island = LibraryV1.Book(title: "Island", shelf: "B2", author: eco)
      island.note = "lent"
      let history = LibraryV1.Topic(label: "History")
      rose.topics = [history, LibraryV1.Topic(label: "Monks")]
      island.topics = [history]
      context.insert(eco)
      context.insert(rose)
      context.insert(island)
      context.insert(LibraryV1.Loan(reader: "Ann"))
      try context.save()
      rose.pages = 502
      rose.title = "The Rose"
      try context.save()
      rose.pages = 503
      try context.save()
      let draft = LibraryV1.Book(title: "Draft", shelf: "Z9")
      context.insert(draft)
      try context.save()
      context.delete(draft)
      try context.save()
    }
    return store
  }

  @Test func `every lightweight change is made`() async throws {
    let store = try Self.library()
    try store.with(LibraryV2.models) { context in
      let books = try context.fetch(
        FetchDescriptor<LibraryV2.Book>(sortBy: [SortDescriptor(\.name)]))
      #expect(books.map(\.name) == ["Island", "The Rose"])
      #expect(books.map(\.note) == ["lent", "none"])
      #expect(books.map(\.rating) == [nil, nil])
      #expect(books.map(\.isNew) == [true, true])
      #expect(
        books.map(\.size) == Array(repeating: LibraryV2.Size(width: 12, height: 20), count: 2))
      #expect(books.map(\.shelf) == ["B2", "A1"])
      #expect(books.map { $0.writer?.name } == ["Eco", "Eco"])
      #expect(
        books.map { $0.topics.map(\.label).sorted() } == [["History"], ["History", "Monks"]])
      let eco = try #require(try context.fetch(FetchDescriptor<LibraryV2.Author>()).first)
      #expect(eco.born == 1900)
      #expect(Set(eco.works.map(\.name)) == ["Island", "The Rose"])
      #expect(try context.fetchCount(FetchDescriptor<LibraryV2.Account>()) == 0)
    }
    #expect(try await store.problems(LibraryV2.models) == [])
    // Keys stay, and go on counting where they were; the objects' versions are theirs.
    #expect(try store.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == ["3"])
    #expect(
      try store.lines("SELECT Z_PK, Z_OPT, ZNAME FROM ZBOOK ORDER BY 1") == [
        "1|3|The Rose", "2|1|Island",
      ])
    #expect(
      try store.lines(
        "SELECT count(*) FROM ZBOOK b JOIN Z_PRIMARYKEY p ON p.Z_ENT = b.Z_ENT AND Z_NAME = 'Book'")
        == ["2"])
    // The app goes on working with it.
    try store.with(LibraryV2.models) { context in
      let eco = try #require(try context.fetch(FetchDescriptor<LibraryV2.Author>()).first)
      let new = LibraryV2.Book(name: "Baudolino")
      new.writer = eco
      context.insert(new)
      context.insert(LibraryV2.Account(reader: "Bob"))
      try context.save()
      #expect(eco.works.count == 3)
    }
    #expect(try await store.problems(LibraryV2.models) == [])
    #expect(try store.lines("SELECT max(Z_PK) FROM ZBOOK") == ["4"])
  }

  @Test func `a store can be migrated back`() async throws {
    // Nothing says that a version must be newer: without a plan only the models count.
    let store = try Self.library()
    try store.open(LibraryV2.models)
    try store.with(LibraryV2.models) { context in
      for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) {
        book.bought = .distantPast
      }
      try context.save()
    }
    let error = try store.refusal(LibraryV1.models)
    #expect("\(error)".contains("Book.pages"), "\(error)")
    #expect("\(error)".contains("make it optional, or give it a default value"), "\(error)")
    #expect(try await store.problems(LibraryV2.models) == [])
  }

  @Test func `added columns are appended as by the frameworks`() async throws {
    let store = try MigratedStore()
    try store.with([Garden1.Plant.self]) { context in
      context.insert(Garden1.Plant(name: "Rose"))
      try context.save()
    }
    try store.open([Garden2.Plant.self])
    #expect(
      try store.lines("SELECT sql FROM sqlite_master WHERE name = 'ZPLANT'") == [
        "CREATE TABLE ZPLANT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZNAME VARCHAR , ZHEIGHT FLOAT)"
      ])
    #expect(try store.lines("SELECT ZNAME, ZHEIGHT FROM ZPLANT") == ["Rose|0.5"])
    #expect(try await store.problems([Garden2.Plant.self]) == [])
  }

  @Test func `changes of the model alone are saved`() async throws {
    // No table changes, but the model that the store tells does, and history with it.
    let store = try MigratedStore()
    try store.with([Garden2.Plant.self]) { context in
      context.insert(Garden2.Plant(name: "Rose"))
      try context.save()
    }
    for models: [any PersistentModel.Type] in [
      [Garden3.Plant.self], [Garden4.Plant.self], [Garden2.Plant.self],
    ] {
      try store.open(models)
      #expect(try await store.problems(models) == [])
      let bytes = try store.bytes()
      try store.open(models)
      #expect(try store.bytes() == bytes)
    }
    #expect(try store.lines("SELECT ZNAME, ZHEIGHT FROM ZPLANT") == ["Rose|0.5"])
    #expect(try store.lines("SELECT count(*) FROM ATRANSACTION") == ["4"])
  }

  @Test func `a reused name is a new attribute`() async throws {
    let store = try MigratedStore()
    try store.with([Rename1.Note.self]) { context in
      context.insert(Rename1.Note(text: "old"))
      try context.save()
    }
    try store.with([Rename2.Note.self]) { context in
      let note = try #require(try context.fetch(FetchDescriptor<Rename2.Note>()).first)
      #expect(note.body == "old")
      #expect(note.text == "new")
      note.text = "changed"
      try context.save()
    }
    #expect(try await store.problems([Rename2.Note.self]) == [])
    #expect(
      try await store.changes() == ["insert Note/1 ", "update Note/1 text"])
  }
}

enum Garden1 {
  @Model
  final class Plant {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum Garden2 {
  @Model
  final class Plant {
    var name: String
    var height = 0.5
    init(name: String) { self.name = name }
  }
}

enum Garden3 {
  @Model
  final class Plant {
    @Attribute(.unique, .preserveValueOnDeletion) var name: String
    var height = 0.5
    init(name: String) { self.name = name }
  }
}

enum Garden4 {
  @Model
  final class Plant {
    #Index<Plant>([\.height])
    @Attribute(hashModifier: "checked") var name: String
    var height = 0.5
    init(name: String) { self.name = name }
  }
}

enum Rename1 {
  @Model
  final class Note {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum Rename2 {
  @Model
  final class Note {
    @Attribute(originalName: "text") var body: String
    var text = "new"
    init(body: String) { self.body = body }
  }
}
