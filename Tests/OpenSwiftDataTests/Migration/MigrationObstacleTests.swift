import OpenSwiftData
import TestSupport
import Testing

/// What the models do not tell is an error that says what to do, and the store stays as it was.
@Suite(.bounded) struct MigrationObstacleTests {
  private struct Case: CustomTestStringConvertible {
    let testDescription: String
    let models: [any PersistentModel.Type]
    let message: String
    let remedy: String
  }

  private static let cases = [
    Case(
      testDescription: "another type", models: [Typed.Item.self],
      message: "Item.count was Int64 and is String", remedy: "give the new one another name"),
    Case(
      testDescription: "another type of a composite", models: [Composed.Item.self],
      message: "Item.place was composite", remedy: "copy the values in a custom migration stage"),
    Case(
      testDescription: "a relationship instead of an attribute", models: [Related.Item.self],
      message: "Item.count was an attribute or a relationship, and is the other one",
      remedy: "custom migration stage"),
    Case(
      testDescription: "new without a default", models: [Demanding.Item.self],
      message: "Item.size is new, must have a value, and has no default",
      remedy: "make it optional, or give it a default value"),
    Case(
      testDescription: "a new relationship that must lead somewhere", models: [Bound.Item.self],
      message: "Item.owner is new, must have a value, and has no default",
      remedy: "make it optional"),
    Case(
      testDescription: "values missing", models: [Strict.Item.self],
      message: "Item.note must have a value now, and some objects have none",
      remedy: "set the values in willMigrate"),
    Case(
      testDescription: "values shared", models: [Single.Item.self],
      message: "Item.name, count must be unique now, and some objects have the same values",
      remedy: "make the values unique in willMigrate"),
    Case(
      testDescription: "a default that all share", models: [Numbered.Item.self],
      message: "Item.number must be unique now", remedy: "leave it out"),
    Case(
      testDescription: "another destination", models: [Elsewhere.Item.self],
      message: "Item.parent led to Item and leads to Place", remedy: "another name"),
    Case(
      testDescription: "another app", models: [Garden1.Plant.self],
      message: "it is another app's store", remedy: "choose another file"),
  ]

  @Test(arguments: cases.indices) func `ambiguous changes are refused`(_ index: Int) throws {
    let item = Self.cases[index]
    let store = try MigratedStore()
    try store.with([Plain.Item.self]) { context in
      for _ in 0..<2 {
        let first = Plain.Item(name: "a")
        first.parent = Plain.Item(name: "b")
        context.insert(first)
      }
      try context.save()
    }
    let error = try store.refusal(item.models)
    #expect(error as? SwiftDataError == .loadIssueModelContainer)
    let text = "\(error)"
    #expect(text.contains(item.message), "\(text)")
    #expect(text.contains(item.remedy), "\(text)")
    #expect(text.contains(store.path), "\(text)")
    // The app that the store is of goes on.
    let count = try store.with([Plain.Item.self]) { context in
      try context.fetchCount(FetchDescriptor<Plain.Item>())
    }
    #expect(count == 4)
  }

  @Test func `a read-only container does not migrate`() throws {
    let store = try LightweightMigrationTests.library()
    let error = try store.refusal(LibraryV2.models, allowsSave: false)
    #expect(error as? SwiftDataError == .loadIssueModelContainer)
    #expect("\(error)".contains("open it once with allowsSave"), "\(error)")
    // Delete rules matter to nobody who only reads.
    let models: [any PersistentModel.Type] = [LooseRules.Author.self, LooseRules.Loan.self]
    let count = try store.with(models, allowsSave: false) { context in
      try context.fetchCount(FetchDescriptor<LooseRules.Author>())
    }
    #expect(count == 1)
  }

  @Test func `triggers and views that a migration would break are refused`() throws {
    let store = try MigratedStore()
    try store.open([Garden1.Plant.self])
    try StoreQuery(path: store.path).run(
      "CREATE TRIGGER watcher AFTER INSERT ON ZPLANT BEGIN SELECT 1; END")
    let error = try store.refusal([Garden2.Plant.self])
    #expect("\(error)".contains("ZPLANT") && "\(error)".contains("watcher"), "\(error)")
    try StoreQuery(path: store.path).run(
      "DROP TRIGGER watcher; CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    let mirrored = try store.refusal([Garden2.Plant.self])
    #expect("\(mirrored)".contains("ANSCKMETADATAENTRY"), "\(mirrored)")
  }

  @Test func `a store with a damaged model is not migrated`() throws {
    let store = try MigratedStore()
    try store.open([Garden1.Plant.self])
    try StoreQuery(path: store.path).run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
    #expect(try store.refusal([Garden2.Plant.self]) as? SwiftDataError == .loadIssueModelContainer)
  }
}

struct Point: Codable, Hashable {
  var x: Double
  var y: Double
}

struct Point3: Codable, Hashable {
  var x: Double
  var y: Double
  var z: Double
}

enum Plain {
  @Model
  final class Item {
    var name: String
    var count: Int = 1
    var note: String?
    var place: Point = Point(x: 1, y: 2)
    var parent: Item?
    init(name: String) { self.name = name }
  }
}

enum Typed {
  @Model
  final class Item {
    var name: String
    var count: String = "1"
    init(name: String) { self.name = name }
  }
}

enum Composed {
  @Model
  final class Item {
    var name: String
    var place: Point3 = Point3(x: 1, y: 2, z: 3)
    init(name: String) { self.name = name }
  }
}

enum Related {
  @Model
  final class Item {
    var name: String
    var count: Item?
    init(name: String) { self.name = name }
  }
}

enum Demanding {
  @Model
  final class Item {
    var name: String
    var size: Int
    init(name: String) {
      self.name = name
      size = 0
    }
  }
}

enum Bound {
  @Model
  final class Item {
    var name: String
    var owner: Owner
    init(name: String, owner: Owner) {
      self.name = name
      self.owner = owner
    }
  }

  @Model
  final class Owner {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum Strict {
  @Model
  final class Item {
    var name: String
    var note: String
    init(name: String) {
      self.name = name
      note = ""
    }
  }
}

enum Single {
  @Model
  final class Item {
    #Unique<Item>([\.name, \.count])
    var name: String
    var count: Int = 1
    init(name: String) { self.name = name }
  }
}

enum Numbered {
  @Model
  final class Item {
    var name: String
    @Attribute(.unique) var number: Int = 7
    init(name: String) { self.name = name }
  }
}

enum Elsewhere {
  @Model
  final class Item {
    var name: String
    var parent: Place?
    init(name: String) { self.name = name }
  }

  @Model
  final class Place {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// The first library with another delete rule.
enum LooseRules {
  @Model
  final class Author {
    @Attribute(.unique, .preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .nullify, inverse: \Book.author) var books: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    #Index<Book>([\.title], [\.shelf, \.title])
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute(.preserveValueOnDeletion) var shelf: String
    var pages: Int
    var note: String?
    var bought: Date = Date(timeIntervalSinceReferenceDate: 0)
    var author: Author?
    @Relationship(inverse: \Topic.books) var topics: [Topic] = []
    init(title: String) {
      self.title = title
      shelf = ""
      pages = 0
    }
  }

  @Model
  final class Topic {
    var label: String
    var books: [Book] = []
    init(label: String) { self.label = label }
  }

  @Model
  final class Loan {
    @Attribute(.preserveValueOnDeletion) var reader: String
    init(reader: String) { self.reader = reader }
  }
}
