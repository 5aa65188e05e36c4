import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryCoding

/// What the encoder writes is found to be right, and nothing else is.
@Suite struct CanonicalLineTests {
  private static func check(
    _ text: [UInt8], _ check: CanonicalLineCheck
  ) throws -> [(Int64, StoreTimestamp?)] {
    var heads: [(Int64, StoreTimestamp?)] = []
    try text.withUnsafeBufferPointer { text in
      try check.check(lines: text) { heads.append(($0.number, $0.timestamp)) }
    }
    return heads
  }

  @Test("Every line of a store is right, with its numbers, times and counts", arguments: [1, 2, 3])
  func everything(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var hostile = HostileHistory(seed: seed)
    try hostile.write(to: folder.file("hostile.store"), hasPlainStrings: seed == 2)
    for path in [
      folder.file("hostile.store"), try SampleStore.write(to: folder.file("sample.store")),
      try LongHistory.write(
        to: folder.file("long.store"), transactions: 300, changesEach: 40, sizes: [7: 0]),
    ] {
      let lines = try StoreLines(path: path)
      let store = try #require(lines.transactions.first?.store)
      let canonical = CanonicalLineCheck(store: store, schema: lines.schema)
      // The second time nearly all is known.
      for _ in 0..<2 {
        let heads = try Self.check(Array(lines.lines.joined()), canonical)
        #expect(heads.map(\.0) == lines.transactions.map(\.number))
        #expect(heads.map(\.1) == lines.transactions.map(\.timestamp))
        var counts: [CanonicalLineCheck.Count: Int64] = [:]
        for change in lines.transactions.flatMap(\.changes) {
          counts[.init(kind: change.kind, entityNumber: change.entity?.number), default: 0] += 1
        }
        #expect(canonical.takeCounts() == counts)
      }
    }
  }

  @Test("A byte that is changed makes it another line, or none")
  func changedBytes() throws {
    let folder = try TemporaryFolder()
    let lines = try StoreLines(path: SampleStore.write(to: folder.file("sample.store")))
    let store = try #require(lines.transactions.first?.store)
    let canonical = CanonicalLineCheck(store: store, schema: lines.schema)
    let decoder = TransactionLineDecoder(schema: lines.schema)
    _ = try Self.check(Array(lines.lines.joined()), canonical)
    var random = SeededGenerator(seed: 9)
    try Self.changeBytes(of: lines.lines, store, decoder, canonical, &random)
  }

  @Test(
    "So is a delete, whose values are other ones each time", arguments: 1...4 as ClosedRange<UInt64>
  )
  func deletes(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var hostile = HostileHistory(seed: 1)
    try hostile.write(to: folder.file("hostile.store"), hasPlainStrings: false)
    let schema = try StoreLines(path: folder.file("hostile.store")).schema
    var random = SeededGenerator(seed: seed)
    let entity = try #require(schema.entity(named: HostileHistory.everything.name))
    let types = try #require(entity.slots?.tombstoneAttributes.map(\.type))
    var encoder = TransactionLineEncoder()
    let lines: [[UInt8]] = (1...60 as ClosedRange<Int64>).map { number in
      var transaction = HistoryTransaction(
        store: "S", number: number, timestamp: StoreTimestamp(secondsSinceReferenceDate: 7e8))
      transaction.changes = (Int64(0)..<4).map { index in
        HistoryChange(
          number: number * 10 + index, kind: .delete, entity: entity, primaryKey: number,
          tombstone: types.map { Self.value(of: $0, &random) })
      }
      defer { encoder.removeAll() }
      encoder.encode(.transaction(transaction))
      return Array(encoder.bytes)
    }
    let canonical = CanonicalLineCheck(store: "S", schema: schema)
    for _ in 0..<2 {
      #expect(try Self.check(Array(lines.joined()), canonical).count == lines.count)
      #expect(
        canonical.takeCounts() == [.init(kind: .delete, entityNumber: entity.number): 240])
    }
    try Self.changeBytes(
      of: [lines[0], lines[1]], "S", TransactionLineDecoder(schema: schema), canonical, &random)
  }

  /// A value that an app may well have left, or none.
  private static func value(
    of type: AttributeType, _ random: inout SeededGenerator
  ) -> StoredValue {
    switch (type, Int.random(in: 0..<6, using: &random)) {
    case (_, 0): .null
    case (.boolean, let number): .integer(Int64(number % 2))
    case (.uuid, _): .blob((0..<16).map { _ in .random(in: 0...255, using: &random) })
    case (.date, 1): .real(Double(Int64.random(in: 0...999_999_999, using: &random)))
    case (.date, 2): .real(.random(in: -1e9...3e9, using: &random))
    case (.date, _):
      .real(Double(Int64.random(in: 0...978_307_199_999_999, using: &random)) / 1_000_000)
    case (_, 1):
      .text(
        ["", "Zürich 4", "a \"quote\"", "tab\t", "plain text", "🚀"].randomElement(using: &random)
          ?? "")
    case (.double, 2): .real(.random(in: -10...10, using: &random))
    case (_, _): .integer(.random(in: -1_000_000...1_000_000, using: &random))
    }
  }

  private static func changeBytes(
    of lines: [[UInt8]], _ store: String, _ decoder: TransactionLineDecoder,
    _ canonical: CanonicalLineCheck, _ random: inout SeededGenerator
  ) throws {
    for line in lines {
      for place in line.indices {
        var bytes = line
        bytes[place] = UInt8.random(in: 1...255, using: &random) ^ bytes[place]
        guard (try? Self.check(bytes, canonical)) != nil else { continue }
        // What is accepted is what is written of what it says.
        guard case .transaction(let transaction) = try decoder.decode(bytes) else { continue }
        var encoder = TransactionLineEncoder()
        encoder.encode(.transaction(transaction))
        #expect(Array(encoder.bytes) == bytes)
        #expect(transaction.store == store)
      }
    }
  }
}
