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
    for line in lines.lines {
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
