import OpenSwiftData
import TestSupport
import Testing

@Model
final class Chore {
  var name: String
  var due: Date?
  var effort: Int?

  init(name: String, due: Date? = nil, effort: Int? = nil) {
    self.name = name
    self.due = due
    self.effort = effort
  }
}

/// Values that may be missing, limits and files that are empty.
@Suite(.bounded) struct UnwrappingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Chore.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("C.store")))))
  }

  @Test func `rows without a value are skipped`() throws {
    let context = try open()
    let now = Date(timeIntervalSinceReferenceDate: 100)
    context.insert(Chore(name: "late", due: now - 1, effort: 3))
    context.insert(Chore(name: "early", due: now + 1, effort: 4))
    context.insert(Chore(name: "never"))
    let predicates: [(Predicate<Chore>, [String])] = [
      (#Predicate { $0.due! < now }, ["late"]),
      (#Predicate { $0.due != nil && $0.due! < now }, ["late"]),
      (#Predicate { $0.name != "x" && $0.due! > now && $0.effort! >= 4 }, ["early"]),
      (#Predicate { !($0.due! < now) }, ["early"]),
      (#Predicate { $0.due! < now || $0.name == "early" }, ["early", "late"]),
      (#Predicate { $0.name == "never" || $0.effort! == 3 }, ["late", "never"]),
      (#Predicate { $0.effort! + 1 > 4 }, ["early"]),
    ]
    func check(_ context: ModelContext) throws {
      for (predicate, names) in predicates {
        let found = try context.fetch(
          FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.name) == names, "\(predicate)")
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == names.count)
      }
    }
    try check(context)
    try context.save()
    try check(try open())
  }

  @Test func `a limit of zero is no limit`() throws {
    let context = try open()
    context.insert(Chore(name: "a"))
    context.insert(Chore(name: "b"))
    var descriptor = FetchDescriptor<Chore>()
    descriptor.fetchLimit = 0
    #expect(try context.fetch(descriptor).count == 2)
    try context.save()
    #expect(try context.fetch(descriptor).count == 2)
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.fetchOffset = 1
    #expect(try context.fetchIdentifiers(descriptor).count == 1)
  }

  @Test func `an empty file is a new store`() async throws {
    try FileBytes.write([], to: folder.file("C.store"))
    let readOnly = ModelConfiguration(
      url: URL(fileURLWithPath: folder.file("C.store")), allowsSave: false)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Chore.self, configurations: readOnly)
    }
    let context = try open()
    context.insert(Chore(name: "a"))
    try context.save()
    #expect(try open().fetchCount(FetchDescriptor<Chore>()) == 1)
    let result = try await Tool.histctl.run(["verify", folder.file("C.store")])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    #expect(
      try StoreQuery(path: folder.file("C.store")).lines("PRAGMA journal_mode; ") == ["wal"])
    #expect(try StoreQuery(path: folder.file("C.store")).lines("PRAGMA auto_vacuum") == ["2"])
  }
}
