import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Random histories, rules and bookmarks: what is planned is what is done, and is what a model of a
/// few lines says.
@Suite(.bounded, .needsOptimization) struct RandomPruneTests {
  /// Requests for each of the stores.
  private static let requestCount = 45

  /// A history as plain SQL has it.
  private struct History {
    let transactions: [(number: Int64, seconds: Double)]
    let changes: [Int64]

    init(_ query: StoreQuery) throws {
      transactions = try query.rows("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK")
        .map { row in
          guard case .integer(let number) = row[0], case .real(let seconds) = row[1] else {
            return (0, 0)
          }
          return (number, seconds)
        }
      changes = try query.rows("SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK").map { row in
        if case .integer(let number) = row[0] { number } else { .max }
      }
    }

    var numbers: [Int64] { transactions.map(\.number) }

    func number(notBefore seconds: Double) -> Int64? {
      transactions.first { $0.seconds >= seconds }?.number
    }
  }

  @Test(arguments: 0..<24) func `pruning follows its plan`(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let layout = RandomHistory.Layout.allCases[Int(seed % 3)]
    var history = RandomHistory(seed: seed)
    let original = folder.file("original.store")
    try history.write(to: original, layout: layout)
    let bytes = try FileBytes.read(original)
    let model = try History(StoreQuery(path: original))
    var generator = SeededGenerator(seed: seed &* 7919 &+ 1)
    for round in 0..<Self.requestCount {
      let path = folder.file("\(round).store")
      try FileBytes.write(bytes, to: path)
      try Self.check(path, model, &generator)
      for suffix in ["", "-wal", "-shm", "-bookmarks.json"]
      where try folder.names().contains("\(round).store\(suffix)") {
        try folder.remove("\(round).store\(suffix)")
      }
    }
  }

  private static func check(
    _ path: String, _ model: History, _ generator: inout SeededGenerator
  ) throws {
    let now = StoreTimestamp(secondsSinceReferenceDate: 130_000)
    let bookmarks = try setBookmarks(path, model, &generator)
    var request = PruneRequest(.transactions([]))
    var cuts: [Int64?] = []
    var rules: [RetentionRule] = []
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let (rule, cut) = try rule(model, now, &generator)
      rules.append(rule)
      cuts.append(cut)
    }
    let isAll = Int.random(in: 0..<8, using: &generator) == 0
    if isAll { rules.append(.all) }
    request.target = .transactions(rules)
    if Bool.random(using: &generator) {
      request.allowance = .transactions(Int64.random(in: 1...70, using: &generator))
    }
    if Int.random(in: 0..<6, using: &generator) == 0 { request.ignoredGuards = ["@b0"] }

    let pruner = try HistoryPruner(path: path, now: now)
    let plan = try pruner.plan(request)
    let result = try pruner.prune(plan)
    #expect(result.problem == nil)
    #expect(result.deleted.transactionCount == plan.deletion.transactionCount)
    #expect(result.deleted.changeCount == plan.deletion.changeCount)

    // The model: the lowest cut of rules and bookmarks, and the newest stays.
    var expected = cuts.map { $0 ?? .max }.min() ?? .max
    let newest = model.numbers.last ?? 0
    if !isAll { expected = min(expected, newest) }
    for (name, number) in bookmarks where !request.ignoredGuards.contains("@" + name) {
      guard number == 0 || model.numbers.contains(number) else { continue }
      if case .transactions(let count)? = request.allowance,
        model.numbers.count(where: { $0 > number }) > count
      {
        continue
      }
      expected = min(expected, number)
    }
    let left = try History(StoreQuery(path: path))
    #expect(left.numbers == model.numbers.filter { $0 >= expected })
    let isUntouched = left.numbers == model.numbers
    #expect(left.changes == model.changes.filter { isUntouched || $0 >= expected || $0 > newest })
    if !isAll { #expect(left.numbers.last == newest) }
    for outlook in plan.bookmarks where outlook.outcome == .kept {
      let number = outlook.number ?? -1
      #expect(number == 0 || left.numbers.contains(number))
    }
    for outlook in plan.lostBookmarks {
      let number = outlook.number ?? -1
      #expect(number == 0 ? !isUntouched : !left.numbers.contains(number))
      #expect(outlook.isTooFarBehind || request.ignoredGuards.contains("@b0"))
    }
  }

  private static func setBookmarks(
    _ path: String, _ model: History, _ generator: inout SeededGenerator
  ) throws -> [(String, Int64)] {
    var bookmarks: [(String, Int64)] = []
    for index in 0..<Int.random(in: 0...3, using: &generator) {
      let number: Int64 =
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: 0
        case 1: 100_000
        case 2: Int64.random(in: 1...150, using: &generator)
        default: model.numbers.randomElement(using: &generator) ?? 1
        }
      bookmarks.append(("b\(index)", number))
      try BookmarkFile.set(
        Bookmark(
          name: "b\(index)",
          token: HistoryToken(storeIdentifier: StoreWriter.identifier, transaction: number),
          timestamp: nil), in: BookmarkFile.path(besideStore: path))
    }
    return bookmarks
  }

  /// A rule, and where it cuts; nil where it keeps nothing.
  private static func rule(
    _ model: History, _ now: StoreTimestamp, _ generator: inout SeededGenerator
  ) throws -> (RetentionRule, Int64?) {
    let oldest = model.numbers.first ?? 0
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let count = Int.random(in: 1...75, using: &generator)
      return (
        .keepLast(Int64(count)),
        count > model.numbers.count ? oldest : model.numbers.suffix(count).first
      )
    case 1:
      let number = model.numbers.randomElement(using: &generator) ?? 1
      return (.before(token: "\(number)"), number)
    case 2:
      let seconds = Int.random(in: 1...140_000, using: &generator)
      let moment = now.secondsSinceReferenceDate - Double(seconds)
      return (
        .keepWithin(try HistoryDuration(parsing: "\(seconds)s")), model.number(notBefore: moment)
      )
    default:
      let missing = Int64.random(in: 1...model.numbers[model.numbers.count - 1], using: &generator)
      return (.before(token: "\(missing)"), model.numbers.first { $0 >= missing })
    }
  }
}
