import OpenSwiftData
import TestSupport
import Testing

/// Models with unique values, and every kind of relationship to and from them.
private enum Pile {
  static let models: [any PersistentModel.Type] = [
    Sheet.self, Mark.self, Stamp.self, Clerk.self, Tie.self,
  ]

  @Model
  final class Sheet {
    var number: Int
    var marks: [Mark] = []
    var drawer: Mark?
    init(_ number: Int) { self.number = number }
  }

  @Model
  final class Mark {
    @Attribute(.unique) var text: String
    var color: Int = 0
    @Relationship(inverse: \Sheet.marks) var sheets: [Sheet] = []
    @Relationship(inverse: \Sheet.drawer) var content: [Sheet] = []
    var stamps: [Stamp] = []
    var clerk: Clerk?
    init(_ text: String) { self.text = text }
  }

  /// No relationship leads back from it.
  @Model
  final class Stamp {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Model
  final class Clerk {
    var name: String
    @Relationship(inverse: \Mark.clerk) var marks: [Mark] = []
    init(_ name: String) { self.name = name }
  }

  /// Unique, and related to its like.
  @Model
  final class Tie {
    @Attribute(.unique) var key: String
    var round = 0
    var next: Tie?
    @Relationship(inverse: \Tie.fans) var friends: [Tie] = []
    var fans: [Tie] = []
    init(_ key: String) { self.key = key }
  }
}

/// Several new models with one unique value become one, which is related to everything that any of
/// them was.
@Suite(.bounded) struct MergedModelTests {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private var path: String { folder.file("Pile.store") }

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Schema(Pile.models),
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Pile.store"))))
  }

  private func lines(_ sql: String) throws -> [String] { try StoreQuery(path: path).lines(sql) }

  private static let joined = """
    SELECT m.ZTEXT, s.ZNUMBER FROM Z_2SHEETS j JOIN ZMARK m ON m.Z_PK = j.Z_2MARKS
    JOIN ZSHEET s ON s.Z_PK = j.Z_3SHEETS ORDER BY 1, 2
    """

  /// What a context sees of the one mark.
  private func seen(by context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Pile.Mark>(sortBy: [SortDescriptor(\.text)])).map { mark in
      let sheets = mark.sheets.map(\.number).sorted()
      let content = mark.content.map(\.number).sorted()
      let stamps = mark.stamps.map(\.number).sorted()
      return "\(mark.text) \(sheets) \(content) \(stamps) \(mark.clerk?.name ?? "-")"
    }
  }

  private func kinds() throws -> [String] {
    try lines(
      "SELECT ZTRANSACTIONID, Z_NAME, ZCHANGETYPE, count(*) FROM ACHANGE JOIN Z_PRIMARYKEY p "
        + "ON p.Z_ENT = ZENTITY GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
  }

  @Test func `merged models keep all many-to-many relationships`() throws {
    let context = ModelContext(container)
    for number in 0..<4 {
      let sheet = Pile.Sheet(number)
      context.insert(sheet)
      sheet.marks = [Pile.Mark("all")]
    }
    try context.save()
    let expected = ["all [0, 1, 2, 3] [] [] -"]
    #expect(try seen(by: context) == expected)
    #expect(try seen(by: ModelContext(container)) == expected)
    #expect(try lines(Self.joined) == ["all|0", "all|1", "all|2", "all|3"])
    #expect(try kinds() == ["1|Mark|0|1", "1|Sheet|0|4"])
    // Another one joins them later, in this context and in one that knows nothing of the mark.
    for (number, context) in [(4, context), (5, ModelContext(container))] {
      let sheet = Pile.Sheet(number)
      context.insert(sheet)
      sheet.marks = [Pile.Mark("all")]
      try context.save()
    }
    let more = ["all [0, 1, 2, 3, 4, 5] [] [] -"]
    #expect(try seen(by: context) == more)
    #expect(try seen(by: ModelContext(container)) == more)
    #expect(try kinds().suffix(2) == ["3|Mark|1|1", "3|Sheet|0|1"])
  }

  @Test func `equal related models of merged models are one`() throws {
    let context = ModelContext(container)
    let sheet = Pile.Sheet(1)
    context.insert(sheet)
    sheet.marks = [Pile.Mark("all"), Pile.Mark("all"), Pile.Mark("other")]
    try context.save()
    #expect(sheet.marks.map(\.text).sorted() == ["all", "other"])
    #expect(try lines(Self.joined) == ["all|1", "other|1"])
  }

  @Test
  func `merged models keep to-many relationships`() throws {
    let context = ModelContext(container)
    for number in 0..<3 {
      let mark = Pile.Mark("all")
      context.insert(mark)
      mark.content = [Pile.Sheet(number)]
      mark.stamps = [Pile.Stamp(number)]
    }
    try context.save()
    let expected = ["all [] [0, 1, 2] [0, 1, 2] -"]
    #expect(try seen(by: context) == expected)
    #expect(try seen(by: ModelContext(container)) == expected)
    let later = ModelContext(container)
    let mark = Pile.Mark("all")
    later.insert(mark)
    mark.stamps = [Pile.Stamp(3)]
    mark.content = [Pile.Sheet(3)]
    try later.save()
    let more = ["all [] [0, 1, 2, 3] [0, 1, 2, 3] -"]
    #expect(try seen(by: later) == more)
    #expect(try seen(by: context) == more)
    #expect(try lines("SELECT ZDRAWER FROM ZSHEET") == ["1", "1", "1", "1"])
  }

  @Test
  func `a merged model has the last set to-one relationship`() throws {
    let context = ModelContext(container)
    let clerks = ["Ann", "Bob"].map(Pile.Clerk.init)
    for clerk in [clerks[0], nil, clerks[1], nil] {
      let mark = Pile.Mark("all")
      context.insert(mark)
      mark.clerk = clerk
    }
    try context.save()
    #expect(try seen(by: context) == ["all [] [] [] Bob"])
    #expect(clerks.map { $0.marks.map(\.text) } == [[], ["all"]])
    let later = ModelContext(container)
    later.insert(Pile.Mark("all"))
    try later.save()
    #expect(try seen(by: later) == ["all [] [] [] Bob"])
    #expect(try lines("SELECT c.ZNAME FROM ZMARK m JOIN ZCLERK c ON c.Z_PK = m.ZCLERK") == ["Bob"])
  }

  @Test
  func `many merged models keep the relationships between them`()
    throws
  {
    let context = ModelContext(container)
    let sheets = (0..<50).map(Pile.Sheet.init)
    for sheet in sheets {
      context.insert(sheet)
      sheet.drawer = Pile.Mark("\(sheet.number)")
      sheet.marks = [Pile.Mark("\(sheet.number)")]
    }
    try context.save()
    #expect(try lines("SELECT count(*), count(DISTINCT ZTEXT) FROM ZMARK") == ["50|50"])
    #expect(try kinds() == ["1|Mark|0|50", "1|Sheet|0|50"])
    #expect(sheets.allSatisfy { $0.drawer?.text == "\($0.number)" && $0.marks == [$0.drawer] })
    #expect(
      try lines(
        "SELECT count(*) FROM ZSHEET s JOIN ZMARK m ON m.Z_PK = s.ZDRAWER "
          + "JOIN Z_2SHEETS j ON j.Z_2MARKS = m.Z_PK AND j.Z_3SHEETS = s.Z_PK "
          + "WHERE m.ZTEXT = s.ZNUMBER") == ["50"])
  }

  @Test
  func `fifty pairs that lead to each other become fifty models, new and stored`() async throws {
    for round in 0..<2 {
      let context = ModelContext(container)
      let pairs = (0..<50).map { number in
        (0..<2).map { _ in
          let tie = Pile.Tie("\(number)")
          tie.round = round
          context.insert(tie)
          return tie
        }
      }
      // The first of a pair leads to the second of the next one, and the second to the first.
      for (number, pair) in pairs.enumerated() {
        let next = pairs[(number + 1) % pairs.count]
        pair[0].next = next[1]
        pair[1].next = next[0]
        pair[0].friends = [next[0]]
        pair[1].friends = [pairs[(number + 2) % pairs.count][1]]
      }
      try context.save()
      for (number, pair) in pairs.enumerated() {
        #expect(pair[0] == pair[1] && pair[0].id == pair[1].id)
        #expect(pair[0].next?.key == "\((number + 1) % 50)")
        #expect(
          pair[1].friends.map(\.key).sorted()
            == [1, 2].map { "\((number + $0) % 50)" }.sorted())
      }
      #expect(
        try lines("SELECT count(*), count(DISTINCT ZKEY), sum(ZROUND) FROM ZTIE") == [
          "50|50|\(50 * round)"
        ])
      #expect(
        try lines(
          "SELECT count(*) FROM ZTIE a JOIN ZTIE b ON b.Z_PK = a.ZNEXT "
            + "WHERE (a.ZKEY + 1) % 50 = b.ZKEY + 0") == ["50"])
      #expect(try kinds() == (0...round).map { "\($0 + 1)|Tie|\($0)|50" })
    }
    let result = try await Tool.histctl.run(["log", "--json", path])
    #expect(result.lines.count == 2)
    #expect(result.lines.last?.components(separatedBy: "\"kind\":\"insert\"").count == 51)
  }
}
