import OpenSwiftData
import TestSupport
import Testing

/// What deleting history leaves, whatever the condition.
@Suite(.bounded) struct HistoryDeletionTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
  private typealias Condition = Predicate<DefaultHistoryTransaction>

  /// A store of 300 transactions, every third by the widget.
  private static func store() throws -> (TripStore, [DefaultHistoryTransaction]) {
    let store = try TripStore()
    let (app, widget) = (store.context(author: "app"), store.context(author: "widget"))
    for number in 1...300 {
      let context = number.isMultiple(of: 3) ? widget : app
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    return (store, try store.context().fetchHistory(Descriptor()))
  }

  /// Deletes, and checks what is left against the rule: the longest run from the oldest on of which all
  /// meet the condition goes.
  private func expect(
    _ predicate: Condition?, limit: UInt64 = 0, leaves first: Int64?,
    in store: TripStore, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let context = store.context()
    var descriptor = Descriptor(predicate: predicate)
    descriptor.fetchLimit = limit
    try context.deleteHistory(descriptor)
    let left = try context.fetchHistory(Descriptor())
    #expect(left.first?.id == first, sourceLocation: sourceLocation)
    #expect(
      left.map(\.id) == first.map { Array($0...300) } ?? [], sourceLocation: sourceLocation)
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines(
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        == ["0"], sourceLocation: sourceLocation)
    #expect(
      try query.lines("SELECT count(*) FROM ACHANGE") == ["\(left.count)"],
      sourceLocation: sourceLocation)
  }

  @Test func `the oldest transactions that meet a condition are deleted`() throws {
    let (store, all) = try Self.store()
    let nobody: String? = nil
    try expect(#Predicate { $0.author == "widget" }, leaves: 1, in: store)
    try expect(#Predicate { $0.author == nobody }, leaves: 1, in: store)
    let (second, third, tenth) = (all[1].token, all[2].token, all[9].token)
    try expect(#Predicate { $0.token > second }, leaves: 1, in: store)
    try expect(#Predicate { $0.token < third && $0.token > second }, leaves: 1, in: store)
    try expect(#Predicate { $0.token < third }, leaves: 3, in: store)
    try expect(#Predicate { $0.author == "widget" }, leaves: 4, in: store)
    try expect(#Predicate { $0.author == "app" && $0.token < tenth }, leaves: 6, in: store)
    try expect(#Predicate { $0.token >= second }, limit: 2, leaves: 8, in: store)
    let twenty: Int64 = 20
    try expect(#Predicate { $0.transactionIdentifier <= twenty }, leaves: 21, in: store)
    let moment = all[29].timestamp
    try expect(#Predicate { $0.timestamp < moment }, leaves: 30, in: store)
    try expect(
      #Predicate { $0.author == "widget" || $0.transactionIdentifier < 40 }, leaves: 40, in: store)
    let names: Set<String> = ["Trip"]
    try expect(
      #Predicate { transaction in
        transaction.changes.contains { names.contains($0.changedPersistentIdentifier.entityName) }
          && transaction.transactionIdentifier < 50
      }, leaves: 50, in: store)
    let none: Set<String> = ["Tag"]
    try expect(
      #Predicate { transaction in
        transaction.changes.contains { none.contains($0.changedPersistentIdentifier.entityName) }
      }, leaves: 50, in: store)
    // The newest stays, and its token works.
    let last = all[299].token
    try expect(#Predicate { $0.token < last }, leaves: 300, in: store)
    #expect(
      try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.token > last })) == [])
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    }
    try expect(nil, leaves: nil, in: store)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.token > last }))
    }
  }

  /// The guards are those of `histctl prune`: what CloudKit's mirror has not read stays.
  @Test func `history that a mirror has not read is kept`() throws {
    let store = try TripStore()
    let context = store.context(author: "app")
    for number in 1...5 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let query = try StoreQuery(path: store.path)
    // Tables of a mirror that do not say how far it has read.
    try query.run(
      """
      CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY, ZKEY VARCHAR, ZTRANSFORMEDVALUE BLOB);
      CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZNEEDSUPLOAD INTEGER,
        ZLASTEXPORTEDTRANSACTIONNUMBER INTEGER, ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER)
      """)
    let mirrored = ModelContext(try TripStore.open(store.path))
    #expect(throws: SwiftDataError.self) { try mirrored.deleteHistory(Descriptor()) }
    let four: Int64 = 4
    #expect(throws: SwiftDataError.self) {
      try mirrored.deleteHistory(
        Descriptor(predicate: #Predicate { $0.transactionIdentifier < four }))
    }
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["5"])
    // Without the mirror they go.
    try query.run("DROP TABLE ANSCKMETADATAENTRY; DROP TABLE ANSCKRECORDMETADATA")
    try ModelContext(try TripStore.open(store.path)).deleteHistory(
      Descriptor(predicate: #Predicate { $0.transactionIdentifier < four }))
    #expect(try query.lines("SELECT min(Z_PK) FROM ATRANSACTION") == ["4"])
  }

  @Test func `a token of another store deletes nothing`() throws {
    let (store, _) = try Self.store()
    let other = try TripStore()
    let context = other.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
    let token = try #require(try context.fetchHistory(Descriptor()).first?.token)
    let condition: Condition = #Predicate { $0.token <= token }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try store.context().deleteHistory(Descriptor(predicate: condition))
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try store.context().fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    }
    #expect(try store.context().fetchHistory(Descriptor()).count == 300)
  }

  @Test func `concurrent deletions while others save delete what was requested`() async throws {
    let (store, all) = try Self.store()
    let path = store.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for step in 1...4 {
        let token = all[step * 60].token
        group.addTask {
          let context = ModelContext(try TripStore.open(path))
          for _ in 0..<3 {
            try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token < token }))
          }
        }
      }
      group.addTask {
        let context = ModelContext(try TripStore.open(path))
        for number in 0..<20 {
          context.insert(Trip(name: "new \(number)"))
          try context.save()
        }
      }
      try await group.waitForAll()
    }
    let left = try store.context().fetchHistory(Descriptor())
    #expect(left.map(\.id) == Array(241...320))
  }
}
