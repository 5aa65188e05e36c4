import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// What a pruned store and its archive give together is what the store gave before.
@Suite(.bounded) struct TimelineTests {
  private static func all(
    _ query: HistoryQuery, in snapshot: StoreSnapshot
  ) throws -> [HistoryTransaction] {
    let reader = try HistoryReader(snapshot: snapshot, query: query)
    var transactions: [HistoryTransaction] = []
    while let transaction = try reader.next() { transactions.append(transaction) }
    return transactions
  }

  @Test(arguments: [0, 30, -1])
  func `every query has the same answer as before the store was pruned`(overlap: Int) throws {
    for seed: UInt64 in 1...2 {
      let folder = try TemporaryFolder()
      let path = folder.file("random.store")
      var random = RandomHistory(seed: seed)
      try random.write(to: path, layout: .current)
      let numbers = try StoreHistory(path: path).transactions.map(\.number)
      // No number is missing where the history of the store begins, for nobody could tell that from a gap.
      let index = try #require(
        (25...40).first { numbers[$0 - 1] + 1 == numbers[$0] })
      let copy = try ArchivedCopy(
        of: path, prunedBefore: overlap < 0 ? nil : numbers[index],
        archivedBefore: numbers[min(index + max(overlap, 0), numbers.count - 1)], in: folder,
        segments: [numbers[8], numbers[20]])
      try copy.read { whole, timeline in
        let schema = try timeline.schema()
        var answered = 0
        for _ in 0..<150 {
          let query = try random.query()
          do {
            let expected = try Self.all(query, in: whole)
            let found = try TimelineReader(timeline, query: query, schema: schema).all()
            #expect(found.transactions == expected, "seed \(seed): \(query)")
            #expect(found.gaps.isEmpty)
            answered += expected.isEmpty ? 0 : 1
          } catch HistoryError.unknownAttribute {
            #expect(throws: HistoryError.self) {
              try TimelineReader(timeline, query: query, schema: schema)
            }
          }
        }
        #expect(answered > 40)
      }
    }
  }

  @Test(
    .needsRealStores,
    arguments: RealStores.paths)
  func `a pruned real store with its archive answers as the whole store`(
    store: String
  ) throws {
    let folder = try TemporaryFolder()
    let original = try folder.copy(store: store)
    guard let numbers = try? StoreHistory(path: original).transactions.map(\.number),
      numbers.count > 8
    else { return }
    let place = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: original, prunedBefore: numbers[numbers.count * 2 / 3], in: place,
      segments: [numbers[numbers.count / 4], numbers[numbers.count / 2]])
    try Self.check(copy)
  }

  @Test
  func `a pruned sample with its archive answers as the whole store`() throws {
    for (cut, end) in [(9, 9), (5, 9), (12, 12), (nil, 6)] as [(Int64?, Int64)] {
      let folder = try TemporaryFolder()
      let copy = try ArchivedCopy(
        of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: cut,
        archivedBefore: end, in: folder, segments: [3, 4])
      try Self.check(copy)
    }
  }

  @Test
  func `an archive without a part of the store's history omits nothing`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 4, archivedBefore: 10,
      in: folder, segments: [4, 8], leavingOut: 1)
    try Self.check(copy)
  }

  private static func check(_ copy: ArchivedCopy) throws {
    try copy.read { whole, timeline in
      let wholeSchema = try HistorySchema(whole)
      let schema = try timeline.schema()
      let all = copy.history.transactions
      for order in [HistoryQuery.Order.ascending, .descending] {
        let query = HistoryQuery(order: order)
        let found = try TimelineReader(timeline, query: query, schema: schema).all()
        #expect(found.transactions == (order == .ascending ? all : all.reversed()))
      }
      try checkNetChanges(whole, wholeSchema, timeline, schema)
      try checkStatistics(whole, wholeSchema, timeline, schema)
      try checkLives(all, whole, wholeSchema, timeline, schema)
      try checkPositions(all, whole, timeline)
    }
  }

  private static func checkNetChanges(
    _ whole: StoreSnapshot, _ wholeSchema: HistorySchema, _ timeline: HistoryTimeline,
    _ schema: HistorySchema
  ) throws {
    func changes(_ reader: NetChangeReader) throws -> [NetChange] {
      var changes: [NetChange] = []
      while let change = try reader.next() { changes.append(change) }
      return changes
    }
    let last = try whole.newestTransaction()?.number ?? 0
    for (after, until) in [(0, last), (last / 5, last), (last / 5, last / 2), (last - 1, last)] {
      for capacity in [NetChangeReader.usualCapacity, 3] {
        let query = HistoryQuery(after: after, until: until)
        // Many passes over a large history take their time.
        guard capacity > 3 || last < 100 else { continue }
        let expected = try NetChangeReader(
          snapshot: whole, query: query, schema: wholeSchema, capacity: capacity)
        let found = try NetChangeReader(timeline, query: query, schema: schema, capacity: capacity)
        let (foundChanges, expectedChanges) = try (changes(found), changes(expected))
        #expect(foundChanges == expectedChanges, "\(after) to \(until)")
        #expect(found.changeCount == expected.changeCount)
        #expect(found.skippedChangeCount == expected.skippedChangeCount)
      }
    }
  }

  private static func checkStatistics(
    _ whole: StoreSnapshot, _ wholeSchema: HistorySchema, _ timeline: HistoryTimeline,
    _ schema: HistorySchema
  ) throws {
    let now = StoreTimestamp(secondsSinceReferenceDate: 780_000_000)
    let expected = try HistoryStatistics(
      snapshot: whole, schema: wholeSchema, clock: .universal, now: now)
    let found = try HistoryStatistics(timeline, schema: schema, clock: .universal, now: now)
    func figures(_ activity: Activity) -> [Int64] {
      [
        activity.transactions, activity.inserts, activity.updates, activity.deletes,
        activity.others,
      ]
    }
    func groups<Key>(_ ranking: ActivityRanking<Key>, _ name: (Key) -> String?) -> Set<String> {
      Set(ranking.groups.map { "\(name($0.key) ?? "-"): \(figures($0.activity))" })
    }
    #expect(figures(found.total) == figures(expected.total))
    #expect(found.times == expected.times && found.unit == expected.unit)
    #expect(found.oldest == expected.oldest && found.newest == expected.newest)
    #expect(found.periods.map(\.period) == expected.periods.map(\.period))
    #expect(
      found.periods.map { figures($0.activity) } == expected.periods.map { figures($0.activity) })
    #expect(groups(found.authors) { $0?.string } == groups(expected.authors) { $0?.string })
    #expect(groups(found.processes) { $0?.string } == groups(expected.processes) { $0?.string })
    #expect(groups(found.entities) { $0.label } == groups(expected.entities) { $0.label })
    #expect(groups(found.kinds) { $0?.name } == groups(expected.kinds) { $0?.name })
  }

  private static func checkLives(
    _ all: [HistoryTransaction], _ whole: StoreSnapshot, _ wholeSchema: HistorySchema,
    _ timeline: HistoryTimeline, _ schema: HistorySchema
  ) throws {
    let objects = all.flatMap(\.changes).compactMap(\.object)
    for object in Set([objects.first, objects[objects.count / 2], objects.last].compactMap { $0 }) {
      let expected = try ObjectLifeReader(object, snapshot: whole, schema: wholeSchema)
      let found = try ObjectLifeReader(object, in: timeline, schema: schema)
      while let transaction = try expected.nextTransaction() {
        #expect(try found.nextTransaction() == transaction)
        while let change = try expected.nextChange() {
          #expect(try found.nextChange() == change)
        }
      }
      #expect(try found.nextTransaction() == nil)
      #expect(found.life == expected.life)
    }
  }

  private static func checkPositions(
    _ all: [HistoryTransaction], _ whole: StoreSnapshot, _ timeline: HistoryTimeline
  ) throws {
    let now = StoreTimestamp(secondsSinceReferenceDate: 780_000_000)
    let expected = TokenResolver(snapshot: whole, now: now)
    let found = TokenResolver(timeline: timeline, now: now)
    let firstInStore = try timeline.snapshot?.oldestTransaction()?.number ?? .max
    let step = max(1, all.count / 30)
    for index in stride(from: 0, to: all.count, by: step) {
      for text in [
        "\(all[index].number)", "first~\(index)", "last~\(index)",
        all[index].timestamp?.iso8601() ?? "0",
      ] {
        let (one, other) = try (expected.resolve(text), found.resolve(text))
        #expect(one.number == other.number && one.timestamp == other.timestamp, "\(text)")
        #expect(
          other.state
            == ((one.number ?? 0) < firstInStore && one.moment == nil
              && text == "\(all[index].number)"
              ? .archived : .valid),
          "\(text)")
      }
    }
    #expect(throws: HistoryError.self) { try found.resolve("first~\(all.count)") }
    #expect(throws: HistoryError.self) { try found.resolve("last~\(all.count)") }
    #expect(try timeline.transactionCount() == Int64(all.count))
    for number in [0, 1, firstInStore - 1, firstInStore, firstInStore + 1, .max] {
      #expect(
        try timeline.firstTransaction(after: number) == whole.firstTransaction(after: number))
      #expect(
        try timeline.lastTransaction(before: number) == whole.lastTransaction(before: number))
    }
  }

  @Test
  func `an archive alone returns the sealed history`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 9, in: folder,
      segments: [4])
    let timeline = HistoryTimeline(try copy.open())
    let schema = try timeline.schema()
    let sealed = copy.history.transactions.filter { $0.number < 9 }
    #expect(
      try TimelineReader(timeline, query: HistoryQuery(), schema: schema).all().transactions
        == sealed)
    #expect(timeline.storeIdentifier == StoreWriter.identifier)
    let resolver = TokenResolver(timeline: timeline)
    #expect(try resolver.resolve("3").state == .valid)
    #expect(try resolver.resolve("9").state == .ahead(highestIssued: 8))
    for (text, number) in [
      ("first", 1), ("first~3", 4), ("last", 8), ("last~7", 1), ("2024-07-29T00:44:41Z", 3),
    ] as [(String, Int64)] {
      #expect(try resolver.resolve(text).number == number, "\(text)")
    }
    #expect(try resolver.transactionNumber("2024-07-29T00:44:41Z") == 4)
    #expect(throws: HistoryError.self) { try resolver.resolve("first~8") }
    #expect(try resolver.unusable(resolver.resolve("9")).archive == nil)
    #expect(try timeline.firstTransaction(after: 3)?.number == 4)
    #expect(try timeline.lastTransaction(before: 99)?.number == 8)
    let life = try ObjectLifeReader(
      HistoryObject("BucketListItem/p5"), in: timeline, schema: schema)
    while try life.nextTransaction() != nil {}
    #expect(life.life.state == .deleted)
    let unknown = HistoryQuery(change: ChangeCondition(entities: ["Trap"]))
    #expect(throws: HistoryError.unknownEntity(name: "Trap", suggestions: ["Trip"])) {
      try TimelineReader(timeline, query: unknown, schema: schema)
    }
  }

  @Test
  func `the highest number of an archive with a gap is in its last segment`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 9, in: folder,
      segments: [3, 6], leavingOut: 1)
    #expect(try HistoryTimeline(copy.open()).highestIssued() == 8)
  }

  @Test
  func `an archive alone has the net changes of very many objects`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 2, changesEach: 3000)
    try ArchiveSealerTests.seal(path, in: folder.file("archive"), before: .end)
    let timeline = HistoryTimeline(try ArchiveReader(path: folder.file("archive")))
    let reader = try NetChangeReader(timeline, query: HistoryQuery(), schema: timeline.schema())
    var keys: [Int64] = []
    while let change = try reader.next() { keys.append(change.primaryKey) }
    #expect(keys == Array(1...3000))
  }

  @Test
  func `a store pruned further than sealed has a gap at its place`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 9, archivedBefore: 6,
      in: folder)
    let gap = HistoryGap(store: StoreWriter.identifier, after: 5, oldest: 9)
    try copy.read { (_, timeline) throws in
      let schema = try timeline.schema()
      var numbers: [Int64] = []
      let reader = try TimelineReader(timeline, query: HistoryQuery(), schema: schema)
      while let element = try reader.nextElement() {
        switch element {
        case .transaction(let transaction): numbers.append(transaction.number)
        case .gap(let found):
          #expect(found == gap)
          numbers.append(0)
        }
      }
      #expect(numbers == [1, 2, 3, 4, 5, 0, 9, 10, 11, 12])
      // Who does not ask for what is missing is not told of it.
      for query in [
        HistoryQuery(after: 8), HistoryQuery(until: 5), HistoryQuery(order: .descending, limit: 4),
        HistoryQuery(limit: 4, limitKeepsNewest: true),
      ] {
        let found = try TimelineReader(timeline, query: query, schema: schema).all()
        #expect(found.gaps.isEmpty && found.transactions.count >= 4)
      }
      let newest = HistoryQuery(limit: 5, limitKeepsNewest: true)
      let found = try TimelineReader(timeline, query: newest, schema: schema).all()
      #expect(found.gaps == [gap] && found.transactions.map(\.number) == [5, 9, 10, 11, 12])

      let resolver = TokenResolver(timeline: timeline)
      #expect(try resolver.resolve("5").state == .expired)
      #expect(try resolver.resolve("7").state == .expired)
      #expect(try resolver.transactionNumber("5") == 5)
      let problem = try resolver.unusable(resolver.resolve("3"))
      #expect(problem.message.contains("after it 6 to 8 are missing"))
      #expect(problem.message.contains("\(copy.archive.path) holds 1 to 5"))
      #expect(problem.oldest?.number == 9)
      #expect(throws: HistoryError.self) { try resolver.resolveUsable("3") }
      let statistics = try HistoryStatistics(timeline, schema: schema)
      #expect(statistics.gaps == [gap] && statistics.total.transactions == 9)
    }
  }

  @Test
  func `a missing segment is a gap between its neighbors`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 9, in: folder,
      segments: [4, 6], leavingOut: 1)
    try copy.read { (_, timeline) throws in
      #expect(
        try timeline.gaps() == [HistoryGap(store: StoreWriter.identifier, after: 3, oldest: 6)])
      let resolver = TokenResolver(timeline: timeline)
      #expect(try resolver.resolve("2").state == .expired)
      #expect(try resolver.resolve("6").state == .archived)
      #expect(try resolver.resolve("first~3").number == 6)
      #expect(try resolver.resolve("last~8").number == 2)
      #expect(try timeline.transactionCount() == 10)
    }
  }

  @Test
  func `the oldest token that works is after the last of two gaps`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 9, archivedBefore: 7,
      in: folder, segments: [3, 5], leavingOut: 1)
    try copy.read { (_, timeline) throws in
      #expect(try timeline.gaps().map(\.after) == [2, 6])
      let resolver = TokenResolver(timeline: timeline)
      #expect(try resolver.unusable(resolver.resolve("1")).oldest?.number == 9)
    }
  }

  @Test
  func `a transaction missing within the store's history is not read from the archive`()
    throws
  {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 5, archivedBefore: 10,
      in: folder)
    try StoreQuery(path: copy.pruned).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 8; DELETE FROM ATRANSACTION WHERE Z_PK = 8")
    try copy.read { (_, timeline) throws in
      let resolver = TokenResolver(timeline: timeline)
      #expect(try resolver.resolve("8").state == .expired)
      #expect(try resolver.resolve("7").state == .valid)
      #expect(try resolver.resolve("4").state == .archived)
    }
  }

  @Test
  func `an archive for a store without transactions must reach the last issued one`()
    throws
  {
    for end: Int64 in [13, 9] {
      let folder = try TemporaryFolder()
      let copy = try ArchivedCopy(
        of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 12,
        archivedBefore: end, in: folder)
      try StoreQuery(path: copy.pruned)
        .run("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
      try copy.read { (_, timeline) throws in
        let gap = HistoryGap(store: StoreWriter.identifier, after: end - 1, oldest: nil)
        #expect(try timeline.gaps() == (end == 13 ? [] : [gap]))
        #expect(try timeline.newestTransaction()?.number == end - 1)
        #expect(
          try TokenResolver(timeline: timeline).resolve("4").state
            == (end == 13 ? .archived : .expired))
      }
    }
  }

  @Test
  func `an archive of another copy is refused, and its tokens have diverged`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: 5, archivedBefore: 9,
      in: folder)
    try StoreQuery(path: copy.pruned)
      .run("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 7 WHERE Z_PK >= 7")
    try copy.read { (_, timeline) throws in
      #expect(timeline.divergence?.archived.number == 8)
      #expect(throws: HistoryError.self) {
        try TimelineReader(timeline, query: HistoryQuery(), schema: timeline.schema())
      }
      let resolver = TokenResolver(timeline: timeline)
      for (token, name) in [
        ("3", "diverged"), ("6", "valid"), ("7", "diverged"), ("10", "valid"), ("13", "ahead"),
      ] {
        let state = try resolver.resolve(token).state
        #expect(state.name == name, "\(token)")
      }
      let error = #expect(throws: HistoryError.self) { try resolver.resolveUsable("3") }
      guard case .divergedArchive? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    // A store that went back behind what was sealed.
    let place = try TemporaryFolder()
    let older = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("older.store")), prunedBefore: nil,
      archivedBefore: 12, in: place)
    try StoreQuery(path: older.pruned).run(
      "DELETE FROM ATRANSACTION WHERE Z_PK > 8; UPDATE Z_PRIMARYKEY SET Z_MAX = 8 WHERE Z_ENT = 16002"
    )
    try older.read { (_, timeline) throws in
      #expect(timeline.divergence?.archived.number == 11)
      #expect(timeline.divergence?.stored == nil)
    }
  }
}
