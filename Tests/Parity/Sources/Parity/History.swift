import Foundation
import SwiftData

typealias Transactions = HistoryDescriptor<DefaultHistoryTransaction>

/// The name of a change's entity and kind, and the attributes that it names.
func described(_ change: HistoryChange) -> String {
  let entity = change.changedPersistentIdentifier.entityName
  switch change {
  case .insert: return "insert \(entity)"
  case .update(let update as DefaultHistoryUpdate<Book>):
    let known: [(PartialKeyPath<Book>, String)] = [
      (\.title, "title"), (\.pages, "pages"), (\.isLent, "isLent"), (\.author, "author"),
      (\.notes, "notes"),
    ]
    let names = known.filter { path, _ in update.updatedAttributes.contains { $0 == path } }
    return "update \(entity) \(names.map(\.1).joined(separator: ","))"
  case .update: return "update \(entity)"
  case .delete(let delete as DefaultHistoryDelete<Book>):
    let title = delete.tombstone[\.title] as? String ?? "-"
    let pages = (delete.tombstone[\.pages] as? Int).map { "\($0)" } ?? "-"
    return "delete \(entity) \(title) \(pages) \(delete.tombstone[\.notes] == nil)"
  case .delete: return "delete \(entity)"
  @unknown default: return "unknown \(entity)"
  }
}

/// Transactions, changes, tokens and their expiry.
func checkHistory(_ container: ModelContainer, in folder: URL) throws {
  let context = ModelContext(container)
  let all = try context.fetchHistory(Transactions())
  try say("history.authors", all.map(\.author))
  try say("history.counts", all.map(\.changes.count))
  try say("history.bundleIdentifiers", Set(all.map(\.bundleIdentifier.isEmpty)).count)
  try say("history.increasing", zip(all, all.dropFirst()).allSatisfy { $0.token < $1.token })
  try say("history.identifiers", Set(all.map(\.storeIdentifier)).count)
  guard let token = all.last?.token else { return }
  let coded = try JSONDecoder().decode(
    DefaultHistoryToken.self, from: JSONEncoder().encode(token))
  try say("history.decodedToken", coded == token)

  context.author = "history"
  let book = Book(title: "Short", pages: 1)
  context.insert(book)
  try context.save()
  book.pages = 2
  book.notes = "read"
  try context.save()
  context.delete(book)
  try context.save()
  let newer = try context.fetchHistory(Transactions(predicate: #Predicate { $0.token > token }))
  try say("history.newer", newer.flatMap { $0.changes.map(described) })
  let author = "history"
  try say(
    "history.byAuthor",
    try context.fetchHistory(Transactions(predicate: #Predicate { $0.author == author })).count)
  var newest = Transactions(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
  newest.fetchLimit = 1
  try say(
    "history.newest", try context.fetchHistory(newest).map { $0.token == newer.last?.token })
  try JSONEncoder().encode(token).write(to: folder.appendingPathComponent("token.json"))
  if let first = all.first?.token, let second = all.dropFirst().first?.token {
    try context.deleteHistory(Transactions(predicate: #Predicate { $0.token < second }))
    try say("history.left", try context.fetchHistory(Transactions()).count)
    try sayError("history.expired") {
      _ = try context.fetchHistory(Transactions(predicate: #Predicate { $0.token > first }))
    }
  }
}

/// A store of the first version, opened with a plan.
func checkMigrations(in folder: URL) throws {
  let url = folder.appendingPathComponent("old.store")
  do {
    let container = try ModelContainer(
      for: Schema(versionedSchema: LibraryV1.self),
      configurations: [ModelConfiguration("old", url: url)])
    let context = ModelContext(container)
    let author = LibraryV1.Author(name: "Ada")
    context.insert(author)
    author.books = [LibraryV1.Book(title: "Notes", pageText: "123")]
    try context.save()
  }
  let container = try ModelContainer(
    for: Schema(versionedSchema: LibraryV2.self), migrationPlan: LibraryPlan.self,
    configurations: [ModelConfiguration("old", url: url)])
  let context = ModelContext(container)
  let notes = try context.book("Notes")
  try say("migration.values", [notes?.title, notes?.pageText, "\(notes?.pages ?? -1)"])
  try say("migration.defaults", [notes?.genre.rawValue, "\(notes?.size.width ?? -1)"])
  try say("migration.link", notes?.author?.name)
  try say("migration.history", try context.fetchHistory(Transactions()).isEmpty)
}

/// What the store contains, whoever wrote it.
func checkContents(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  try say("contents.titles", try context.titles())
  try say(
    "contents.authors",
    try context.fetch(FetchDescriptor<Author>()).map { "\($0.name) \($0.born)" })
  let ada = try context.fetch(FetchDescriptor<Author>()).first
  try say("contents.books", (ada?.books.map(\.title) ?? []).sorted())
  try describe(try context.book("Everything"), "contents")
  let all = try context.fetchHistory(Transactions())
  try say("contents.historyAuthors", all.map(\.author))
  try say("contents.changes", all.map { $0.changes.map(described).sorted() })
}

/// What the history has after its oldest transactions were deleted by somebody else.
func checkPruned(_ container: ModelContainer, in folder: URL) throws {
  let context = ModelContext(container)
  let all = try context.fetchHistory(Transactions())
  try say("pruned.changes", all.map { $0.changes.map(described).sorted() })
  try say("pruned.titles", try context.titles())
  // The token is that of the system that wrote the store; another one does not read it.
  if let data = try? Data(contentsOf: folder.appendingPathComponent("token.json")) {
    let saved = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    try sayError("pruned.expired") {
      _ = try context.fetchHistory(Transactions(predicate: #Predicate { $0.token > saved }))
    }
  }
  // The store can be used as before.
  context.author = "afterwards"
  context.insert(Book(title: "Afterwards", pages: 9))
  try context.save()
  try say("pruned.afterwards", try context.fetchHistory(Transactions()).last?.author)
}
