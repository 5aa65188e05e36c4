import TestSupport
import Testing

@testable import StoreFormat

/// A history made at random, kept in memory too, so that conditions can be checked without SQL.
private struct RandomHistory {
  struct Change {
    var number: Int64
    var kind: Int64
    var entity: Int64
    var primaryKey: Int64
    var mask: [UInt8]?
  }

  struct Transaction {
    var number: Int64
    var texts: [StringRole: String] = [:]
    var changes: [Change] = []
  }

  enum Layout: CaseIterable { case current, plain, withoutIndex, mixed }

  static let texts = ["app", "widget", "Äpp", "app ", "", "a'b"]
  /// How many slots the masks of an entity have.
  static let slotCounts: [Int64: Int] = [1: 2, 2: 4, 3: 8, 4: 9, 5: 13]

  private(set) var transactions: [Transaction] = []

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var number: Int64 = 0
    var change: Int64 = 0
    for _ in 0..<40 {
      number += Int64.random(in: 1...3, using: &generator)
      var transaction = Transaction(number: number)
      for role in StringRole.allCases where Int.random(in: 0..<3, using: &generator) > 0 {
        transaction.texts[role] = Self.texts.randomElement(using: &generator)
      }
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        change += 1
        let entity = Int64.random(in: 1...5, using: &generator)
        let kind = Int64([0, 1, 1, 1, 2, 7].randomElement(using: &generator) ?? 0)
        let count = ((Self.slotCounts[entity] ?? 0) + 7) / 8
        let length = Int.random(in: 0..<8, using: &generator) == 0 ? count + 1 : count
        let mask = (0..<length).map { _ in
          UInt8.random(in: 0...255, using: &generator)
            & UInt8.random(in: 0...255, using: &generator)
        }
        transaction.changes.append(
          Change(
            number: change, kind: kind, entity: entity,
            primaryKey: Int64.random(in: 1...4, using: &generator),
            mask: kind == 1 ? mask : nil))
      }
      transactions.append(transaction)
    }
  }

  func write(to path: String, layout: Layout) throws {
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = layout == .plain
    let writer = try StoreWriter(path: path, shape: shape)
    for transaction in transactions {
      try writer.transaction(
        transaction.number, author: transaction.texts[.author], bundle: transaction.texts[.bundle],
        process: transaction.texts[.process], context: transaction.texts[.context])
      for change in transaction.changes {
        try writer.change(
          change.number, of: transaction.number, change.kind, change.entity, change.primaryKey,
          mask: change.mask)
      }
    }
    if layout == .withoutIndex { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    if layout == .mixed {
      // The same texts, some of them plain with a string number that leads nowhere or is null, some
      // of them with a plain text beside that does not count.
      for role in StringRole.allCases {
        let (plain, identifier) = (role.plainColumn, role.identifierColumn)
        let name = "(SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = \(identifier))"
        try writer.sql(
          "UPDATE ATRANSACTION SET \(plain) = \(name), \(identifier) = NULL WHERE Z_PK % 4 = 0")
        try writer.sql(
          "UPDATE ATRANSACTION SET \(plain) = \(name), \(identifier) = 999 WHERE Z_PK % 4 = 1")
        try writer.sql(
          "UPDATE ATRANSACTION SET \(plain) = 'widget' WHERE Z_PK % 4 = 2 AND \(name) IS NOT NULL")
      }
      try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX")
      try writer.sql("CREATE INDEX A ON ACHANGE (ZTRANSACTIONID, ZENTITY)")
    }
    try writer.close()
  }

  /// The numbers of the transactions that a selection names, in its order.
  func numbers(_ selection: TransactionSelection) -> [Int64] {
    var selected = transactions.filter { transaction in
      transaction.number > selection.after ?? .min && transaction.number <= selection.until ?? .max
        && StringRole.allCases.allSatisfy {
          Self.holds(selection.texts[$0] ?? .init(), transaction.texts[$0])
        }
        && (selection.change.map { change in
          transaction.changes.contains { Self.holds(change, $0) }
        } ?? true)
    }.map(\.number)
    if let limit = selection.limit {
      let keepsLast = selection.order == .descending || selection.limitKeepsNewest
      selected = keepsLast ? selected.suffix(limit) : Array(selected.prefix(limit))
    }
    return selection.order == .ascending ? selected : selected.reversed()
  }

  private static func holds(
    _ condition: TransactionSelection.TextCondition, _ text: String?
  ) -> Bool {
    guard let text else { return condition.anyOf == nil || condition.orNone }
    return condition.anyOf?.contains(text) ?? true && !condition.noneOf.contains(text)
  }

  private static func holds(_ selection: ChangeSelection, _ change: Change) -> Bool {
    let kinds = selection.kinds?.map(\.rawValue)
    guard kinds?.contains(change.kind) ?? true,
      selection.entityNumbers?.contains(change.entity) ?? true,
      selection.objects?.contains(where: {
        $0.entityNumber == change.entity && $0.primaryKey == change.primaryKey
      }) ?? true
    else { return false }
    guard let slots = selection.slots else { return true }
    guard change.kind == 1, let mask = change.mask else { return false }
    let bits: [Bool] = (0..<mask.count * 8).map { bit in
      let byte = mask[bit / 8]
      return (byte >> UInt8(7 - bit % 8)) & 1 == 1
    }
    for slots in slots where slots.entityNumber == change.entity {
      guard mask.count == (slots.slotCount + 7) / 8 else { continue }
      if bits.dropFirst(slots.slotCount).contains(true) { continue }
      if slots.slots.contains(where: { bits[$0] }) { return true }
    }
    return false
  }

  /// A selection made at random.
  static func selection(using generator: inout SeededGenerator) -> TransactionSelection {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    func some<Element>(_ elements: [Element], _ percent: Int) -> [Element] {
      elements.filter { _ in chance(percent) }
    }
    var selection = TransactionSelection(order: chance(50) ? .ascending : .descending)
    if chance(30) { selection.after = Int64.random(in: -1...90, using: &generator) }
    if chance(30) { selection.until = Int64.random(in: 0...90, using: &generator) }
    for role in StringRole.allCases where chance(25) {
      selection.texts[role] = TransactionSelection.TextCondition(
        anyOf: chance(60) ? some(texts + ["nobody"], 50) : nil, orNone: chance(30),
        noneOf: chance(40) ? some(texts, 30) : [])
    }
    if chance(50) {
      var change = ChangeSelection()
      if chance(40) { change.kinds = some(ChangeKind.allCases, 50) }
      if chance(30) { change.entityNumbers = some([1, 2, 3, 4, 5, 99], 40) }
      if chance(30) {
        change.objects = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          ChangeSelection.Object(
            entityNumber: Int64.random(in: 1...5, using: &generator),
            primaryKey: Int64.random(in: 1...4, using: &generator))
        }
      }
      if chance(40) {
        change.slots = some([1, 2, 3, 4, 5] as [Int64], 50).map { entity in
          let count = slotCounts[entity] ?? 0
          return ChangeSelection.Slots(
            entityNumber: entity, slotCount: count, slots: some(Array(0..<count), 25))
        }
      }
      selection.change = change
    }
    if chance(40) { selection.limit = Int.random(in: 0...8, using: &generator) }
    selection.limitKeepsNewest = chance(50)
    return selection
  }
}

/// Every condition selects what it says, in every layout.
@Suite(.bounded) struct TransactionSelectionTests {
  @Test(arguments: RandomHistory.Layout.allCases, [1, 2] as [UInt64])
  private func `a selection agrees with a look at every transaction`(
    layout: RandomHistory.Layout, seed: UInt64
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let history = RandomHistory(seed: seed)
    try history.write(to: path, layout: layout)
    let changes = Dictionary(
      uniqueKeysWithValues: history.transactions.map { ($0.number, $0.changes.map(\.number)) })
    var generator = SeededGenerator(seed: seed * 1000)
    var selectedSome = 0
    try StoreFile(path: path).read { snapshot in
      for _ in 0..<120 {
        let selection = RandomHistory.selection(using: &generator)
        let expected = history.numbers(selection)
        let rows = try ReadRows.transactions(of: snapshot, selection)
        #expect(rows.map(\.number) == expected, "\(selection)")
        #expect(
          rows.map { $0.changes.map(\.number) } == expected.map { changes[$0] ?? [] },
          "\(selection)")
        if !expected.isEmpty && expected.count < history.transactions.count { selectedSome += 1 }
      }
    }
    // Or the selections would say little.
    #expect(selectedSome > 30)
  }

  @Test
  func `each slot of a mask is found by itself`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    let count = 21
    for slot in 0..<count {
      try writer.transaction(Int64(slot + 1))
      try writer.change(
        Int64(slot + 1), of: Int64(slot + 1), 1, 5, 1,
        mask: (0..<3).map { $0 == slot / 8 ? [128, 64, 32, 16, 8, 4, 2, 1][slot % 8] : 0 })
    }
    // A bit behind the last slot, a mask that is too long, a text, and an insert with a mask.
    for (number, kind, mask) in [
      (22, 1, "x'FFFFFF'"), (23, 1, "x'FFFFF800'"), (24, 1, "'abc'"), (25, 0, "x'FFFFF8'"),
      (26, 1, "NULL"), (27, 1, "x''"),
    ] as [(Int64, Int64, String)] {
      try writer.transaction(number)
      try writer.sql(
        """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        VALUES (\(number), 16001, \(kind), 5, 1, \(number), \(mask))
        """)
    }
    try writer.close()
    try StoreFile(path: writer.path).read { snapshot in
      for slot in 0..<count {
        let change = ChangeSelection(slots: [
          .init(entityNumber: 5, slotCount: count, slots: [slot])
        ])
        let rows = try ReadRows.transactions(of: snapshot, TransactionSelection(change: change))
        #expect(rows.map(\.number) == [Int64(slot + 1)])
      }
      let nothing = ChangeSelection(slots: [.init(entityNumber: 5, slotCount: 0, slots: [])])
      #expect(
        try ReadRows.transactions(of: snapshot, TransactionSelection(change: nothing)).isEmpty)
    }
  }

  @Test
  func `a selection may have thousands of alternatives`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let numbers = Array(Int64(100)..<3100)
    let objects = numbers.map { ChangeSelection.Object(entityNumber: 5, primaryKey: $0) }
    let trip = ChangeSelection.Object(entityNumber: 5, primaryKey: 5)
    let slots = numbers.map {
      ChangeSelection.Slots(entityNumber: $0, slotCount: 9, slots: [3, 8])
    }
    let stay = ChangeSelection.Slots(entityNumber: 2, slotCount: 4, slots: [2])
    let wide = ChangeSelection.Slots(entityNumber: 5, slotCount: 2000, slots: Array(0..<2000))
    let names = numbers.map { "author \($0)" }
    for (selection, expected) in [
      (TransactionSelection(change: .init(objects: objects + [trip])), [5, 6, 8]),
      (TransactionSelection(change: .init(slots: slots + [stay])), [3, 7, 11]),
      (TransactionSelection(change: .init(slots: [wide])), []),
      (TransactionSelection(change: .init(entityNumbers: numbers + [4])), []),
      (TransactionSelection(texts: [.author: .init(anyOf: names + ["widget"])]), [2, 6, 10]),
    ] as [(TransactionSelection, [Int64])] {
      #expect(try ReadRows.transactions(of: path, selection).map(\.number) == expected)
    }
  }
}
