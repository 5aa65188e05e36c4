import OpenSwiftData
import StoreFormat
import StoreTransactions
import TestSupport
import Testing

/// A store of one's own refuses in the words of ``StoreFormat``, on which it may be built itself.
@Suite(.bounded) struct JournalRefusalTests {
  private let folder: TemporaryFolder
  private let desk = JournalDesk()

  init() throws { folder = try TemporaryFolder() }

  static let refusals: [StoreWriteError] = [
    .notUnique(detail: "of its own"), .missingObject(entity: "Trip", primaryKey: 7),
    .unwritable(path: "journal", reason: "full"),
  ]

  private var journal: JournalConfiguration {
    JournalConfiguration(
      name: "journal", schema: Schema([Trip.self]),
      url: URL(fileURLWithPath: folder.file("trips.jsonl")), desk: desk)
  }

  @Test(arguments: refusals) func `refused changes stay pending`(_ refusal: StoreWriteError) throws
  {
    let context = ModelContext(try ModelContainer(for: Trip.self, configurations: journal))
    let rome = Trip(name: "Rome")
    context.insert(rome)
    desk.refusal = refusal
    #expect(throws: refusal) { try context.save() }
    #expect(rome.modelContext === context)
    #expect(context.insertedModelsArray.count == 1)
    desk.refusal = nil
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test(arguments: refusals) func `a refusing store is asked once`(
    _ refusal: StoreWriteError
  ) throws {
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self, Ledger.self, configurations: journal,
        ModelConfiguration(
          schema: Schema([Ledger.self]), url: URL(fileURLWithPath: folder.file("Ledgers.store")))))
    context.insert(Trip(name: "Rome"))
    context.insert(Ledger())
    desk.refusal = refusal
    #expect(throws: refusal) { try context.save() }
    #expect(desk.saveCount == 1)
    #expect(context.insertedModelsArray.count == 2)
    desk.refusal = nil
    try context.save()
    #expect(desk.saveCount == 2)
    #expect(
      try StoreQuery(path: folder.file("Ledgers.store")).lines("SELECT count(*) FROM ZLEDGER")
        == ["1"])
  }
}
