import TestSupport
import Testing

@testable import OpenSwiftData

/// A model that is related to no other.
@Model
final class Ledger {
  var code = 0

  init() {}
}

/// Trips in one store, ledgers in another, and one context for both.
struct TwoStores {
  let folder: TemporaryFolder
  let container: ModelContainer

  init(savesLedgers: Bool = true) throws {
    folder = try TemporaryFolder()
    if !savesLedgers { _ = try Self.open(folder) }
    container = try Self.open(folder, savesLedgers: savesLedgers)
  }

  static func open(
    _ folder: TemporaryFolder, savesLedgers: Bool = true
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Trip.self, Ledger.self]),
      configurations: ModelConfiguration(
        schema: Schema([Trip.self]), url: URL(fileURLWithPath: folder.file("Trips.store"))),
      ModelConfiguration(
        schema: Schema([Ledger.self]), url: URL(fileURLWithPath: folder.file("Ledgers.store")),
        allowsSave: savesLedgers))
  }

  func query(_ name: String) throws -> StoreQuery {
    try StoreQuery(path: folder.file(name + ".store"))
  }

  /// How many trips, ledgers and transactions of both there are.
  func counts() throws -> [String] {
    let transactions = ", (SELECT count(*) FROM ATRANSACTION)"
    return try query("Trips").lines("SELECT (SELECT count(*) FROM ZTRIP)\(transactions)")
      + query("Ledgers").lines("SELECT (SELECT count(*) FROM ZLEDGER)\(transactions)")
  }

  /// The files that a save has left beside the stores.
  func leftovers() throws -> [String] {
    try folder.names().filter { !$0.hasSuffix(".store") && !$0.hasSuffix("-wal") }
      .filter { !$0.hasSuffix("-shm") }
  }
}

/// A save to several stores is in all of them, or in none.
@Suite(.bounded) struct SeveralStoresTests {
  @Test func `one save is one transaction in each store`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    context.author = "app"
    let (rome, ledger) = (Trip(name: "Rome"), Ledger())
    rome.bucketList = [BucketListItem(title: "Forum")]
    context.insert(rome)
    context.insert(ledger)
    try context.save()
    #expect(try stores.counts() == ["1|1", "1|1"])
    #expect(try stores.leftovers() == [])
    let time = "SELECT ZTIMESTAMP FROM ATRANSACTION"
    #expect(try stores.query("Trips").lines(time) == stores.query("Ledgers").lines(time))
    // Both are the context's own, and what follows is an update of each.
    rome.name = "Roma"
    ledger.code = 7
    try context.save()
    #expect(try stores.counts() == ["1|2", "1|2"])
    #expect(
      try stores.query("Trips").lines(
        "SELECT ZCHANGETYPE, ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID = 2") == ["1|1"])
    #expect(try stores.query("Ledgers").lines("SELECT ZCODE FROM ZLEDGER") == ["7"])
    let identifiers = [rome.persistentModelID, ledger.persistentModelID].map(\.storeIdentifier)
    #expect(Set(identifiers).count == 2)
    #expect(!context.hasChanges)
  }

  @Test func `only stores with changes get a transaction`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    context.insert(Ledger())
    try context.save()
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(try stores.counts() == ["1|1", "1|1"])
  }

  @Test func `a refusal leaves all stores unchanged`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let day = Date(timeIntervalSinceReferenceDate: 0)
    let (rome, paris) = (Trip(name: "Rome", startDate: day), Trip(name: "Paris", startDate: day))
    for trip in [rome, paris] { context.insert(trip) }
    let ledger = Ledger()
    context.insert(ledger)
    try context.save()
    // The store of ledgers is written first, and that of trips refuses.
    paris.name = "Rome"
    ledger.code = 7
    context.insert(Ledger())
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try stores.counts() == ["2|1", "1|1"])
    #expect(try stores.query("Ledgers").lines("SELECT ZCODE FROM ZLEDGER") == ["0"])
    #expect(try stores.leftovers() == [])
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
    // Corrected, all of it is saved at once.
    paris.name = "Paris again"
    try context.save()
    #expect(try stores.counts() == ["2|2", "2|2"])
    #expect(
      try stores.query("Ledgers").lines("SELECT ZCODE FROM ZLEDGER ORDER BY Z_PK") == ["7", "0"])
  }

  @Test func `a denied deletion leaves all stores unchanged`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema([ConferenceJourney.self, PersonalJourney.self, Ledger.self]),
      configurations: ModelConfiguration(
        schema: Schema([ConferenceJourney.self, PersonalJourney.self]),
        url: URL(fileURLWithPath: folder.file("Journeys.store"))),
      ModelConfiguration(
        schema: Schema([Ledger.self]), url: URL(fileURLWithPath: folder.file("A.store"))))
    let context = ModelContext(container)
    let guide = Guide(name: "Ada")
    guide.journeys = [Journey(name: "Walk")]
    context.insert(guide)
    try context.save()
    context.insert(Ledger())
    context.delete(guide)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      try StoreQuery(path: folder.file("A.store")).lines("SELECT count(*) FROM ZLEDGER") == ["0"])
  }

  @Test func `a read-only store leaves the other unchanged`() throws {
    let stores = try TwoStores(savesLedgers: false)
    let context = ModelContext(stores.container)
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(try stores.counts() == ["0|0", "0|0"])
    #expect(context.insertedModelsArray.count == 2)
  }

  @Test func `a custom store is saved once the others are ready`() throws {
    let folder = try TemporaryFolder()
    let journal = folder.file("trips.jsonl")
    let container = try ModelContainer(
      for: Trip.self, Ledger.self,
      configurations: JournalConfiguration(
        name: "journal", schema: Schema([Trip.self]), url: URL(fileURLWithPath: journal)),
      ModelConfiguration(
        schema: Schema([Ledger.self]), url: URL(fileURLWithPath: folder.file("Ledgers.store"))))
    let context = ModelContext(container)
    func ledgers() throws -> [String] {
      try StoreQuery(path: folder.file("Ledgers.store")).lines("SELECT count(*) FROM ZLEDGER")
    }
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    // It cannot save, and so the other one does not.
    try FileManager.default.moveItem(atPath: journal, toPath: journal + ".away")
    #expect(throws: (any Error).self) { try context.save() }
    #expect(try ledgers() == ["0"])
    #expect(context.insertedModelsArray.count == 2)
    try FileManager.default.moveItem(atPath: journal + ".away", toPath: journal)
    try context.save()
    #expect(try ledgers() == ["1"])
    #expect(
      String(decoding: try FileBytes.read(journal), as: UTF8.self).split(separator: "\n").count
        == 1)
    #expect(!context.hasChanges)
    // And where the other one refuses, it is not asked at all.
    let blocked = try StoreQuery(path: folder.file("Ledgers.store"))
    try blocked.run(
      "CREATE TRIGGER refuse BEFORE INSERT ON ZLEDGER BEGIN SELECT RAISE(ABORT, 'no'); END")
    context.insert(Trip(name: "Paris"))
    context.insert(Ledger())
    #expect(throws: (any Error).self) { try context.save() }
    #expect(
      String(decoding: try FileBytes.read(journal), as: UTF8.self).split(separator: "\n").count
        == 1)
  }

  @Test func `a custom store cannot save to the others meanwhile`() throws {
    let folder = try TemporaryFolder()
    let desk = JournalDesk()
    let container = try ModelContainer(
      for: Trip.self, Ledger.self,
      configurations: JournalConfiguration(
        name: "journal", schema: Schema([Trip.self]),
        url: URL(fileURLWithPath: folder.file("trips.jsonl")), desk: desk),
      ModelConfiguration(
        schema: Schema([Ledger.self]), url: URL(fileURLWithPath: folder.file("Ledgers.store"))))
    let context = ModelContext(container)
    desk.beforeSaving = {
      let other = ModelContext(container)
      other.insert(Ledger())
      try other.save()
    }
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .storeFailure)
    #expect(error.explanation.contains("waits for the save of another store"), "\(error)")
    #expect(context.insertedModelsArray.count == 2)
    desk.beforeSaving = nil
    try context.save()
    // Where the other store is not part of the save, it is free.
    desk.beforeSaving = {
      let other = ModelContext(container)
      other.insert(Ledger())
      try other.save()
    }
    context.insert(Trip(name: "Paris"))
    try context.save()
    #expect(
      try StoreQuery(path: folder.file("Ledgers.store")).lines("SELECT count(*) FROM ZLEDGER")
        == ["2"])
  }

  @Test func `a store in memory leaves nothing to complete`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Ledgers.store")
    let desk = JournalDesk()
    let container = try ModelContainer(
      for: Trip.self, Ledger.self, Guide.self,
      configurations: ModelConfiguration(
        "memory", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
      ModelConfiguration("disk", schema: Schema([Ledger.self]), url: URL(fileURLWithPath: path)),
      JournalConfiguration(
        name: "journal", schema: Schema([Guide.self]),
        url: URL(fileURLWithPath: folder.file("guides.jsonl")), desk: desk))
    let context = ModelContext(container)
    // The longest part would decide, and be gone after the program.
    for number in 0..<50 { context.insert(Trip(name: "\(number)")) }
    context.insert(Ledger())
    context.insert(Guide(name: "Ada"))
    var isAsked = false
    desk.beforeSaving = {
      isAsked = true
      #expect(!FileManager.default.fileExists(atPath: path + "-unfinished-save"))
    }
    try context.save()
    #expect(isAsked)
    #expect(try StoreQuery(path: path).lines("SELECT count(*) FROM ZLEDGER") == ["1"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 50)
  }

  @Test func `one notification covers all stores`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    nonisolated(unsafe) var tokens: [String: any HistoryToken] = [:]
    nonisolated(unsafe) var count = 0
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      count += 1
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      tokens = notification.userInfo?[key] as? [String: any HistoryToken] ?? [:]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    try context.save()
    #expect(count == 1)
    #expect(tokens.count == 2)
  }

  @Test func `a refusal before anything is saved keeps the changes`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    let (rome, ledger) = (Trip(name: "Rome"), Ledger())
    // What another save has left there, and not this one.
    let file = stores.folder.file("Ledgers.store-unfinished-save")
    try FileBytes.write(Array("nothing".utf8), to: file)
    context.insert(rome)
    context.insert(ledger)
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .storeFailure)
    #expect(error.explanation.contains(file), "\(error)")
    #expect(try stores.counts() == ["0|0", "0|0"])
    #expect(context.insertedModelsArray.count == 2)
    #expect(rome.modelContext === context && ledger.modelContext === context)
    try FileBytes.remove(file)
    try context.save()
    #expect(try stores.counts() == ["1|1", "1|1"])
  }

  @Test func `invalid save records are refused`() throws {
    let stores = try TwoStores()
    let context = ModelContext(stores.container)
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    try context.save()
    let file = stores.folder.file("Ledgers.store-unfinished-save")
    for bytes in [[], Array("bplist00".utf8), Array("nothing".utf8)] as [[UInt8]] {
      try FileBytes.write(bytes, to: file)
      do {
        _ = try TwoStores.open(stores.folder)
        Issue.record("it was opened")
      } catch let error as SwiftDataError {
        #expect(error == .loadIssueModelContainer)
        #expect(error.explanation.contains(file), "\(error)")
      }
      // Nor does anybody save who has the store open.
      context.insert(Ledger())
      #expect(throws: SwiftDataError.storeFailure) { try context.save() }
      context.rollback()
    }
    #expect(try stores.counts() == ["1|1", "1|1"])
    try FileBytes.remove(file)
    _ = try TwoStores.open(stores.folder)
  }
}
