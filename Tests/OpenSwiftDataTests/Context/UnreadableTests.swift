import OpenSwiftData
import TestSupport
import Testing

/// What could not be read is not taken for nothing.
@Suite(.bounded) struct UnreadableTests {
  private let store: TripStore
  private let context: ModelContext
  private let rome: Trip
  private let joinTable: String

  init() throws {
    store = try TripStore()
    let writer = store.context()
    let saved = Trip(name: "Rome", destination: "Italy")
    saved.tags = [Tag(label: "city"), Tag(label: "sea")]
    writer.insert(saved)
    try writer.save()
    context = store.context()
    rome = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    joinTable = try #require(
      try StoreQuery(path: store.path).lines(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'"
      ).first)
  }

  /// Runs a body while a table of the store is missing.
  private func without(_ table: String, _ body: () throws -> Void) throws {
    let query = try StoreQuery(path: store.path)
    try query.run("ALTER TABLE \(table) RENAME TO AWAY")
    try body()
    try query.run("ALTER TABLE AWAY RENAME TO \(table)")
  }

  private func pairs() throws -> [String] {
    try StoreQuery(path: store.path).lines("SELECT count(*) FROM \(joinTable)")
  }

  @Test func `a list is read once it is readable`() throws {
    try without(joinTable) { #expect(rome.tags.isEmpty) }
    #expect(rome.tags.map(\.label).sorted() == ["city", "sea"])
  }

  @Test func `a list is not saved before it is read`() throws {
    try without(joinTable) {
      rome.tags.append(Tag(label: "food"))
      #expect(rome.tags.map(\.label) == ["food"])
      #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    }
    #expect(context.hasChanges)
    try context.save()
    #expect(rome.tags.map(\.label).sorted() == ["city", "food", "sea"])
    #expect(try pairs() == ["3"])
  }

  @Test func `an unread list can be rolled back`() throws {
    try without(joinTable) { rome.tags.append(Tag(label: "food")) }
    context.rollback()
    #expect(rome.tags.count == 2)
    try context.save()
    #expect(try pairs() == ["2"])
  }

  @Test func `a value is read once it is readable`() throws {
    let other = ModelContext(store.container)
    let fault = try #require(other.model(for: rome.persistentModelID) as? Trip)
    try without("ZTRIP") { #expect(fault.name == "") }
    #expect(fault.name == "Rome")
  }
}
