import TestSupport
import Testing

@testable import OpenSwiftData

/// What a context makes of what others save: other contexts, other containers, other processes.
@Suite(.bounded) struct RefreshingTests {
  private let store: TripStore
  private let context: ModelContext
  private let rome: Trip
  /// Like another program.
  private let others: ModelContext
  private let theirs: Trip

  init() throws {
    store = try TripStore()
    context = store.context()
    rome = Trip(name: "Rome", destination: "Italy")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    context.insert(rome)
    try context.save()
    others = ModelContext(try TripStore.open(store.path))
    theirs = try #require(try others.fetch(FetchDescriptor<Trip>()).first)
  }

  /// Any fetch will do.
  private func look() throws { _ = try context.fetchCount(FetchDescriptor<Tag>()) }

  @Test func `any fetch merges changes of others`() throws {
    theirs.name = "Roma"
    try others.save()
    #expect(rome.name == "Rome")
    try look()
    #expect(rome.name == "Roma")
    #expect(!rome.hasChanges)
    // Another context of the same container is somebody else as well.
    let second = store.context()
    let same = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
    same.notes = "in spring"
    try second.save()
    try look()
    #expect(rome.notes == "in spring")
  }

  @Test func `models read in batches are current`() throws {
    theirs.name = "Roma"
    try others.save()
    var names: [String] = []
    try context.enumerate(FetchDescriptor<Trip>()) { names.append($0.name) }
    #expect(names == ["Roma"])
    theirs.name = "Rom"
    try others.save()
    var descriptor = FetchDescriptor<Trip>()
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 10).map(\.name) == ["Rom"])
    #expect(rome.name == "Rom")
  }

  @Test func `own changes stay, and the rest is refreshed`() throws {
    rome.name = "Roma"
    theirs.name = "Rom"
    theirs.destination = "Italia"
    try others.save()
    try look()
    #expect(rome.name == "Roma")
    #expect(rome.destination == "Italia")
    // A save writes what was changed here only; of a property that both have set, the last save counts.
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZNAME, ZDESTINATION FROM ZTRIP")
        == ["Roma|Italia"])
    rome.name = "Rome again"
    theirs.name = "Rom"
    try others.save()
    try look()
    context.rollback()
    #expect(rome.name == "Rom")
  }

  @Test func `lists are refreshed`() throws {
    #expect(rome.bucketList.count == 2)
    let colosseum = BucketListItem(title: "Colosseum")
    colosseum.trip = theirs
    others.delete(try #require(theirs.bucketList.first { $0.title == "Forum" }))
    try others.save()
    try look()
    #expect(rome.bucketList.map(\.title).sorted() == ["Colosseum", "Pantheon"])
  }

  @Test func `models deleted by others leave the context`() throws {
    let forum = try #require(rome.bucketList.first { $0.title == "Forum" })
    others.delete(theirs)
    try others.save()
    try look()
    #expect(rome.modelContext == nil)
    #expect(forum.modelContext == nil)
    // What it held can still be looked at.
    #expect(rome.name == "Rome")
    #expect(try context.fetch(FetchDescriptor<Trip>()) == [])
  }

  @Test func `changes of models deleted by others are dropped`() throws {
    rome.name = "Roma"
    others.delete(theirs)
    try others.save()
    try look()
    #expect(context.hasChanges)
    try context.save()
    #expect(rome.name == "Roma")
    #expect(!context.hasChanges)
    #expect(try StoreQuery(path: store.path).lines("SELECT count(*) FROM ZTRIP") == ["0"])
    #expect(rome.modelContext == nil)
  }

  @Test func `a model may be deleted by both contexts`() throws {
    context.delete(rome)
    others.delete(theirs)
    try others.save()
    try look()
    #expect(!context.hasChanges)
    try context.save()
    #expect(try StoreQuery(path: store.path).lines("SELECT count(*) FROM ZTRIP") == ["0"])
  }

  @Test func `deleted history does not hide changes`() async throws {
    theirs.name = "Roma"
    try others.save()
    theirs.destination = "Italia"
    try others.save()
    try others.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try look()
    #expect(rome.name == "Roma")
    #expect(rome.destination == "Italia")
  }

  @Test func `own saves do not notify`() throws {
    let tag = Tag(label: "city")
    rome.tags = [tag]
    try context.save()
    let observed = ObservedChange()
    observed.observe {
      _ = rome.tags
      _ = tag.trips
      _ = rome.name
    }
    try look()
    #expect(!observed.hasChanged)
  }

  @Test func `failed refreshes are retried`() throws {
    theirs.name = "Roma"
    try others.save()
    let query = try StoreQuery(path: store.path)
    try query.run("ALTER TABLE ZTRIP RENAME TO AWAY")
    #expect(throws: SwiftDataError.self) { try look() }
    try query.run("ALTER TABLE AWAY RENAME TO ZTRIP")
    try look()
    #expect(rome.name == "Roma")
  }

  @Test func `own saves alone are not remembered`() throws {
    for number in 0..<20 {
      rome.notes = "\(number)"
      try context.save()
    }
    #expect(!context.ownTransactions.values.contains { !$0.isEmpty })
    // What others save between them is news all the same.
    theirs.name = "Roma"
    try others.save()
    rome.notes = "last"
    try context.save()
    try look()
    #expect(rome.name == "Roma")
    #expect(rome.notes == "last")
  }

  @Test func `own saves between others are remembered up to a limit`() throws {
    theirs.name = "Roma"
    try others.save()
    let own = ModelContext.mostOwnTransactions + 20
    for number in 0..<own {
      rome.notes = "\(number)"
      try context.save()
    }
    let remembered = context.ownTransactions.values.map(\.count)
    #expect(remembered == [ModelContext.mostOwnTransactions])
    theirs.destination = "Italia"
    try others.save()
    try look()
    #expect(rome.name == "Roma")
    #expect(rome.destination == "Italia")
    #expect(rome.notes == "\(own - 1)")
    #expect(context.ownTransactions.isEmpty)
  }

  /// Beyond some number of transactions to look through, what is known is read anew.
  @Test func `everything is read again after a long history`() throws {
    try look()
    let query = try StoreQuery(path: store.path)
    try query.run(
      """
      WITH RECURSIVE n(i) AS (SELECT max(Z_PK) + 1 FROM ATRANSACTION UNION ALL
        SELECT i + 1 FROM n LIMIT \(DefaultStore.mostNews + 1))
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
        SELECT i, (SELECT Z_ENT FROM ATRANSACTION LIMIT 1), 1000000000 FROM n
      """)
    // No change of it is recorded, so that only reading anew shows it.
    try query.run("UPDATE ZTRIP SET ZNAME = 'Roma'")
    try look()
    #expect(rome.name == "Roma")
  }

  @Test func `invalidated models are remembered up to a limit`() throws {
    for number in 0..<50_000 {
      context.noteInvalidated(
        try .identifier(for: "store", entityName: "Trip", primaryKey: number))
    }
    #expect(context.invalidated.count <= ModelContext.mostInvalidated)
    // The last ones are those that somebody may still ask for.
    let last = try PersistentIdentifier.identifier(
      for: "store", entityName: "Trip", primaryKey: 49_999)
    #expect(context.invalidated.last == last)
  }

  @Test func `fetches see rows written without history`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    let own = ModelContext(try TripStore.open(path))
    let trip = Trip(name: "Rome")
    own.insert(trip)
    try own.save()
    // SQL leaves no history; what is fetched shows it all the same.
    try StoreQuery(path: path).run("UPDATE ZTRIP SET ZNAME = 'Roma'")
    _ = try own.fetch(FetchDescriptor<Trip>())
    #expect(trip.name == "Roma")
  }
}
