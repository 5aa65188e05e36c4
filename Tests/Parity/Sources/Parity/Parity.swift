import Foundation
import SwiftData

/// Uses SwiftData from end to end, and prints what it saw; `compare` compares it with the transcript.
///
///     Parity write FOLDER      writes library.store, old.store and token.json, and says what it saw
///     Parity read FOLDER       says what library.store contains, whoever wrote it
///     Parity pruned FOLDER     says what its history has after the oldest transactions were deleted
///     Parity patterns          lists the patterns
///     Parity NAME FOLDER       does what the pattern of that name does, and says what it saw
///     Parity join STORE        opens and saves to a store, beside others that do the same
@main
enum Parity {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.elementsEqual(["patterns"]) {
      return Pattern.allCases.forEach { print($0.rawValue) }
    }
    guard arguments.count == 2, let action = arguments.first, let path = arguments.last else {
      FileHandle.standardError.write(Data("usage: Parity write|read|pruned|NAME FOLDER\n".utf8))
      exit(64)
    }
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    switch action {
    case "write":
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let container = try library(in: folder)
      try checkContainers(container)
      try checkValues(container)
      try checkRelations(container)
      try checkQueries(container)
      try checkChanges(container)
      try await checkActors(container)
      try checkHistory(container, in: folder)
      try checkMigrations(in: folder)
    case "read":
      try checkContents(library(in: folder))
    case "join":
      try Pattern.join(URL(fileURLWithPath: path))
    case "pruned":
      try checkPruned(library(in: folder), in: folder)
    default:
      guard let pattern = Pattern(rawValue: action) else { exit(64) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try pattern.run(in: folder)
    }
  }

  static func library(in folder: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: LibraryV2.self),
      configurations: [
        ModelConfiguration("library", url: folder.appendingPathComponent("library.store"))
      ])
  }
}

extension ModelContext {
  func titles(
    _ predicate: Predicate<Book>? = nil, sortBy: [SortDescriptor<Book>] = [SortDescriptor(\.title)]
  ) throws -> [String] {
    try fetch(FetchDescriptor<Book>(predicate: predicate, sortBy: sortBy)).map(\.title)
  }

  func book(_ title: String) throws -> Book? {
    try fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title })).first
  }
}

/// What a container and a new context say of themselves.
func checkContainers(_ container: ModelContainer) throws {
  try say("container.entities", container.schema.entities.map(\.name).sorted())
  try say("container.configurations", container.configurations.map(\.name))
  try say("container.version", "\(container.schema.version)")
  let book = container.schema.entitiesByName["Book"]
  try say("container.attributes", (book?.attributes.map(\.name) ?? []).sorted())
  try say("container.relationships", (book?.relationships.map(\.name) ?? []).sorted())
  try say("container.indices", book?.indices ?? [])
  try say(
    "container.constraints",
    container.schema.entitiesByName["Author"]?.uniquenessConstraints ?? [])
  let context = ModelContext(container)
  try say("container.autosaveEnabled", context.autosaveEnabled)
  try say("container.author", context.author)
  try say("container.hasChanges", context.hasChanges)
}

/// Every kind of attribute.
func checkValues(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  context.author = "values"
  let book = Book(title: "Everything", pages: 321)
  context.insert(book)
  try say("values.isTemporary", book.persistentModelID.storeIdentifier == nil)
  book.short = -7
  book.long = 1 << 40
  book.price = Decimal(string: "12.34") ?? 0
  book.weight = 0.5
  book.rating = 4.25
  book.isLent = true
  book.bought = Date(timeIntervalSinceReferenceDate: 700_000_000)
  book.identifier = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()
  book.link = URL(string: "https://example.org/a?b=c")
  book.notes = "zwölf\nZeilen"
  book.tags = ["red", "blue"]
  book.cover = Data([0, 1, 255])
  book.scan = Data(repeating: 7, count: 300_000)
  book.genre = .poem
  book.binding = .hardcover
  book.size = Size(width: 1.5, height: 2.5)
  book.isOpen = true
  book.page = 17
  try say("values.hasChanges", [context.hasChanges, book.hasChanges])
  try context.save()
  try say("values.saved", [context.hasChanges, book.persistentModelID.storeIdentifier == nil])
  try describe(try ModelContext(container).book("Everything"), "values")
}

func describe(_ book: Book?, _ section: String) throws {
  guard let book else { return try say("\(section).found", false) }
  try say("\(section).integers", [Int64(book.pages), Int64(book.short), book.long])
  try say("\(section).decimal", "\(book.price)")
  try say("\(section).floats", ["\(book.weight)", "\(book.rating)"])
  try say("\(section).bool", book.isLent)
  try say("\(section).date", "\(book.bought.timeIntervalSinceReferenceDate)")
  try say("\(section).uuid", book.identifier.uuidString)
  try say("\(section).url", book.link?.absoluteString)
  try say("\(section).optional", book.notes)
  try say("\(section).array", book.tags)
  try say("\(section).data", book.cover.map { Array($0) })
  try say("\(section).external", [book.scan?.count, book.scan?.last.map { Int($0) }])
  try say("\(section).rawEnum", book.genre.rawValue)
  try say("\(section).plainEnum", "\(book.binding)")
  try say("\(section).structure", ["\(book.size.width)", "\(book.size.height)"])
  try say("\(section).ephemeral", book.isOpen)
  try say("\(section).transient", book.page)
}

/// Inverses, delete rules and unique values.
func checkRelations(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  context.author = "relations"
  let ada = Author(name: "Ada")
  context.insert(ada)
  ada.books = [Book(title: "Notes", pages: 20), Book(title: "Letters", pages: 80)]
  let shelf = Shelf(room: "Study")
  context.insert(shelf)
  shelf.books = ada.books
  try say("relations.inserted", context.insertedModelsArray.count)
  try context.save()

  let other = ModelContext(container)
  let notes = try other.book("Notes")
  try say("relations.inverse", [notes?.author?.name, notes?.shelves.first?.room])
  let study = try other.fetch(FetchDescriptor<Shelf>()).first
  try say("relations.toMany", (study?.books.map(\.title) ?? []).sorted())
  notes?.author = nil
  try say("relations.cleared", (try author("Ada", other)?.books.map(\.title) ?? []).sorted())
  other.rollback()
  try say("relations.rollback", (try author("Ada", other)?.books.map(\.title) ?? []).sorted())

  // A unique value that exists updates its model.
  let again = Author(name: "Ada")
  again.born = 1815
  other.insert(again)
  try other.save()
  let reader = ModelContext(container)
  let found = try reader.fetch(FetchDescriptor<Author>())
  try say("relations.upsert", found.map { "\($0.name) \($0.born)" })
  try say("relations.upsertLinks", (found.first?.books.map(\.title) ?? []).sorted())

  // Deleting a shelf keeps its books; deleting an author deletes them.
  for shelf in try reader.fetch(FetchDescriptor<Shelf>()) { reader.delete(shelf) }
  try reader.save()
  try say("relations.nullify", try ModelContext(container).fetchCount(FetchDescriptor<Book>()))
  let bob = Author(name: "Bob")
  reader.insert(bob)
  bob.books = [Book(title: "Gone", pages: 5)]
  try reader.save()
  reader.delete(bob)
  try reader.save()
  try say("relations.cascade", try ModelContext(container).book("Gone") == nil)
  try say("relations.deleted", [bob.isDeleted, bob.modelContext == nil])
}

private func author(_ name: String, _ context: ModelContext) throws -> Author? {
  try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).first
}

/// Predicates, orders, limits and batches.
func checkQueries(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  context.author = "queries"
  for (title, pages) in [("apple 10", 10), ("Apple 2", 2), ("äpfel", 3), ("Zebra", 400)] {
    let book = Book(title: title, pages: pages)
    if pages > 5 { book.notes = "long" }
    context.insert(book)
  }
  try say("queries.unsavedOrder", try context.titles())
  try context.save()
  let limit = 50
  try say("queries.order", try context.titles())
  try say(
    "queries.lexical", try context.titles(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
  )
  try say(
    "queries.reverse", try context.titles(sortBy: [SortDescriptor(\.pages, order: .reverse)]))
  try say(
    "queries.nilFirst",
    try context.titles(sortBy: [SortDescriptor(\.notes), SortDescriptor(\.pages)]))
  try say("queries.greater", try context.titles(#Predicate { $0.pages > limit }))
  try say("queries.contains", try context.titles(#Predicate { $0.title.contains("pp") }))
  try say(
    "queries.localized",
    try context.titles(#Predicate { $0.title.localizedStandardContains("APFEL") }))
  try say("queries.starts", try context.titles(#Predicate { $0.title.starts(with: "A") }))
  try say("queries.isNil", try context.titles(#Predicate { $0.notes == nil }))
  try say("queries.notEqual", try context.titles(#Predicate { $0.notes != "long" }))
  try say("queries.optional", try context.titles(#Predicate { $0.author?.name == "Ada" }))
  try say("queries.toMany", try context.titles(#Predicate { $0.shelves.isEmpty && $0.pages < 5 }))
  try say(
    "queries.authors",
    try context.fetch(
      FetchDescriptor<Author>(
        predicate: #Predicate { $0.books.contains { $0.pages > 50 } })
    ).map(\.name))
  var page = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
  page.fetchOffset = 1
  page.fetchLimit = 2
  try say("queries.page", try context.fetch(page).map(\.title))
  try say("queries.count", try context.fetchCount(FetchDescriptor<Book>()))
  try say("queries.identifiers", try context.fetchIdentifiers(FetchDescriptor<Book>()).count)
  var batched = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
  try sayError("queries.pendingBatches") {
    _ = try context.fetch(batched, batchSize: 2)
  }
  batched.includePendingChanges = false
  try say("queries.batches", try context.fetch(batched, batchSize: 2).map(\.pages))
  var sum = 0
  try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { sum += $0.pages }
  try say("queries.enumerate", sum)
}

/// Unsaved changes, and what others see of them.
func checkChanges(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  context.author = "changes"
  let zebra = try context.book("Zebra")
  zebra?.pages = 401
  context.insert(Book(title: "New", pages: 1))
  try say(
    "changes.arrays",
    [
      context.insertedModelsArray.count, context.changedModelsArray.count,
      context.deletedModelsArray.count,
    ])
  try say("changes.pending", try context.fetchCount(FetchDescriptor<Book>()))
  var stored = FetchDescriptor<Book>()
  stored.includePendingChanges = false
  try say("changes.stored", try context.fetchCount(stored))
  try say("changes.elsewhere", try ModelContext(container).book("Zebra")?.pages)
  context.rollback()
  try say("changes.rolledBack", [zebra?.pages ?? 0, context.hasChanges ? 1 : 0])
  try context.transaction {
    context.insert(Book(title: "Inside", pages: 6))
  }
  try say("changes.transaction", try ModelContext(container).book("Inside") != nil)
  try context.delete(model: Book.self, where: #Predicate { $0.title == "Inside" })
  try context.save()
  try say("changes.batchDelete", try ModelContext(container).book("Inside") == nil)
  let identifier = zebra?.persistentModelID
  let registered: Book? = identifier.flatMap { ModelContext(container).registeredModel(for: $0) }
  try say("changes.unregistered", registered == nil)
  let coded = try identifier.map {
    try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode($0))
  }
  try say("changes.decodedIdentifier", [coded?.entityName, "\(coded == identifier)"])
}

func checkActors(_ container: ModelContainer) async throws {
  let counter = Counter(modelContainer: container)
  try say("actors.count", try await counter.count())
  try say("actors.lend", try await counter.lend("Zebra"))
  try say("actors.lent", try ModelContext(container).book("Zebra")?.isLent)
}
