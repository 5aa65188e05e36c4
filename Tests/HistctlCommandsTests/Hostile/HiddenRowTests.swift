import Foundation
import StoreFormat
import TestSupport
import Testing

/// Indexes and tables that lost rows or name others, which SQLite reads without an error: no answer that differs
/// from that of the sound store ends with 0 or 1.
@Suite(.bounded) struct HiddenRowTests {
  /// A sound store, and its answers.
  private struct Sound {
    let name: String
    let pages: TreePages
    let answers: [(command: [String], result: Tool.Result)]
  }

  /// The facts of a store that commands name.
  private struct Facts {
    let middle: Int
    let late: Int
    let moment: String
    let entity: String
    let object: Int
    let author: String?

    init(_ store: StoreQuery) throws {
      let numbers = try store.lines("SELECT Z_PK FROM ATRANSACTION NOT INDEXED ORDER BY Z_PK")
        .compactMap { Int($0) }
      (middle, late) = (numbers[numbers.count / 2], numbers[numbers.count * 3 / 4])
      moment = try #require(
        try store.lines(
          """
          SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ZTIMESTAMP + 978307200, 'unixepoch')
          FROM ATRANSACTION NOT INDEXED WHERE Z_PK = \(late)
          """
        ).first)
      let most = try #require(
        try store.rows(
          """
          SELECT Z_NAME, ZENTITYPK FROM ACHANGE NOT INDEXED JOIN Z_PRIMARYKEY AS p ON p.Z_ENT = ZENTITY
          GROUP BY 1, 2 ORDER BY count(*) DESC, 2 LIMIT 1
          """
        ).first)
      guard case .text(let name) = most[0], case .integer(let key) = most[1] else {
        throw CocoaError(.fileReadCorruptFile)
      }
      (entity, object) = (name, Int(key))
      let interns = try !store.lines(
        "SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTIONSTRING'"
      ).isEmpty
      author = try store.lines(
        interns
          ? """
          SELECT ZNAME FROM ATRANSACTION AS t NOT INDEXED JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = ZAUTHORTS
          GROUP BY 1 ORDER BY count(*) DESC LIMIT 1
          """
          : """
          SELECT ZAUTHOR FROM ATRANSACTION NOT INDEXED WHERE ZAUTHOR IS NOT NULL
          GROUP BY 1 ORDER BY count(*) DESC LIMIT 1
          """
      ).first
    }

    var commands: [[String]] {
      let object = "\(entity)/p\(object)"
      var commands = [
        ["log", "--json"], ["log", "--json", "-n", "20"], ["log", "-n", "5", "--changes"],
        ["log", "-n", "20"], ["log", "--json", "--after", moment],
        ["log", "--json", "--until", moment], ["log", "\(middle)..\(late)", "--json"],
        ["log", "--json", "--entity", entity], ["log", "--json", "--entity", entity, "-n", "7"],
        ["log", "--json", "--object", object], ["log", "--json", "--kind", "delete", "-n", "3"],
        ["log", "--json", "--kind", "update", "--reverse", "-n", "4"],
        ["show", "\(late)", "--json"], ["show", "last", "--json"], ["show", moment, "--json"],
        ["show", "\(middle)..\(late)"], ["diff", "\(middle)", "--json"], ["diff", "0", "--json"],
        ["diff", moment, "--json"], ["diff", "0", "--entity", entity, "--json"],
        ["stats", "--json"], ["stats", "--json", "--after", "\(middle)"],
        ["stats", "--json", "--entity", entity], ["stats", "--sessions", "--json"],
        ["object", object, "--json"], ["object", object], ["blame", object, "--json"],
        ["export"], ["export", "--after", "\(middle)"], ["export", "--until", "\(late)"],
        ["export", "--until", moment], ["export", "--entity", entity],
      ]
      if let author {
        commands += [
          ["log", "--json", "--author", author], ["log", "--json", "--author", author, "-n", "6"],
          ["log", "--json", "--not-author", author], ["stats", "--json", "--author", author],
          ["diff", "0", "--author", author, "--json"], ["export", "--author", author],
        ]
      }
      return commands
    }
  }

  /// Runs a command on a store.
  private static func run(_ command: [String], _ store: String) async throws -> Tool.Result {
    try await InProcess.run([command[0], store] + command.dropFirst())
  }

  /// The parts of an answer that do not depend on the store's path and on the sizes of its pages.
  private static func text(_ result: Tool.Result, _ store: String) -> String {
    result.text.replacingOccurrences(of: store, with: "STORE")
      .replacing(#/"[A-Za-z]*([bB]ytes|[sS]ize)[A-Za-z]*":[-0-9.enul]+/#, with: "")
  }

  /// The stores: of the demonstration and of frameworks, some with pages so small that each table has pages above
  /// others.
  private static func stores(in folder: TemporaryFolder) async throws -> [Sound] {
    _ = try await Tool.histctl.run(["demo", folder.path, "--ending", "2026-11-20", "-q"])
    var stores = [(name: "demo", path: folder.file("trips.store"), pageSize: 512)]
    for name in ["notes-ios17-josh.sqlite", "photos-14.6.sqlite", "swiftdata-cheftime.store"] {
      guard let path = RealStores.path(name) else { continue }
      stores.append((name, try folder.copy(store: path), 1024))
    }
    var sound: [Sound] = []
    for store in stores {
      // Without a log all pages are in the file.
      try StoreQuery(path: store.path).run("PRAGMA journal_mode = DELETE")
      sound.append(try await Self.sound(store.name, store.path))
      try StoreQuery(path: store.path).run("PRAGMA page_size = \(store.pageSize); VACUUM")
      sound.append(try await Self.sound(store.name + " with small pages", store.path))
    }
    return sound
  }

  private static func sound(_ name: String, _ path: String) async throws -> Sound {
    let store = try StoreQuery(path: path)
    var answers: [(command: [String], result: Tool.Result)] = []
    for command in try Facts(store).commands {
      let result = try await run(command, path)
      #expect([0, 1].contains(result.status), "\(name): \(command) \(result.errors)")
      answers.append(
        (
          command,
          Tool.Result(status: result.status, output: Array(text(result, path).utf8), errors: "")
        ))
    }
    // The first one is everything, and as SQLite has it.
    let changes = answers[0].result.text.ranges(of: "\"kind\":").count
    #expect(
      ["\(changes)"] == (try store.lines("SELECT count(*) FROM ACHANGE NOT INDEXED")), "\(name)")
    return Sound(name: name, pages: try TreePages(path: path), answers: answers)
  }

  @Test
  func `an answer that lacks rows does not end with 0`() async throws {
    let folder = try TemporaryFolder()
    let stores = try await Self.stores(in: folder)
    let seed = Campaign.rotatingSeed
    var random = SeededGenerator(seed: seed)
    var damaged = 0
    for number in 0..<Campaign.count(120, 3000) {
      guard let store = stores.randomElement(using: &random),
        let fault = TreePages.Fault.allCases.randomElement(using: &random)
      else { return }
      var pages = store.pages
      guard let what = pages.spoil(fault, &random) else { continue }
      let path = folder.file("\(number).store")
      try FileBytes.write(pages.bytes, to: path)
      for (command, answer) in store.answers.shuffled(using: &random).prefix(4) {
        let result = try await Self.run(command, path)
        let place: Comment =
          "seed \(seed), case \(number): \(store.name), \(what): \(command) \(result.errors)"
        #expect(result.status < 128, place)
        if result.status > 1 {
          damaged += 1
        } else {
          #expect(
            result.status == answer.status && Self.text(result, path) == answer.text, place)
        }
      }
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(damaged > 0)
  }

  /// The index by transaction without some of its entries, as a partial index has them.
  @Test(arguments: [
    "Z_PK % 2 = 0", "ZTRANSACTIONID < 300", "ZTRANSACTIONID NOT BETWEEN 300 AND 340",
  ])
  func `every reader reports entries that the index by transaction lost`(
    _ condition: String
  ) async throws {
    let folder = try TemporaryFolder()
    _ = try await Tool.histctl.run(["demo", folder.path, "--ending", "2026-11-20", "-q"])
    let store = folder.file("trips.store")
    let name = "ACHANGE_ZTRANSACTIONID_INDEX"
    let declaration = "CREATE INDEX \(name) ON ACHANGE (ZTRANSACTIONID)"
    let query = try StoreQuery(path: store)
    try query.run("DROP INDEX \(name); \(declaration) WHERE \(condition)")
    do {
      try query.run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = '\(declaration)' WHERE name = '\(name)'
        """)
    } catch {
      // Some builds of SQLite protect the schema.
      return
    }
    for command in [
      ["log", "--json"], ["log", "-n", "60"], ["log", "--entity", "Trip"],
      ["log", "--object", "Trip/p7"], ["log", "--author", "app"], ["show", "300..340"],
      ["diff", "250"], ["diff", "0"], ["stats"], ["stats", "--after", "250"],
      ["object", "Trip/p7"], ["blame", "Trip/p7"], ["export"], ["export", "--after", "250"],
      ["export", "--until", "340"], ["info"],
    ] {
      let result = try await Self.run(command, store)
      #expect(result.status == 5, "\(command) \(result.text.prefix(200))")
      #expect(result.errors.contains("ACHANGE"), "\(command) \(result.errors)")
    }
  }

  /// A page above others names a transaction that is far too high, so that searches go past the entries after it.
  @Test
  func `every reader reports entries that searches in the index do not find`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tool.histctl.run(["demo", folder.path, "--ending", "2026-11-20", "-q"])
    let store = folder.file("trips.store")
    let query = try StoreQuery(path: store)
    try query.run("PRAGMA journal_mode = DELETE")
    try query.run("PRAGMA page_size = 512; VACUUM")
    let root = try #require(
      try query.lines(
        "SELECT rootpage FROM sqlite_master WHERE name = 'ACHANGE_ZTRANSACTIONID_INDEX'"
      ).first.flatMap { Int($0) })
    let sound = try FileBytes.read(store)
    // The pages above others: 12 bytes, then the place of each cell; a cell has the number of a page, the length of
    // its record, that of the record's header, and the types of the transaction and the row.
    let start = (root - 1) * 512
    try #require(sound[start] == 2)
    let places = (0..<Int(sound[start + 4])).map { cell in
      start + Int(sound[start + 12 + 2 * cell]) << 8 + Int(sound[start + 13 + 2 * cell]) + 6
    }
    let small = places.filter { sound[$0] == 1 && sound[$0 + 1] > 1 }
    try #require(!small.isEmpty)
    for place in small {
      let transaction = Int(sound[place + 2])
      var bytes = sound
      bytes[place] = 3
      for command in [
        ["show", "\(transaction + 5)", "--json"], ["log", "--json", "-n", "280"],
        ["log", "--json", "--after", "\(transaction + 4)", "--until", "\(transaction + 5)"],
        ["diff", "\(transaction + 4)", "\(transaction + 5)", "--json"],
        ["log", "--json", "--entity", "Trip"],
        ["export", "--after", "\(transaction + 4)", "--until", "\(transaction + 5)"],
      ] {
        try FileBytes.write(sound, to: store)
        let answer = try await Self.run(command, store)
        try FileBytes.write(bytes, to: store)
        let result = try await Self.run(command, store)
        #expect(
          result.status == 5 || result.status == answer.status && result.text == answer.text,
          "after \(transaction): \(command) \(result.status) \(result.text.prefix(200))")
      }
    }
  }
}
