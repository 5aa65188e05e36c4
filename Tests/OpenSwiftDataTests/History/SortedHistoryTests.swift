import TestSupport
import Testing

@testable import OpenSwiftData

/// Histories in orders that they were not recorded in.
@Suite(.bounded) struct SortedHistoryTests {
  private typealias Transaction = DefaultHistoryTransaction
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private let store: TripStore
  private let context: ModelContext

  /// A store with transactions of two changes each.
  init() throws {
    store = try TripStore()
    let writer = store.context()
    for number in 0..<60 {
      writer.author = number.isMultiple(of: 3) ? "app" : number.isMultiple(of: 5) ? nil : "widget"
      writer.insert(Tag(label: "\(number)"))
      writer.insert(BucketListItem(title: "\(number)"))
      try writer.save()
    }
    context = store.context()
  }

  /// Lets a clock go wrong: times by the number of the transaction.
  private func setTimes(_ time: String) throws {
    try StoreQuery(path: store.path).run("UPDATE ATRANSACTION SET ZTIMESTAMP = \(time)")
  }

  /// The statements that read changes while a body runs, in a layout whose rows only SQLite can read.
  private func changeStatements(_ body: () throws -> Void) throws -> [String] {
    let own = try #require(store.container.stores.first as? DefaultStore)
    var statements: [String] = []
    try own.file.tracing({ statements.append($0) }, body)
    return statements.filter { $0.contains("ZENTITYPK") && $0.contains("FROM ACHANGE") }
  }

  private static var orders: [[SortDescriptor<DefaultHistoryTransaction>]] {
    [
      [SortDescriptor(\.timestamp)], [SortDescriptor(\.timestamp, order: .reverse)],
      [SortDescriptor(\.author), SortDescriptor(\.timestamp, order: .reverse)],
      [SortDescriptor(\.author, order: .reverse)],
      [SortDescriptor(\.changes.count), SortDescriptor(\.timestamp)],
      [SortDescriptor(\.processIdentifier), SortDescriptor(\.token, order: .reverse)],
    ]
  }

  @Test(
    arguments: [
      // Rising, falling, back in the middle, all the same, none, and in no order.
      "Z_PK", "-Z_PK", "CASE WHEN Z_PK < 30 THEN Z_PK + 1000 ELSE Z_PK END", "7", "NULL",
      "(Z_PK * 7919) % 61",
    ])
  func `transactions are sorted whatever the clock says`(time: String) throws {
    try setTimes(time)
    let all = try context.fetchHistory(Descriptor())
    #expect(all.count == 60)
    for order in Self.orders {
      let sorted = all.sorted(using: order)
      for limit in [0, 1, 2, 7, 59, 60, 100] {
        var descriptor = Descriptor(sortBy: order)
        descriptor.fetchLimit = UInt64(limit)
        let wanted = limit == 0 ? sorted : Array(sorted.prefix(limit))
        let found = try context.fetchHistory(descriptor)
        #expect(found == wanted, "\(limit)")
        #expect(found.map(\.changes.count) == wanted.map(\.changes.count))
        #expect(found.allSatisfy { $0.changes.allSatisfy { $0.kind == .insert } })
        #expect(
          zip(found, wanted).allSatisfy { found, wanted in
            found.changes.map(\.changedPersistentIdentifier)
              == wanted.changes.map(\.changedPersistentIdentifier)
          })
        descriptor.includesChanges = false
        // An order that looks at changes finds none then.
        if order.count == 1 {
          #expect(try context.fetchHistory(descriptor) == wanted)
        }
      }
    }
  }

  @Test func `predicates apply before the limit`() throws {
    try setTimes("-Z_PK")
    var descriptor = Descriptor(
      predicate: #Predicate { $0.author == "app" }, sortBy: [SortDescriptor(\.timestamp)])
    descriptor.fetchLimit = 3
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [58, 55, 52])
    descriptor.predicate = #Predicate { $0.author == "app" || $0.transactionIdentifier == 60 }
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [60, 58, 55])
    descriptor.predicate = #Predicate { $0.changes.count == 2 && $0.transactionIdentifier < 50 }
    let found = try context.fetchHistory(descriptor)
    #expect(found.map(\.transactionIdentifier) == [49, 48, 47])
    #expect(found.map(\.changes.count) == [2, 2, 2])
    descriptor.predicate = #Predicate { $0.changes.isEmpty }
    #expect(try context.fetchHistory(descriptor).isEmpty)
  }

  @Test func `only changes of returned transactions are read`() throws {
    try StoreQuery(path: store.path).run("ALTER TABLE ACHANGE ADD COLUMN ZNEW BLOB DEFAULT NULL")
    var descriptor = Descriptor(sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    descriptor.fetchLimit = 2
    var found: [DefaultHistoryTransaction] = []
    let together = try changeStatements { found = try context.fetchHistory(descriptor) }
    #expect(found.map(\.transactionIdentifier) == [60, 59])
    #expect(found.map(\.changes.count) == [2, 2])
    #expect(together.count == 1, "\(together)")
    // The first two by the clock stand far apart.
    try setTimes("CASE WHEN Z_PK IN (3, 50) THEN 9000 + Z_PK ELSE Z_PK END")
    let apart = try changeStatements { found = try context.fetchHistory(descriptor) }
    #expect(found.map(\.transactionIdentifier) == [50, 3])
    #expect(found.map(\.changes.count) == [2, 2])
    #expect(apart.count == 2, "\(apart)")
  }

  @Test func `sorting keeps at most the limit in memory`() throws {
    let all = try context.fetchHistory(Descriptor())
    var first = FirstTransactions(4, by: [SortDescriptor(\.transactionIdentifier)])
    for transaction in all.shuffled() {
      first.add(transaction)
      #expect(first.sorted.count <= 4)
    }
    #expect(first.sorted.map(\.transactionIdentifier) == [1, 2, 3, 4])
  }

  @Test func `recorded values are included`() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(
      url: URL(fileURLWithPath: folder.file("V.store")), recordsValues: true)
    let context = ModelContext(try ModelContainer(for: Trip.self, configurations: configuration))
    let trip = Trip(name: "a")
    context.insert(trip)
    for name in ["b", "c", "d"] {
      try context.save()
      trip.name = name
    }
    try context.save()
    var descriptor = Descriptor(sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    descriptor.fetchLimit = 2
    let changes = try context.fetchHistory(descriptor).compactMap(\.changes.first)
    let values = changes.map { change -> [String?] in
      guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else { return [] }
      return [update.oldValue(of: \.name), update.newValue(of: \.name)]
    }
    #expect(values == [["c", "d"], ["b", "c"]])
  }
}
