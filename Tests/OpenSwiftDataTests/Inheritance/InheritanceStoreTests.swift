import OpenSwiftData
import TestSupport
import Testing

/// A hierarchy in the layout of the frameworks.
@Suite(.bounded) struct InheritanceStoreTests {
  @Test func `a hierarchy is one table`() throws {
    let store = try JourneyStore.filled()
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines(
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == [
          "1|Company|0|1", "2|Guide|0|0", "3|Journey|0|4", "4|BusinessJourney|3|0",
          "5|ConferenceJourney|4|0", "6|PersonalJourney|3|0", "7|Stop|0|6",
        ])
    #expect(
      try query.lines("SELECT name FROM pragma_table_info('ZJOURNEY')").sorted()
        == [
          "Z_ENT", "Z_OPT", "Z_PK", "ZCODE", "ZCOMPANY", "ZGUIDE", "ZISSPEAKER", "ZNAME", "ZNOTES",
          "ZNOTES1", "ZPERDIEM", "ZRATING", "ZREASON", "ZSTARTDATE", "ZTALKS",
        ].sorted())
    #expect(
      try query.lines(
        """
        SELECT Z_PK, Z_ENT, ZNAME, ZCODE, ZPERDIEM, ZISSPEAKER, ZNOTES, ZNOTES1, ZREASON
        FROM ZJOURNEY ORDER BY Z_PK
        """) == [
          "1|3|Walk||||||", "2|4|Sale|B-1|50.0||suit||", "3|5|Meetup|C-Meetup|60.0|1|||",
          "4|6|Visit|||||cake|family",
        ])
    // The class of what a relationship leads to stands beside its key.
    #expect(
      try query.lines("SELECT ZJOURNEY, Z3_JOURNEY FROM ZSTOP ORDER BY Z_PK") == [
        "2|4", "3|5", "3|5", "4|6", "4|6", "4|6",
      ])
    #expect(
      try query.lines(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZJOURNEY'"
      ).sorted()
        == [
          "ZJOURNEY_ZCOMPANY_INDEX", "ZJOURNEY_ZGUIDE_INDEX", "ZJOURNEY_Z_ENT_INDEX",
          "Z_BusinessJourney_SwiftDataIndexOnBinaryperDiemstartDate",
          "Z_BusinessJourney_UNIQUE_code_name", "Z_Journey_SwiftDataIndexOnBinarystartDate",
          "Z_Journey_UNIQUE_name",
        ].sorted())
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `programs that read history name inherited and own attributes`() async throws {
    let store = try JourneyStore.filled()
    let context = store.context(author: "editor")
    let meetup = try #require(try context.fetch(FetchDescriptor<ConferenceJourney>()).first)
    meetup.talks = []
    meetup.perDiem = 5
    meetup.startDate = .now
    meetup.company = Company(name: "Initech")
    meetup.guide = Guide(name: "Ada")
    try context.save()
    context.delete(meetup)
    try context.save()

    let verified = try await Tool.histctl.run(["verify", store.path])
    #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
    let log = try await Tool.histctl.run(
      ["log", store.path, "--author", "editor", "--json"])
    #expect(log.status == 0, "\(log.errors)")
    for name in ["ConferenceJourney", "talks", "perDiem", "startDate", "company", "guide"] {
      #expect(log.text.contains("\"\(name)\""), "\(name) in \(log.text)")
    }
    for value in ["\"code\":\"C-Meetup\"", "\"name\":\"Meetup\""] {
      #expect(log.text.replacing(": ", with: ":").contains(value), "\(value) in \(log.text)")
    }

    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    let decoded = try await python.run([oracle, store.path])
    #expect(decoded.status == 0, "\(decoded.errors)")
    let lines = decoded.lines.suffix(2)
    let update = try #require(lines.first)
    #expect(
      update.contains("[\"company\", \"guide\", \"perDiem\", \"startDate\", \"talks\"]"),
      "\(update)")
    let delete = try #require(lines.last)
    #expect(
      delete.contains("{\"name\": \"Meetup\", \"code\": \"C-Meetup\", \"isSpeaker\": 1}"),
      "\(delete)")
  }

  @Test(.enabled(if: RealStores.path("coredataplus-model2-v2.sqlite") != nil))
  func `tables are those of the frameworks`() throws {
    let folder = try TemporaryFolder()
    let real = try folder.copy(
      store: #require(RealStores.path("coredataplus-model2-v2.sqlite")))
    let path = folder.file("Books.store")
    _ = try ModelContainer(
      for: Library.GraphicNovel.self, Library.Author.self, Library.Feedback.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    for sql in [
      "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') ORDER BY rowid",
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000",
    ] {
      let theirs = try StoreQuery(path: real).lines(sql).filter { !$0.contains("TRANSACTION") }
      let ours = try StoreQuery(path: path).lines(sql).filter { !$0.contains("TRANSACTION") }
      #expect(ours.count > 4)
      #expect(Set(ours) == Set(theirs))
    }
  }
}

/// The models of a real app that keeps books, as far as tables depend on them.
enum Library {
  @Model
  class Book {
    @Attribute(.unique) var uniqueID: UUID
    var title: String
    var price: Decimal
    var publishedAt: Date
    var frontCover: Data
    var pagesCount: Int?
    var author: Author?
    @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page] = []
    init(title: String) {
      uniqueID = UUID()
      self.title = title
      price = 1
      publishedAt = .now
      frontCover = Data()
    }
  }

  @Model
  final class GraphicNovel: Book {
    var isBlackAndWhite: Bool = false
    override init(title: String) { super.init(title: title) }
  }

  @Model
  final class Page {
    var number: Int32 = 0
    var isBookmarked: Bool = false
    var content: Data = Data()
    var book: Book?
    init() {}
  }

  @Model
  class Writer {
    var age: Int16 = 0
    init() {}
  }

  @Model
  final class Author: Writer {
    @Attribute(.unique) var alias: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(alias: String) {
      self.alias = alias
      super.init()
    }
  }

  @Model
  final class Feedback {
    var authorAlias: String = ""
    var bookID: UUID = UUID()
    var comment: String?
    var rating: Double = 0
    init() {}
  }
}
