import Foundation
import SwiftData

enum Genre: String, Codable {
  case novel, essay, poem
}

enum Binding: Codable {
  case paperback, hardcover
}

struct Size: Codable {
  var width: Double
  var height: Double
}

/// The library as its first version had it.
enum LibraryV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model
  final class Book {
    var title: String
    var pageText: String
    var author: Author?

    init(title: String, pageText: String) {
      self.title = title
      self.pageText = pageText
    }
  }

  @Model
  final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }
}

/// The library as it is: each kind of attribute and relationship.
enum LibraryV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Author.self, Shelf.self] }

  @Model
  final class Book {
    #Index<Book>([\.title], [\.pages, \.title])

    @Attribute(.preserveValueOnDeletion) var title: String
    var pageText: String = ""
    @Attribute(.preserveValueOnDeletion) var pages: Int = 0
    var short: Int16 = 16
    var long: Int64 = 64
    var price: Decimal = 0
    var weight: Double = 0
    var rating: Float = 0
    var isLent: Bool = false
    var bought: Date = Date(timeIntervalSinceReferenceDate: 0)
    @Attribute(.preserveValueOnDeletion) var identifier: UUID = UUID()
    var link: URL?
    var notes: String?
    var tags: [String] = []
    var cover: Data?
    @Attribute(.externalStorage) var scan: Data?
    var genre: Genre = Genre.novel
    var binding: Binding = Binding.paperback
    var size: Size = Size(width: 0, height: 0)
    @Attribute(.ephemeral) var isOpen: Bool = false
    @Transient var page: Int = 1
    var author: Author?
    @Relationship(inverse: \Shelf.books) var shelves: [Shelf] = []

    init(title: String, pages: Int = 0) {
      self.title = title
      self.pages = pages
    }
  }

  @Model
  final class Author {
    @Attribute(.unique) var name: String
    var born: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Shelf {
    var room: String
    @Relationship(deleteRule: .nullify) var books: [Book] = []

    init(room: String) { self.room = room }
  }
}

enum LibraryPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: LibraryV1.self, toVersion: LibraryV2.self, willMigrate: nil,
        didMigrate: { context in
          for book in try context.fetch(FetchDescriptor<LibraryV2.Book>()) {
            book.pages = Int(book.pageText) ?? 0
          }
          try context.save()
        })
    ]
  }
}

typealias Book = LibraryV2.Book
typealias Author = LibraryV2.Author
typealias Shelf = LibraryV2.Shelf

/// Counts books on an executor of its own.
@ModelActor
actor Counter {
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Book>()) }

  func lend(_ title: String) throws -> Bool {
    let found = try modelContext.fetch(
      FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
    for book in found { book.isLent = true }
    try modelContext.save()
    return !found.isEmpty
  }
}
