import PersistentHistory
import StoreFormat

/// Histories and questions about them that look random and are the same in every run.
package struct RandomHistory {
  /// How the tables of a store look.
  package enum Layout: CaseIterable, CustomStringConvertible {
    /// Texts are interned, and changes have an index.
    case current
    /// Texts are plain, as in 2017.
    case plain
    /// As `current`, without the index on changes.
    case withoutIndex

    package var description: String {
      switch self {
      case .current: "current layout"
      case .plain: "plain texts"
      case .withoutIndex: "no index on changes"
      }
    }
  }

  private typealias Row = [(column: String, value: StoredValue)]

  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  // MARK: - Stores

  /// Texts that an app may set, and values that it should not be able to set.
  private static let texts: [StoredValue] = [
    .null, .text("app"), .text("widget"), .text("é"), .text("e\u{301}"), .text(""), .text("8597"),
    .malformedText([0xff, 0x41]), .malformedText([0x61, 0, 0x62]), .text("App"), .blob([0x61]),
    .text("%"),
  ]

  /// Writes a store of 60 transactions, numbered with holes.
  package mutating func write(to path: String, layout: Layout) throws {
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = layout == .plain
    let writer = try StoreWriter(path: path, shape: shape)
    var transactions: [Row] = []
    var changes: [Row] = []
    var number: Int64 = 10
    var change: Int64 = 0
    for _ in 0..<60 {
      number += Bool.random(using: &generator) ? 1 : .random(in: 1...3, using: &generator)
      transactions.append(transaction(number, layout))
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        change += 1
        changes.append(self.change(change, of: number))
      }
    }
    if layout != .plain {
      try writer.insert(
        into: "ATRANSACTIONSTRING",
        Self.texts.enumerated().map { [("Z_PK", .integer(Int64($0 + 1))), ("ZNAME", $1)] })
    }
    try writer.insert(into: "ATRANSACTION", transactions)
    try writer.insert(into: "ACHANGE", changes)
    if layout == .withoutIndex { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try writer.close()
  }

  private mutating func transaction(_ number: Int64, _ layout: Layout) -> Row {
    var row: Row = [
      ("Z_PK", .integer(number)), ("Z_ENT", .integer(16002)),
      ("ZTIMESTAMP", .real(Double(Int.random(in: 0...1_000_000, using: &generator)) / 8)),
    ]
    for column in ["ZAUTHOR", "ZBUNDLEID", "ZPROCESSID", "ZCONTEXTNAME"] {
      if layout == .plain {
        row.append((column, pick(Self.texts)))
        continue
      }
      // Mostly interned; sometimes dangling, sometimes plain as well, or only plain.
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: row += [(column, pick(Self.texts))]
      case 1: row += [(column, pick(Self.texts)), (column + "TS", .integer(99))]
      case 2: row += [(column, pick(Self.texts)), (column + "TS", identifier())]
      case 3:
        row += [
          (column, pick(Self.texts)), (column + "TS", pick([StoredValue.text("x"), .real(0.5)])),
        ]
      default: row += [(column + "TS", identifier())]
      }
    }
    return row
  }

  private mutating func identifier() -> StoredValue {
    .integer(.random(in: 1...Int64(Self.texts.count), using: &generator))
  }

  private mutating func change(_ number: Int64, of transaction: Int64) -> Row {
    let entity = pick([1, 2, 3, 4, 5, 5, 5, 99, 16002] as [Int64])
    let name = TripsModel.numbers.first { $0.number == entity }?.name
    let slotCount = name.flatMap { TripsModel.slots[$0]?.slots.count } ?? 9
    var mask = ColumnMask(
      slotCount: slotCount,
      settingSlots: (0..<slotCount).filter { _ in .random(in: 0..<4, using: &generator) == 0 }
    ).bytes
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: mask.append(0)
    case 1: mask[mask.count - 1] |= 1
    case 2: mask = []
    default: break
    }
    let kinds: [StoredValue] = [
      .integer(0), .integer(1), .integer(1), .integer(1), .integer(2), .integer(7), .null,
    ]
    return [
      ("Z_PK", .integer(number)), ("Z_ENT", .integer(16001)), ("ZCHANGETYPE", pick(kinds)),
      (
        "ZENTITY",
        Int.random(in: 0..<20, using: &generator) == 0 ? .text("?") : .integer(entity)
      ),
      ("ZENTITYPK", .integer(.random(in: 1...3, using: &generator))),
      ("ZTRANSACTIONID", .integer(transaction)),
      ("ZCOLUMNS", pick([StoredValue.blob(mask), .blob(mask), .blob(mask), .null, .text("00")])),
    ]
  }

  // MARK: - Questions

  /// A query of one to four conditions.
  package mutating func query() throws -> HistoryQuery {
    var query = HistoryQuery()
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      switch Int.random(in: 0..<11, using: &generator) {
      case 0, 1: query.author = text()
      case 2: query.bundle = text()
      case 3: query.process = text()
      case 4: query.change.kinds = some(ChangeKind.allCases)
      case 5:
        query.change.exactEntities = some(TripsModel.numbers.map(\.name) + ["99", "16002", "98"])
      case 6:
        query.change.objects = try some(
          [
            "Trip/p1", "Trip/p2", "BucketListItem/p1", "99/p1", "16002/p2", "Tag/p3",
            "x-coredata://\(StoreWriter.identifier.lowercased())/Trip/p3",
          ]
        ).map { try HistoryObject($0) }
      case 7, 8:
        query.change.attributes = some([
          "name", "items", "trip", "isDone", "place", "stay", "placeName", "title", "label", "tags",
          "isConfirmed", "address", "token",
        ])
      case 9: query.after = .random(in: 0...130, using: &generator)
      default: query.until = .random(in: 0...130, using: &generator)
      }
    }
    if Bool.random(using: &generator) { query.order = .descending }
    if Bool.random(using: &generator) { query.limit = .random(in: 0...20, using: &generator) }
    query.limitKeepsNewest = .random(using: &generator)
    query.keepsOnlyMatchingChanges = .random(using: &generator)
    return query
  }

  private mutating func text() -> HistoryQuery.TextCondition {
    let names = ["app", "widget", "é", "e\u{301}", "", "8597", "a\u{0}b", "APP", "%", "nobody"]
    var condition = HistoryQuery.TextCondition()
    if Bool.random(using: &generator) {
      condition.anyOf = .random(in: 0..<8, using: &generator) == 0 ? [] : some(names)
      condition.orNone = .random(using: &generator)
    }
    if condition.anyOf == nil || .random(in: 0..<4, using: &generator) == 0 {
      condition.noneOf = some(names)
    }
    return condition
  }

  private mutating func some<Element>(_ elements: [Element]) -> [Element] {
    (0..<Int.random(in: 1...3, using: &generator)).map { _ in pick(elements) }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }
}
