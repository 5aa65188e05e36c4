import TestSupport
import Testing

@testable import PropertyLists

@Suite(.bounded) struct BinaryPropertyListTests {
  private typealias Fixture = PropertyListFixture

  @Test
  func `every type that Python's plistlib writes is read`() throws {
    #expect(try BinaryPropertyList(Fixture.sampleBytes).root == Fixture.sample)
    #expect(try PropertyListValue(propertyList: Fixture.sampleBytes) == Fixture.sample)
  }

  @Test
  func `single objects are read on their own`() throws {
    let list = try BinaryPropertyList(Fixture.sampleBytes)
    #expect(list.rootIndex == 0)
    #expect(list.objectCount == 37)
    #expect(try list.value(at: 1, depth: 0) == .string("a"))
    #expect(throws: PropertyListError.self) { try list.value(at: 0, depth: 1) }
    #expect(try list.value(at: 0, depth: 3) == Fixture.sample)
    #expect(throws: PropertyListError.self) { try list.value(at: 37, depth: 1) }
    #expect(throws: PropertyListError.self) { try list.value(at: -1, depth: 1) }
  }

  @Test(
    arguments: [
      ([0x00], .null),
      ([0x22, 0x3F, 0xC0, 0x00, 0x00], .real(1.5)),
      ([0x14] + [UInt8](repeating: 0, count: 15) + [7], .integer(7)),
      ([0x14] + [UInt8](repeating: 0xFF, count: 15) + [0xFE], .integer(-2)),
      ([0x10, 0xFF], .integer(255)),
      ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
      ([0x87, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .uid(4_294_967_295)),
      ([0x8F] + [UInt8](repeating: 0, count: 15) + [9], .uid(9)),
      ([0x62, 0xD8, 0x3D, 0x00, 0x41], .string("\u{FFFD}A")),
      ([0x61, 0xDC, 0x4B], .string("\u{FFFD}")),
      ([0x52, 0xFF, 0x41], .string("\u{FFFD}A")),
      ([0x52, 0xC3, 0xBC], .string("ü")),
    ] as [([UInt8], PropertyListValue)])
  func `scalars that plistlib does not write are read`(
    bytes: [UInt8], value: PropertyListValue
  ) throws {
    #expect(try BinaryPropertyList(Fixture.list(objects: [bytes])).root == value)
  }

  @Test(
    arguments: [
      [0x0F], [0x01], [0x15], [0x20, 0], [0x21, 0, 0], [0x32, 0, 0, 0, 0], [0x70], [0x90], [0xB0],
      [0xC0], [0xE0], [0xF0], [0x11, 0], [0x23, 0], [0x33], [0x41], [0x5F], [0x5F, 0x14],
      [0x5F, 0x10],
      [0x5F, 0x10, 1], [0x61, 0], [0x4F, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0xAF, 0x12, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xA1, 0, 0, 0, 1], [0xA1, 0xFF, 0xFF, 0xFF, 0xFF], [0xD1, 0, 0, 0, 0],
      [0x14] + [UInt8](repeating: 1, count: 16), [0x14, 0xFF] + [UInt8](repeating: 0, count: 15),
      [0x84, 1, 0, 0, 0, 0], [0x8F, 1] + [UInt8](repeating: 0, count: 15),
    ] as [[UInt8]])
  func `objects that are not valid scalars are refused`(bytes: [UInt8]) throws {
    let list = try BinaryPropertyList(Fixture.list(objects: [bytes]))
    #expect(throws: PropertyListError.self) { try list.root }
  }

  @Test
  func `references of eight bytes are read and checked`() throws {
    var bytes = Array("bplist00".utf8) + [0xA1] + Fixture.bigEndian(1, size: 8) + [0x09]
    let table = bytes.count
    bytes += Fixture.bigEndian(8, size: 8) + Fixture.bigEndian(17, size: 8)
    bytes += [0, 0, 0, 0, 0, 0, 8, 8] + Fixture.bigEndian(2, size: 8)
    bytes += Fixture.bigEndian(0, size: 8) + Fixture.bigEndian(table, size: 8)
    #expect(try BinaryPropertyList(bytes).root == .array([.boolean(true)]))
    bytes[9] = 0xFF
    let list = try BinaryPropertyList(bytes)
    #expect(throws: PropertyListError.self) { try list.root }
  }

  @Test
  func `trailers that contradict the size are refused`() throws {
    let sample = Fixture.sampleBytes
    let trailer = sample.count - 32
    let fields: [(offset: Int, bytes: [UInt8])] = [
      (6, [0]), (6, [9]), (7, [0]), (7, [255]),
      (8, Fixture.bigEndian(0, size: 8)), (8, Fixture.bigEndian(38, size: 8)),
      (8, [UInt8](repeating: 0xFF, count: 8)), (8, Fixture.bigEndian(1 << 62, size: 8)),
      (16, Fixture.bigEndian(37, size: 8)), (16, [UInt8](repeating: 0xFF, count: 8)),
      (24, Fixture.bigEndian(8, size: 8)), (24, Fixture.bigEndian(trailer, size: 8)),
      (24, [UInt8](repeating: 0xFF, count: 8)),
    ]
    for field in fields {
      var bytes = sample
      bytes.replaceSubrange(
        trailer + field.offset..<trailer + field.offset + field.bytes.count, with: field.bytes)
      #expect(throws: PropertyListError.self, "\(field)") { try BinaryPropertyList(bytes) }
    }
    for offset in [0, 7, 0x0FFF_FFFF, 9 + 8] {
      let bytes = Fixture.list(body: Array("bplist00".utf8) + [0x08], offsets: [offset], root: 0)
      #expect(throws: PropertyListError.self) { try BinaryPropertyList(bytes) }
    }
  }

  @Test
  func `an error has a problem, a place and a remedy`() {
    #expect {
      try BinaryPropertyList(Array("bplist99".utf8))
    } throws: { error in
      "\(error)"
        == "damaged property list: no binary header, expected the bytes \"bplist00\"; "
        + "read an intact copy of it (at byte 0)"
    }
  }

  @Test
  func `a list truncated at any position is refused`() {
    for count in 0..<Fixture.sampleBytes.count {
      let bytes = Array(Fixture.sampleBytes.prefix(count))
      #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: bytes) }
    }
  }

  @Test
  func `a list with any byte changed is read or refused`() {
    var refused = 0
    for bytes in Fixture.mutations(of: Fixture.sampleBytes, perByte: 8, seed: 1) {
      do {
        _ = try PropertyListValue(propertyList: bytes)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 100)
  }

  @Test
  func `containers that contain themselves are refused`() throws {
    let cycles = [
      Fixture.list(objects: [Fixture.array([0])]),
      Fixture.list(objects: [Fixture.array([0, 0, 0, 0])]),
      Fixture.list(objects: [Fixture.array([1]), Fixture.array([0])]),
      Fixture.list(objects: [Fixture.dictionary([(1, 0)]), Fixture.string("key")]),
      Fixture.list(objects: [Fixture.dictionary([(0, 0)])]),
    ]
    for bytes in cycles {
      #expect(throws: PropertyListError.self) { try BinaryPropertyList(bytes).root }
    }
  }

  @Test
  func `shared references cannot multiply beyond the limits`() throws {
    // 30 levels of ten references each: 10^30 values.
    let levels = (0..<30).map { Fixture.array([Int](repeating: $0 + 1, count: 10)) }
    let wide = try BinaryPropertyList(Fixture.list(objects: levels + [[0x08]]))
    #expect {
      try wide.root
    } throws: { error in
      "\(error)".contains("more than 500000 values")
    }
    #expect(try wide.value(at: 28, depth: 2).array?.count == 10)

    let deep = (0..<200).map { Fixture.array([$0 + 1]) }
    #expect(throws: PropertyListError.self) {
      try BinaryPropertyList(Fixture.list(objects: deep + [[0x08]])).root
    }
    let small = PropertyListLimits(nodes: 3, depth: 1)
    let four = Fixture.list(objects: [Fixture.array([1, 1, 1, 1]), [0x08]])
    #expect(throws: PropertyListError.self) { try BinaryPropertyList(four, limits: small).root }
    let three = Fixture.list(objects: [Fixture.array([1, 1, 1]), [0x08]])
    #expect(try BinaryPropertyList(three, limits: small).root.array?.count == 3)
  }

  @Test
  func `a long string referred to often is decoded once; overlapping ones are refused`() throws {
    let text = String(repeating: "x", count: 100_000)
    let shared = Fixture.list(
      objects: [Fixture.array([Int](repeating: 1, count: 10_000)), Fixture.string(text)])
    #expect(try BinaryPropertyList(shared).root.array?.last == .string(text))

    // One string, but five thousand objects at its place.
    let offset = 8 + 6 + 4 * 5_000
    let body =
      Array("bplist00".utf8) + Fixture.array(Array(1...5_000)) + Fixture.string(text)
    let overlapping = Fixture.list(
      body: body, offsets: [8] + [Int](repeating: offset, count: 5_000), root: 0)
    #expect {
      try BinaryPropertyList(overlapping).root
    } throws: { error in
      "\(error)".contains("overlapping strings")
    }
  }

  @Test
  func `a list that names one offset for more objects than any list has is refused`() {
    let count = PropertyListLimits.standard.nodes + 1
    let bytes = Fixture.list(
      body: Array("bplist00".utf8) + [0x08], offsets: [Int](repeating: 8, count: count), root: 0)
    #expect {
      try BinaryPropertyList(bytes)
    } throws: { error in
      "\(error)".contains("more than 500000 objects")
    }
  }

  @Test
  func `the first of equal keys counts`() throws {
    let bytes = Fixture.list(objects: [
      Fixture.dictionary([(1, 3), (2, 4)]), Fixture.string("k"), Fixture.string("k"), [0x09],
      [0x08],
    ])
    #expect(try BinaryPropertyList(bytes).root == .dictionary(["k": .boolean(true)]))
  }
}
