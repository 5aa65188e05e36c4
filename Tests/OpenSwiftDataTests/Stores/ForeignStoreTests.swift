import OpenSwiftData
import TestSupport
import Testing

/// Files at a store's path that a container cannot use: each is an error that names what is wrong, and
/// no byte of the file changes.
@Suite(.bounded) struct ForeignStoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Trips.store") }

  init() throws { folder = try TemporaryFolder() }

  private func files() throws -> [String: [UInt8]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    // SQLite may leave an empty log and its index where it reads.
    let contents = try names.map { ($0, try FileBytes.read(folder.file($0))) }
      .filter { !$0.1.isEmpty && !$0.0.hasSuffix("-shm") }
    return Dictionary(uniqueKeysWithValues: contents)
  }

  /// Opens the file with and without saving, and returns the explanations.
  private func explanations(_ models: [any PersistentModel.Type]) throws -> [String] {
    let before = try files()
    let explanations = try [true, false].map { allowsSave in
      let error = try #require(throws: SwiftDataError.self) {
        try ModelContainer(
          for: Schema(models),
          configurations: ModelConfiguration(
            url: URL(fileURLWithPath: path), allowsSave: allowsSave))
      }
      #expect(error == .loadIssueModelContainer)
      #expect(error.explanation.contains(path), "\(error)")
      return error.explanation
    }
    #expect(try files() == before)
    return explanations
  }

  @Test func `the store of another app`() throws {
    do {
      let other = try ModelContainer(
        for: ClubV1.Member.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
      let context = ModelContext(other)
      context.insert(ClubV1.Member("a@x", points: 1))
      try context.save()
    }
    for text in try explanations([Trip.self]) { #expect(text.contains("Member"), "\(text)") }
  }

  @Test func `a database that is not a store`() throws {
    try StoreQuery(path: path).run("CREATE TABLE note (body TEXT); INSERT INTO note VALUES ('x')")
    for text in try explanations([Trip.self]) {
      #expect(text.contains("Z_METADATA") || text.contains("not a"), "\(text)")
    }
  }

  @Test(arguments: ["ZTRIP", "Z_2TRIPS", "ACHANGE", "ATRANSACTION", "Z_PRIMARYKEY"])
  func `a store that lacks a table of its model`(_ table: String) throws {
    do {
      let context = ModelContext(try TripStore.open(path))
      let trip = Trip(name: "Rome")
      context.insert(trip)
      trip.tags = [Tag(label: "city")]
      try context.save()
    }
    let names = try StoreQuery(path: path).lines(
      "SELECT name FROM sqlite_master WHERE type = 'table'")
    let name = table == "Z_2TRIPS" ? try #require(names.first { $0.hasSuffix("TRIPS") }) : table
    try StoreQuery(path: path).run("DROP TABLE \(name)")
    for text in try explanations([Trip.self]) { #expect(text.contains(name), "\(text)") }
  }

  @Test func `a store that lacks a column of its model`() throws {
    do { _ = try TripStore.open(path) }
    try StoreQuery(path: path).run("ALTER TABLE ZTRIP DROP COLUMN ZNOTES")
    for text in try explanations([Trip.self]) {
      #expect(text.contains("ZTRIP") && text.contains("ZNOTES"), "\(text)")
    }
  }
}
