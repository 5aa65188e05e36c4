import TestSupport
import Testing

@testable import PropertyLists

@Suite(.bounded) struct KeyedArchiveTests {
  private typealias Fixture = PropertyListFixture

  private func list(
    _ objects: [PropertyListValue], top: [String: PropertyListValue] = ["root": .uid(1)]
  ) -> PropertyListValue {
    .dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(top), "$objects": .array([.string("$null")] + objects),
    ])
  }

  /// The same archive read from the binary format, from XML, and from the value itself.
  private func archives(_ list: PropertyListValue) throws -> [KeyedArchive] {
    [
      try KeyedArchive(bytes: BinaryPropertyListWriter.bytes(of: list)),
      try KeyedArchive(bytes: XMLPropertyListWriter.bytes(of: list)),
      try KeyedArchive(list),
    ]
  }

  private func root(_ archive: KeyedArchive) throws -> KeyedArchive.Object {
    let reference = try #require(archive.root)
    return try #require(try archive.object(reference))
  }

  @Test
  func `a history token written by plistlib is read`() throws {
    for archive in try archives(PropertyListValue(propertyList: Fixture.tokenBytes)) {
      #expect(archive.root == KeyedArchive.Reference(index: 1))
      #expect(archive.objectCount == 9)
      let token = try root(archive)
      #expect(try token.className == "_NSPersistentHistoryToken")
      #expect(
        try token.classNames == [
          "_NSPersistentHistoryToken", "NSPersistentHistoryToken", "NSObject",
        ])
      let stores = try #require(try token.object("NSPersistentHistoryTokenDictionary"))
      #expect(stores.reference.index == 2)
      let pairs = try archive.pairs(of: stores)
      #expect(
        pairs.map(\.key) == [
          "FE941CCE-3AF4-4243-907C-C2233C09008D", "6E6B0A4C-0A0B-4B53-9A4F-0B7C6E8D2F11",
        ])
      #expect(pairs.map(\.value) == [.uid(5), .uid(6)])
      #expect(try archive.resolve(pairs[1].value) == .integer(70_000))
    }
  }

  @Test
  func `fields are resolved by type`() throws {
    let list = list([
      .dictionary([
        "text": .uid(2), "plain": .string("plain"), "mutable": .uid(3), "number": .uid(5),
        "direct": .integer(-4), "flag": .boolean(true), "old": .integer(0), "nil": .uid(0),
        "missing": .uid(99), "self": .uid(1), "wrong": .uid(-1 & 0xFFFF),
      ]),
      .string("text"),
      .dictionary(["NS.string": .uid(4), "$class": .uid(6)]),
      .string("mutable and long enough for the heap"),
      .integer(9_007_199_254_740_993),
      .dictionary(["$classname": .string("NSMutableString"), "$classes": .array([])]),
    ])
    for archive in try archives(list) {
      let object = try root(archive)
      #expect(try object.string("text") == "text")
      #expect(try object["text"] == .string("text"))
      #expect(object.field("text") == .uid(2))
      #expect(try object.string("plain") == "plain")
      #expect(try object.string("mutable") == "mutable and long enough for the heap")
      #expect(try object.object("mutable")?.className == "NSMutableString")
      #expect(try object.integer("number") == 9_007_199_254_740_993)
      #expect(try object.integer("direct") == -4)
      #expect(try object.boolean("flag") == true)
      #expect(try object.boolean("old") == false)
      #expect(try object["nil"] == nil)
      #expect(try object.object("nil") == nil)
      #expect(object.field("nil") == .uid(0))
      #expect(try object["absent"] == nil)
      #expect(try object.object("plain") == nil)
      #expect(try object.string("number") == nil)
      #expect(try object.integer("text") == nil)
      #expect(try object.object("self")?.reference == archive.root)
      #expect(try object.className == nil)
      #expect(try object.classNames == [])
      #expect(throws: PropertyListError.self) { try object["missing"] }
      #expect(throws: PropertyListError.self) { try object.object("missing") }
      #expect(throws: PropertyListError.self) { try object.string("wrong") }
      let text = try #require(try object.object("text"))
      #expect(text.value == .string("text"))
      #expect(try text["text"] == nil)
      #expect(try text.className == nil)
      #expect(throws: PropertyListError.self) {
        try archive.object(KeyedArchive.Reference(index: -1))
      }
    }
  }

  @Test
  func `a Core Data dictionary of known keys is read without its empty slots`() throws {
    let list = list([
      .dictionary(["searchMapping": .uid(2), "values": .uid(3), "emptyToken": .uid(9)]),
      .dictionary(["keys": .uid(4), "length": .integer(3)]),
      .dictionary(["NS.objects": .array([.uid(8), .uid(9), .uid(10)])]),
      .dictionary(["NS.objects": .array([.uid(5), .uid(6), .uid(7)])]),
      .string("Component"), .string("CraftingRecipe"), .string("Item"),
      .integer(1), .string("__empty_slot_token__"), .integer(3),
    ])
    for archive in try archives(list) {
      let pairs = try archive.pairs(of: root(archive))
      #expect(pairs.map(\.key) == ["Component", "Item"])
      #expect(pairs.map(\.value) == [.uid(8), .uid(10)])
    }
  }

  @Test
  func `arrays, sets and ordered sets are read`() throws {
    let set = PropertyListValue.dictionary([
      "$classname": .string("NSOrderedSet"),
      "$classes": .array([.string("NSOrderedSet"), .string("NSObject")]),
    ])
    let list = list([
      .dictionary(["NS.objects": .array([.uid(0), .uid(1), .string("x")])]),
      .dictionary(["NS.object.0": .uid(1), "NS.object.1": .uid(2), "$class": .uid(4)]),
      .dictionary(["$class": .uid(4)]), set, .string("plain"), .dictionary(["a": .uid(0)]),
      .dictionary(["NS.objects": .integer(1)]),
    ])
    for archive in try archives(list) {
      func elements(_ index: Int) throws -> [PropertyListValue] {
        let object = try #require(try archive.object(.uid(index)))
        return try archive.elements(of: object)
      }
      #expect(try elements(1) == [.uid(0), .uid(1), .string("x")])
      #expect(try elements(2) == [.uid(1), .uid(2)])
      #expect(try elements(3) == [])
      for index in 5...7 {
        #expect(throws: PropertyListError.self) { try elements(index) }
      }
    }
  }

  @Test
  func `dictionaries that contradict themselves are refused`() throws {
    let list = list([
      .dictionary(["NS.keys": .array([.string("a")]), "NS.objects": .array([])]),
      .dictionary(["NS.keys": .array([.integer(1)]), "NS.objects": .array([.uid(0)])]),
      .dictionary(["NS.keys": .array([.uid(0)]), "NS.objects": .array([.uid(0)])]),
      .dictionary(["NS.keys": .uid(1), "NS.objects": .array([])]),
      .dictionary(["NS.keys": .array([])]),
      .dictionary(["searchMapping": .uid(1), "values": .uid(1)]),
      .dictionary(["searchMapping": .uid(6), "values": .uid(99)]),
      .string("plain"),
    ])
    for archive in try archives(list) {
      for index in 1...8 {
        let object = try #require(try archive.object(.uid(index)))
        #expect(throws: PropertyListError.self, "object \(index)") { try archive.pairs(of: object) }
      }
    }
  }

  @Test
  func `other property lists are not archives`() throws {
    guard case .dictionary(let frame) = list([]) else { return }
    var others: [PropertyListValue] = [.array([]), .string("$null"), Fixture.sample]
    for key in frame.keys {
      var damaged = frame
      damaged[key] = nil
      others.append(.dictionary(damaged))
      damaged[key] = .boolean(true)
      others.append(.dictionary(damaged))
    }
    for other in others {
      #expect(throws: PropertyListError.self) { try KeyedArchive(other) }
      let bytes = try BinaryPropertyListWriter.bytes(of: other)
      #expect(throws: PropertyListError.self) { try KeyedArchive(bytes: bytes) }
    }
  }

  @Test
  func `a missing, null or dangling root is distinguished from an object`() throws {
    let none: [String: PropertyListValue] = [:]
    for top in [none, ["root": .uid(0)], ["root": .string("x")]] {
      for archive in try archives(list([], top: top)) { #expect(archive.root == nil) }
    }
    for archive in try archives(list([], top: ["root": .uid(7), "state": .integer(3)])) {
      let root = try #require(archive.root)
      #expect(throws: PropertyListError.self) { try archive.object(root) }
      #expect(archive.top("state") == .integer(3))
    }
  }

  @Test
  func `archives that would take unlimited time or memory are refused`() throws {
    func archive(_ slots: [Int], _ more: [[UInt8]]) -> [UInt8] {
      Fixture.list(
        objects: [
          Fixture.dictionary([(1, 5), (2, 6), (3, 7), (4, 8)]),
          Fixture.string("$version"), Fixture.string("$archiver"), Fixture.string("$top"),
          Fixture.string("$objects"), [0x12, 0, 1, 0x86, 0xA0], Fixture.string("NSKeyedArchiver"),
          [0xD0], Fixture.array(slots),
        ] + more)
    }
    let many = [Int](repeating: 9, count: 4_000)
    // The same large array or dictionary key in every slot.
    let large = Fixture.array([Int](repeating: 1, count: 4_000))
    let text = Fixture.string(String(repeating: "x", count: 50_000))
    let heavy = [
      archive(many, [large]), archive(many, [Fixture.dictionary([(10, 1)]), text]),
      // Ten to the power of forty values behind one slot.
      archive([9], (0..<40).map { Fixture.array([Int](repeating: 10 + $0, count: 10)) } + [[0x08]]),
    ]
    for bytes in heavy {
      #expect {
        try KeyedArchive(bytes: bytes)
      } throws: { error in
        "\(error)".contains("more than a real one needs")
      }
    }
    // A string is decoded once, however often it is referred to.
    #expect(try KeyedArchive(bytes: archive(many, [text])).objectCount == 4_000)
    let damaged = [
      archive([9], [Fixture.array([9])]), archive([9], [Fixture.array([8])]),
      archive([9], (0..<100).map { Fixture.array([10 + $0]) } + [[0x08]]),
      archive([9], [[0x70]]), archive([99], []),
    ]
    for bytes in damaged {
      #expect(throws: PropertyListError.self) { try KeyedArchive(bytes: bytes) }
    }
    #expect(try KeyedArchive(bytes: archive(many, [[0x09]])).objectCount == 4_000)

    // Four thousand objects at the place of one large array.
    let body = Array(archive([Int](9..<4_009), [large]).dropLast(32 + 10 * 4))
    var offsets = try BinaryPropertyList(archive([Int](9..<4_009), [large])).offsets.map(Int.init)
    offsets += [Int](repeating: offsets[9], count: 3_999)
    let overlapping = Fixture.list(body: body, offsets: offsets, root: 0)
    #expect {
      try KeyedArchive(bytes: overlapping)
    } throws: { error in
      "\(error)".contains("more than 500000 values")
    }
  }

  @Test
  func `a truncated or changed archive is read or refused`() throws {
    func walk(_ bytes: [UInt8]) throws {
      let archive = try KeyedArchive(bytes: bytes)
      for index in -1...archive.objectCount {
        guard let object = try? archive.object(.uid(index)) else { continue }
        _ = try? object.className
        _ = try? archive.pairs(of: object)
        _ = try? archive.elements(of: object)
      }
    }
    try walk(Fixture.tokenBytes)
    for bytes in Fixture.mutations(of: Fixture.tokenBytes, perByte: 2, seed: 3) {
      try? walk(bytes)
    }
    for count in 0..<Fixture.tokenBytes.count {
      #expect(throws: PropertyListError.self) { try walk(Array(Fixture.tokenBytes.prefix(count))) }
    }
  }
}
