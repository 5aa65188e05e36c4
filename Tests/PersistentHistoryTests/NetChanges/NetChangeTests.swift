import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct NetChangeTests {
  private static let trip = HistoryEntity(
    name: "Trip", number: 5, slots: TripsModel.slots["Trip"])

  private static func change(
    _ kind: ChangeKind?, _ number: Int64 = 1, mask: [UInt8]? = nil,
    tombstone: [StoredValue] = [], key: Int64? = 1, entity: HistoryEntity? = trip
  ) -> HistoryChange {
    HistoryChange(
      number: number, kind: kind, entity: entity, primaryKey: key,
      mask: mask.map { ColumnMask($0) },
      tombstone: tombstone)
  }

  private static func fold(_ changes: [HistoryChange]) -> NetChange? {
    var net: NetChange?
    for (index, change) in changes.enumerated() {
      if net?.fold(change, in: Int64(index + 1)) == nil {
        net = NetChange(change, in: Int64(index + 1))
      }
    }
    return net
  }

  private static func mask(_ names: String...) -> [UInt8] { SampleStore.mask("Trip", names) }

  @Test
  func `folded updates name each touched attribute once, in slot order`() throws {
    let net = try #require(
      Self.fold([
        Self.change(.update, mask: Self.mask("startDate")),
        Self.change(.update, mask: Self.mask("tags", "name")),
        Self.change(.update, mask: Self.mask("stay", "name", "place")),
      ]))
    #expect(net.kind == .update)
    #expect(net.attributes == ["stay", "name", "place", "startDate", "tags"])
    #expect((net.firstTransaction, net.lastTransaction) == (1, 3))
    #expect(net.changeCount == 3)
    #expect(net.object?.description == "Trip/p1")
  }

  @Test
  func `an unreadable update hides the attributes and nothing else`() throws {
    let known = Self.mask("name")
    for other in [nil, [0], known + [0], [], [UInt8](repeating: 0, count: 5000)] as [[UInt8]?] {
      for masks in [[known, other], [other, known], [other, other, known]] {
        let net = try #require(Self.fold(masks.map { Self.change(.update, mask: $0) }))
        #expect(net.kind == .update)
        #expect(net.attributes == nil)
        #expect(!net.columns.isComplete)
        #expect(net.columns.mask?.contains(ColumnMask(known).setSlots[0]) == true)
      }
    }
    // An update that only counted the version up touched nothing, and that is known.
    let nothing = [UInt8](repeating: 0, count: known.count)
    #expect(Self.fold([Self.change(.update, mask: nothing)])?.attributes == [])
    // With a bit behind the last slot the mask is that of another model.
    var foreign = nothing
    foreign[foreign.count - 1] = 1
    #expect(Self.fold([Self.change(.update, mask: foreign)])?.attributes == nil)
  }

  @Test
  func `a deleted object shows its tombstone even if its key is reused`() throws {
    let rome = [StoredValue.null, .null, .text("Rome")]
    let deleted = try #require(
      Self.fold([
        Self.change(.update, 1, mask: Self.mask("name")),
        Self.change(.delete, 2, tombstone: rome),
      ]))
    #expect(deleted.kind == .delete)
    #expect(deleted.attributes == nil)
    #expect(deleted.tombstone == rome)
    #expect(deleted.preservedValues?.map(\.attribute.name) == ["name"])
    #expect(deleted.deletion?.change == 2)
    for after in [[], [Self.change(.update, 4, mask: Self.mask("name"))]] {
      let replaced = try #require(
        Self.fold([Self.change(.delete, 2, tombstone: rome), Self.change(.insert, 3)] + after))
      #expect(replaced.kind == .replace)
      #expect(replaced.tombstone == rome)
      #expect(replaced.attributes == nil)
      // And when that one is deleted as well, it is the first one that is gone.
      var gone = replaced
      gone.fold(Self.change(.delete, 9, tombstone: [.text("Oslo")]), in: 9)
      #expect(gone.kind == .delete)
      #expect(gone.tombstone == rome)
    }
    let brief = try #require(
      Self.fold([Self.change(.insert, 1), Self.change(.delete, 2, tombstone: rome)]))
    #expect(brief.kind == nil)
    #expect(brief.tombstone == [])
    #expect(brief.preservedValues == nil)
  }

  @Test
  func `only updates keep values`() throws {
    let value = RecordedValue(name: "name", kind: .text, old: nil, new: nil)
    for kind in [ChangeKind.insert, .update, .delete] {
      let change = HistoryChange(
        number: 1, kind: kind, entity: Self.trip, primaryKey: 1, values: [value])
      let net = try #require(NetChange(change, in: 1))
      #expect(net.values == (kind == .update ? [value] : []))
      #expect((net.columns == .none) == (kind != .update))
      var folded = try #require(NetChange(Self.change(.insert), in: 1))
      folded.fold(change, in: 2)
      #expect(folded.values.isEmpty)
    }
  }

  @Test
  func `folded updates keep the first old and the last new known value`() throws {
    func update(
      _ names: [String], _ values: [(name: String, old: String, new: String)]
    ) throws
      -> HistoryChange
    {
      HistoryChange(
        number: 1, kind: .update, entity: Self.trip, primaryKey: 1,
        mask: ColumnMask(SampleStore.mask("Trip", names)),
        values: values.map {
          RecordedValue(
            name: $0.name, kind: .text, old: .value(.text($0.old)), new: .value(.text($0.new)))
        })
    }
    func folded(_ changes: [HistoryChange]) throws -> [String] {
      try #require(Self.fold(changes)).values.map { value in
        func text(_ content: RecordedContent?) -> String {
          if case .value(.text(let text))? = content { text } else { "?" }
        }
        return "\(value.name): \(text(value.old)) → \(text(value.new))"
      }
    }
    let first = try update(["name"], [("name", "A", "B")])
    let second = try update(["name", "tags"], [("name", "B", "C")])
    let silent = try update(["name"], [])
    #expect(try folded([first, second]) == ["name: A → C"])
    #expect(try folded([first, second, silent]) == ["name: A → ?"])
    #expect(try folded([silent, first, second]) == ["name: ? → C"])
    #expect(try folded([first, silent, second]) == ["name: A → C"])
    #expect(try folded([silent]) == [])
    // After a delete none of them says anything about the object that is there.
    #expect(try folded([first, Self.change(.delete, 2)]) == [])
  }

  @Test
  func `changes of other objects or without an object are not folded`() throws {
    let tag = HistoryEntity(name: "Tag", number: 4)
    #expect(NetChange(Self.change(nil), in: 1) == nil)
    #expect(NetChange(Self.change(.insert, key: nil), in: 1) == nil)
    #expect(NetChange(Self.change(.insert, entity: nil), in: 1) == nil)
    let net = try #require(NetChange(Self.change(.insert), in: 1))
    for other in [
      Self.change(nil), Self.change(.delete, key: 2), Self.change(.delete, key: nil),
      Self.change(.delete, entity: tag), Self.change(.delete, entity: nil),
      Self.change(.delete, entity: HistoryEntity(name: nil, number: 5)),
    ] {
      var folded = net
      let isFolded = folded.fold(other, in: 2)
      #expect(!isFolded)
      #expect(folded == net)
    }
    // The same entity need not be the same instance of it.
    var folded = net
    folded.fold(Self.change(.delete, entity: HistoryEntity(name: "Trip")), in: 2)
    #expect(folded.kind == nil)
  }

  // MARK: - The algebra

  private static func changes(_ random: inout SeededGenerator) -> [HistoryChange] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in
      let kind = ChangeKind.allCases[Int.random(in: 0..<3, using: &random)]
      let mask = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      return change(
        kind, Int64.random(in: 1...99, using: &random),
        mask: kind == .update && Bool.random(using: &random) ? mask : nil,
        tombstone: kind == .delete ? [.integer(Int64.random(in: 0...9, using: &random))] : [])
    }
  }

  @Test(arguments: [UInt64](1...4))
  func `folding one by one and merging parts agree`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let parts = (0..<3).map { _ in Self.changes(&random) }
      let nets = try parts.map { try #require(Self.fold($0)) }
      let left = try #require(nets[0].merged(with: nets[1])?.merged(with: nets[2]))
      let right = try #require(
        nets[1].merged(with: nets[2]).flatMap { nets[0].merged(with: $0) })
      #expect(left == right)
      var whole = nets[0]
      for (part, net) in zip(parts.dropFirst(), nets.dropFirst()) {
        for (index, change) in part.enumerated() {
          whole.fold(change, in: index == part.count - 1 ? net.lastTransaction : 1)
        }
      }
      #expect(whole == left)
    }
  }

  @Test(arguments: [1024, 1025])
  func `a mask longer than any entity needs is dropped`(byteCount: Int) {
    let columns = TouchedColumns(updateWith: ColumnMask([UInt8](repeating: 1, count: byteCount)))
    #expect(columns.isComplete == (byteCount == 1024))
    #expect((columns.mask != nil) == (byteCount == 1024))
  }

  @Test
  func `touched columns merge in any order, and empty ones change nothing`() {
    var random = SeededGenerator(seed: 11)
    func some() -> TouchedColumns {
      if Int.random(in: 0..<8, using: &random) == 0 { return .none }
      if Int.random(in: 0..<8, using: &random) == 0 { return TouchedColumns(updateWith: nil) }
      let count = [1, 2, 3, 31, 32, 33, 40, 1024, 1025].randomElement(using: &random) ?? 1
      return TouchedColumns(
        updateWith: ColumnMask((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
    }
    for _ in 0..<2000 {
      let (first, second, third) = (some(), some(), some())
      #expect(first.merged(with: second) == second.merged(with: first))
      #expect(first.merged(with: first) == first)
      #expect(first.merged(with: .none) == first)
      #expect(
        first.merged(with: second).merged(with: third)
          == first.merged(with: second.merged(with: third)))
      let union = Set(first.mask?.setSlots ?? []).union(second.mask?.setSlots ?? [])
      #expect(Set(first.merged(with: second).mask?.setSlots ?? []) == union)
    }
  }
}
