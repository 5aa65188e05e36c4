#if os(Linux)
import OpenSwiftData
import TestSupport
import Testing

/// Other processes save to two stores at once, against each other or until they are killed.
@Suite(.bounded) struct SeveralStoresProcessesTests {
  private static let saver = Tool.built("ModelSaver")

  /// Two stores in a folder: one of entries, one of counters.
  private struct Place {
    let folder: TemporaryFolder
    /// The entries' store comes first in the order of the paths, or the counters'.
    let entries: String
    let counters: String

    init(_ folder: TemporaryFolder, isSwapped: Bool = false) {
      self.folder = folder
      entries = folder.file(isSwapped ? "B.store" : "A.store")
      counters = folder.file(isSwapped ? "A.store" : "B.store")
    }

    func arguments(_ author: String, _ count: Int) -> [String] {
      [entries, counters, author, "\(count)"]
    }

    func copy() throws -> Place {
      let folder = try TemporaryFolder()
      for store in [entries, counters] { _ = try folder.copy(store: store) }
      return Place(folder, isSwapped: entries.hasSuffix("B.store"))
    }

    /// How many saves of each author each store has, by its history and by its models.
    func counts() throws -> (entries: [String], counters: [String]) {
      let history = """
        (SELECT count(*) FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
          WHERE s.ZNAME = m.ZAUTHOR)
        """
      return (
        try StoreQuery(path: entries).lines(
          "SELECT m.ZAUTHOR, max(ZNUMBER), \(history) FROM ZSAVEDENTRY m GROUP BY 1 ORDER BY 1"),
        try StoreQuery(path: counters).lines(
          "SELECT m.ZAUTHOR, ZCOUNT, \(history) FROM ZSAVEDCOUNTER m ORDER BY 1")
      )
    }

    /// What is wrong in stores that agree; nothing where nothing is.
    func problems() throws -> [String] {
      let (entries, counters) = try counts()
      let integrity = try [self.entries, self.counters].flatMap {
        try StoreQuery(path: $0).lines("PRAGMA integrity_check").filter { $0 != "ok" }
      }
      let strays = try folder.names().filter { $0.hasSuffix("-unfinished-save") }
      return integrity + strays + (entries == counters ? [] : entries + counters)
    }

    /// Whether one store has a save that the other has not.
    func isTorn() throws -> Bool {
      let (entries, counters) = try counts()
      return entries != counters
    }
  }

  @Test(arguments: [false, true]) func `two processes save to two stores concurrently`(
    _ isSwapped: Bool
  ) async throws {
    let place = Place(try TemporaryFolder(), isSwapped: isSwapped)
    async let first = Self.saver.run(place.arguments("first", 60))
    async let second = Self.saver.run(place.arguments("second", 60))
    for result in try await [first, second] {
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try place.problems() == [])
    #expect(try place.counts().counters == ["first|60|60", "second|60|60"])
  }

  /// Runs one save to a fault, and lets the next ones find what it has left.
  ///
  /// - Returns: The status of the save; whether the stores did not agree before somebody looked; and
  ///   how many saves there are.
  private func run(
    _ fault: FaultInjector.Fault, _ injector: FaultInjector, _ original: Place
  ) async throws -> (status: Int, isTorn: Bool, count: String) {
    let place = try original.copy()
    let result = try await injector.run(
      Self.saver, place.arguments("app", 1), files: place.folder.path, fault)
    let isTorn = try place.isTorn()
    // What was said to be saved is there, in both stores, once somebody opens them.
    if isTorn {
      #expect(try place.folder.names().contains { $0.hasSuffix("-unfinished-save") }, "\(fault)")
    }
    let next = try await Self.saver.run(place.arguments("next", 1))
    #expect(next.status == 0, "\(fault): \(next.errors)")
    #expect(try place.problems() == [], "\(fault)")
    let count = try place.counts().counters.first ?? ""
    // Of two stores that did not agree, the save was decided.
    if isTorn || !result.lines.isEmpty { #expect(count == "app|4|4", "\(fault)") }
    return (result.status, isTorn, count)
  }

  /// Returns the calls of one save at which faults have their turn.
  private func turns(of original: Place, _ injector: FaultInjector) async throws -> [Int] {
    let place = try original.copy()
    return try await FaultInjector.turns(
      of: injector.calls(
        of: Self.saver, place.arguments("app", 1), files: place.folder.path
      ).calls)
  }

  @Test(.enabled(if: FaultInjector.isPossible), arguments: [false, true])
  func `a save to two stores killed at any system call is in both or none`(
    _ isSwapped: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = Place(try TemporaryFolder(), isSwapped: isSwapped)
    #expect(try await Self.saver.run(original.arguments("app", 3)).status == 0)
    var outcomes: Set<String> = []
    var tornCount = 0
    for call in try await turns(of: original, injector) {
      let result = try await run(.init(.kill, at: call), injector, original)
      outcomes.insert(result.count)
      tornCount += result.isTorn ? 1 : 0
      try #require([0, 137].contains(result.status))
    }
    #expect(outcomes == ["app|3|3", "app|4|4"])
    #expect(tornCount > 0 || !Campaign.isEverything)
  }

  @Test(.enabled(if: FaultInjector.isPossible), arguments: [FaultInjector.Kind.full, .error])
  func `a save to two stores survives a full or failing disk`(
    _ kind: FaultInjector.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = Place(try TemporaryFolder())
    #expect(try await Self.saver.run(original.arguments("app", 3)).status == 0)
    var outcomes: Set<String> = []
    for call in try await turns(of: original, injector) {
      let result = try await run(.init(kind, at: call, lasts: true), injector, original)
      outcomes.insert(result.count)
      try #require([0, 1].contains(result.status))
    }
    #expect(outcomes.contains("app|3|3"))
    #expect(outcomes.isSubset(of: ["app|3|3", "app|4|4"]))
  }

  @Test(.enabled(if: FaultInjector.isPossible))
  func `opening one store completes the save`() async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = Place(try TemporaryFolder())
    #expect(try await Self.saver.run(original.arguments("app", 3)).status == 0)
    // A save that ended between the two stores.
    var torn: Place?
    var call = 0
    while torn == nil {
      call += 1
      let place = try original.copy()
      let result = try await injector.run(
        Self.saver, place.arguments("app", 1), files: place.folder.path, .init(.kill, at: call))
      try #require(result.status == 137)
      if try place.isTorn() { torn = place }
    }
    let place = try #require(torn)
    let record = try #require(
      try place.folder.names().first { $0.hasSuffix("-unfinished-save") })
    let behind = place.folder.file(String(record.dropLast("-unfinished-save".count)))
    func open(_ place: Place, _ path: String, allowsSave: Bool = true) throws -> ModelContainer {
      let models: [any PersistentModel.Type] =
        path == place.entries ? [SavedEntry.self] : [SavedCounter.self]
      return try ModelContainer(
        for: Schema(models),
        configurations: ModelConfiguration(
          url: URL(fileURLWithPath: path), allowsSave: allowsSave))
    }
    // Who only reads is told.
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try open(place, behind, allowsSave: false)
    }
    // Both stores can be moved.
    let moved = Place(try TemporaryFolder())
    for name in try place.folder.names() {
      try FileManager.default.moveItem(
        atPath: place.folder.file(name), toPath: moved.folder.file(name))
    }
    let path = moved.folder.file(URL(fileURLWithPath: behind).lastPathComponent)
    // Without the other one it cannot be known whether the save has happened.
    let other = path == moved.entries ? moved.counters : moved.entries
    try FileManager.default.moveItem(atPath: other, toPath: other + ".away")
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(moved, path) }
    try FileManager.default.moveItem(atPath: other + ".away", toPath: other)
    // Others may have saved meanwhile that knew nothing of it.
    _ = try open(moved, path)
    #expect(try moved.problems() == [])
    #expect(try moved.counts().counters == ["app|4|4"])
    // The transaction has the time of the other one.
    let time = "SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 4"
    #expect(
      try StoreQuery(path: moved.entries).lines(time)
        == StoreQuery(path: moved.counters).lines(time))
  }
}
#endif
