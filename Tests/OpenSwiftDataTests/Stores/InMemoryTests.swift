import TestSupport
import Testing

@testable import OpenSwiftData

/// Stores in memory do not fill it up.
@Suite(.bounded) struct InMemoryTests {
  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func folder(of container: ModelContainer) throws -> String {
    let store = try #require(container.stores.first as? DefaultStore)
    return URL(fileURLWithPath: store.filePath).deletingLastPathComponent()
      .deletingLastPathComponent().path
  }

  @Test func `abandoned folders are removed`() throws {
    let container = try open()
    let used = try folder(of: container)
    let mark = try #require(used.ranges(of: ".partial-").last)
    // Like that of a program which is no more: nobody holds a lock on it.
    let abandoned = String(used[..<mark.upperBound]) + "abandoned"
    let prepared = String(used[..<mark.lowerBound]) + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: prepared, withIntermediateDirectories: true)
    try FileBytes.write([1, 2, 3], to: prepared + "/memory.store")
    try FileManager.default.moveItem(atPath: prepared, toPath: abandoned)
    let other = try open()
    #expect(!FileManager.default.fileExists(atPath: abandoned))
    #expect(FileManager.default.fileExists(atPath: used))
    for container in [container, other] {
      let context = ModelContext(container)
      context.insert(Trip(name: "Rome"))
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }
    let permissions = try FileManager.default.attributesOfItem(atPath: used)[.posixPermissions]
    #expect((permissions as? NSNumber)?.intValue == 0o700)
  }

  @Test func `history in memory can be deleted, with and without bookmarks`()
    throws
  {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    let context = ModelContext(try open())
    for number in 1...4 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(Descriptor())
    let second = all[1].token
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token < second }))
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == [2, 3, 4])
    try context.setHistoryBookmark("reader", to: all[2].token)
    try context.deleteReadHistory()
    #expect(try context.fetchHistory(Descriptor()).map(\.id) == [3, 4])
    #expect(try context.historyBookmarks().map(\.state) == [.current])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `a program that ends removes its stores`() async throws {
    let result = try await Tool.built("ModelSaver").run(["--in-memory"])
    #expect(result.status == 0, "\(result.errors)")
    let path = try #require(result.lines.first)
    #expect(path.contains(".partial-"))
    #expect(!FileManager.default.fileExists(atPath: path), "\(path)")
  }
}
