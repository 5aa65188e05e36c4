import OpenSwiftData
import TestSupport
import Testing

@Model
final class Price {
  var amount: Decimal
  @Attribute(.preserveValueOnDeletion) var former: Decimal?

  init(_ amount: Decimal) {
    self.amount = amount
    former = amount
  }
}

/// A store keeps doubles for decimals; which decimal was meant must not get lost on the way.
@Suite(.bounded) struct DecimalValueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Price.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("P.store")))))
  }

  private static func decimal(_ text: String) throws -> Decimal {
    try #require(Decimal(string: text), "\(text)")
  }

  /// Amounts of up to 15 digits, of every size that comes up.
  private static func amounts() throws -> [Decimal] {
    var amounts = stride(from: 0, to: 20_000, by: 13).map { Decimal($0) / 100 }
    for power in -20...20 {
      for digits in ["1", "7", "-19.99", "123456789012345", "-999999999999999"] {
        amounts.append(try decimal(digits + "e\(power)"))
      }
    }
    amounts += try ["0.07", "0.1", "1e38", "1e-120", "9007199254740993"].map(decimal)
    return amounts
  }

  @Test func `decimal numbers are read back unchanged`() throws {
    let amounts = try Self.amounts()
    let writer = try open()
    for amount in amounts { writer.insert(Price(amount)) }
    try writer.save()
    // What was read is written once more, and must not move.
    for _ in 0..<2 {
      let context = try open()
      let prices = try context.fetch(FetchDescriptor<Price>())
      #expect(prices.count == amounts.count)
      for (price, amount) in zip(prices, amounts) where amount != 9_007_199_254_740_993 {
        #expect(price.amount == amount && price.former == amount)
        price.amount = price.amount
      }
      try context.save()
    }
    // A double has no more digits than this.
    #expect(try open().fetch(FetchDescriptor<Price>()).last?.amount == 9_007_199_254_740_992)
  }

  @Test func `the number in the store is the nearest double`() throws {
    let context = try open()
    for text in ["0.07", "19.99", "1e38", "0.1234567890123457", "123456789012345678.25"] {
      context.insert(Price(try Self.decimal(text)))
    }
    try context.save()
    #expect(
      try StoreQuery(path: folder.file("P.store")).rows(
        "SELECT CAST(ZAMOUNT AS REAL) FROM ZPRICE ORDER BY Z_PK"
      ).flatMap { $0 }
        == [0.07, 19.99, 1e38, 0.1234567890123457, 123456789012345678.25].map { .real($0) })
  }

  @Test func `predicates compare decimal numbers in SQL and in memory`() throws {
    let context = try open()
    for cents in stride(from: 0, through: 2000, by: 7) {
      context.insert(Price(Decimal(cents) / 100))
    }
    try context.save()
    for cents in stride(from: 0, through: 2000, by: 35) {
      let wanted = Decimal(cents) / 100
      let descriptor = FetchDescriptor<Price>(predicate: #Predicate { $0.amount == wanted })
      let reader = try open()
      #expect(try reader.fetchCount(descriptor) == 1, "\(wanted)")
      reader.insert(Price(-1))
      let found = try #require(try reader.fetch(descriptor).first, "\(wanted)")
      #expect(found.amount == wanted)
      let read = found.amount
      #expect(
        try open().fetchCount(FetchDescriptor<Price>(predicate: #Predicate { $0.amount == read }))
          == 1)
    }
  }

  @Test func `tombstones keep decimal numbers`() throws {
    let context = try open()
    let price = Price(try Self.decimal("19.99"))
    context.insert(price)
    try context.save()
    context.delete(price)
    try context.save()
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    guard case .delete(let delete as DefaultHistoryDelete<Price>)? = changes.last else {
      Issue.record("\(changes)")
      return
    }
    #expect(delete.tombstone[\.former] as? Decimal == Decimal(string: "19.99"))
  }
}
