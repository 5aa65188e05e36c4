import OpenSwiftData
import TestSupport
import Testing

/// A model whose properties have initial values, which its initializer may replace.
@Model
final class Article {
  var title: String = "untitled"
  var note: String? = "nobody has read it"
  var count = 3
  var ratio = 0.5
  var isOpen = true
  var due: Date? = Date(timeIntervalSinceReferenceDate: 7.5)
  var mood: Mood = Mood.good
  var key = UUID()
  var place: Place?
  var remarks: [Remark] = []

  init() {}

  init(title: String, note: String?, count: Int, due: Date?) {
    self.title = title
    self.note = note
    self.count = count
    self.count = 3
    self.due = due
    isOpen = false
    isOpen = true
  }
}

@Model
final class Remark {
  var text = ""
  var tone: String? = "friendly"
  var article: Article?

  init(on article: Article? = nil, tone: String? = "friendly") {
    self.tone = tone
    self.article = article
  }
}

@Suite(.bounded) struct InitialValueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("A.store") }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Article.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  private func rows() throws -> [String] {
    try StoreQuery(path: path).lines(
      "SELECT ZTITLE, ZNOTE, ZCOUNT, ZRATIO, ZISOPEN, ZDUE, ZMOOD, length(ZKEY) FROM ZARTICLE ORDER BY Z_PK"
    )
  }

  @Test func `a new object has the default values`() throws {
    let article = Article()
    #expect(article.title == "untitled" && article.note == "nobody has read it")
    #expect(article.count == 3 && article.ratio == 0.5 && article.isOpen)
    #expect(article.due == Date(timeIntervalSinceReferenceDate: 7.5) && article.mood == .good)
    #expect(article.place == nil && article.remarks.isEmpty)
    #expect(Article().key != article.key)
    let context = try open()
    context.insert(article)
    context.insert(Remark(on: article))
    try context.save()
    #expect(try rows() == ["untitled|nobody has read it|3|0.5|1|7.5|good|16"])
    #expect(article.remarks.count == 1)
  }

  @Test func `an initializer replaces default values`() throws {
    let context = try open()
    context.insert(Article(title: "", note: nil, count: 8, due: nil))
    context.insert(
      Article(
        title: "untitled", note: "nobody has read it", count: 3,
        due: Date(timeIntervalSinceReferenceDate: 8.5)))
    context.insert(Remark(tone: nil))
    context.insert(Remark())
    try context.save()
    #expect(
      try rows() == [
        "||3|0.5|1||good|16", "untitled|nobody has read it|3|0.5|1|8.5|good|16",
      ])
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT ZTEXT, ZTONE, ZARTICLE FROM ZREMARK ORDER BY ZTONE IS NOT NULL")
        == ["||", "|friendly|"])
  }

  @Test func `stored values replace default values`() throws {
    let context = try open()
    let article = Article()
    context.insert(article)
    article.title = "Rome"
    article.note = nil
    article.isOpen = false
    try context.save()
    let key = article.key
    let fetched = try #require(try open().fetch(FetchDescriptor<Article>()).first)
    #expect(fetched.title == "Rome" && fetched.note == nil && !fetched.isOpen)
    #expect(fetched.count == 3 && fetched.key == key && fetched.remarks.isEmpty)
    #expect(!fetched.hasChanges)
  }
}
