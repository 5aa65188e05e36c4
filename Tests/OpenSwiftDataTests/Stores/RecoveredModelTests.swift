import OpenSwiftData
import TestSupport
import Testing

@Model
final class Bookcase {
  var room: String
  @Relationship(inverse: \Novel.bookcase) var novels: [Novel] = []

  init(room: String) { self.room = room }
}

@Model
final class Novel {
  var title: String
  var pageCount: Int
  var bookcase: Bookcase?

  init(title: String, pageCount: Int, bookcase: Bookcase?) {
    self.title = title
    self.pageCount = pageCount
    self.bookcase = bookcase
  }
}

/// Models that were deleted, in a copy that `histctl recover` made.
@Suite(.bounded) struct RecoveredModelTests {
  private static func open(_ path: String) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Bookcase.self, Novel.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  @Test
  func `a deleted model is back in the copy with its relationship, and the store is unchanged`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (store, copy) = (folder.file("books.store"), folder.file("copy.store"))
    let context = try Self.open(store)
    let bookcase = Bookcase(room: "hall")
    let novel = Novel(title: "Middlemarch", pageCount: 880, bookcase: bookcase)
    context.insert(bookcase)
    context.insert(novel)
    context.insert(Novel(title: "Emma", pageCount: 474, bookcase: bookcase))
    try context.save()
    context.delete(novel)
    try context.save()
    let key = try #require(
      try StoreQuery(path: store).lines(
        "SELECT ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE = 2"
      ).first)
    // In a process of its own: closing a file of the store would drop the locks of the container.
    let digests = try #require(Tool("sha256sum"))
    let before = try await digests.run([store, store + "-wal"]).text

    let result = try await Tool.histctl.run(["recover", store, "Novel/p\(key)", "-o", copy])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try await digests.run([store, store + "-wal"]).text == before)
    let recovered = try Self.open(copy)
    let found = try #require(
      try recovered.fetch(FetchDescriptor<Novel>(predicate: #Predicate { $0.pageCount == 880 }))
        .first)
    #expect(found.title == "Middlemarch" && found.bookcase?.room == "hall")
    #expect(found.bookcase?.novels.count == 2)
    let history = try recovered.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.last?.author == "histctl" && history.last?.changes.isEmpty == false)
  }
}
