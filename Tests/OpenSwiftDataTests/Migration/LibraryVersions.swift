import OpenSwiftData

/// The models of an app of books, at first.
enum LibraryV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Author.self, Loan.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Author {
    @Attribute(.unique, .preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
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
    init(title: String, shelf: String = "A1", pages: Int = 100, author: Author? = nil) {
      self.title = title
      self.shelf = shelf
      self.pages = pages
      self.author = author
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

/// The same app's models later: a model is new and one is gone, properties are added, removed, renamed,
/// made optional and not optional any more, unique, indexed and preserved.
enum LibraryV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Author.self, Account.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  struct Size: Codable, Hashable {
    var width: Double
    var height: Double
  }

  /// Sorts before all others, so that every entity gets another number.
  @Model
  final class Account {
    var reader: String
    init(reader: String) { self.reader = reader }
  }

  @Model
  final class Author {
    var name: String
    var born: Int = 1900
    @Relationship(deleteRule: .cascade, originalName: "books", inverse: \Book.writer)
    var works: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    #Index<Book>([\.name])
    @Attribute(.unique, .preserveValueOnDeletion, originalName: "title") var name: String
    var shelf: String
    var note: String = "none"
    @Attribute(.preserveValueOnDeletion) var bought: Date?
    var rating: Double?
    @Attribute(.preserveValueOnDeletion) var isNew: Bool = true
    var size: Size = Size(width: 12, height: 20)
    @Relationship(originalName: "author") var writer: Author?
    @Relationship(inverse: \Topic.books) var topics: [Topic] = []
    init(name: String) {
      self.name = name
      shelf = ""
    }
  }

  @Model
  final class Topic {
    var label: String
    var books: [Book] = []
    init(label: String) { self.label = label }
  }
}

/// Once more later: what could not be told from the models is worked out by the app.
enum LibraryV3: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Author.self, Account.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  final class Account {
    @Attribute(.unique) var reader: String
    init(reader: String) { self.reader = reader }
  }

  @Model
  final class Author {
    @Attribute(.unique) var name: String
    var born: Int = 1900
    var century: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Book.writer) var works: [Book] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Book {
    @Attribute(.unique) var name: String
    var writer: Author?
    init(name: String) { self.name = name }
  }
}
