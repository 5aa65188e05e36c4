import TestSupport
import Testing

@testable import PropertyLists

@Suite(.bounded) struct BinaryPropertyListWriterTests {
  private func roundTrip(_ value: PropertyListValue) throws -> PropertyListValue {
    try PropertyListValue(propertyList: BinaryPropertyListWriter.bytes(of: value))
  }

  @Test
  func `the bytes are those of Python's plistlib`() throws {
    let fixture = PropertyListFixture.self
    #expect(try BinaryPropertyListWriter.bytes(of: fixture.sample) == fixture.sampleBytes)
    let token = try PropertyListValue(propertyList: fixture.tokenBytes)
    #expect(try roundTrip(token) == token)
  }

  @Test(
    arguments: [
      .null, .integer(.min), .integer(.max), .integer(0), .integer(255), .integer(256),
      .integer(65_535), .integer(65_536), .integer(4_294_967_295), .integer(4_294_967_296),
      .unsigned(9_223_372_036_854_775_808), .real(-.infinity), .real(.leastNonzeroMagnitude),
      .date(-1.25), .data([]), .data([UInt8](repeating: 7, count: 300)), .string(""),
      .string(String(repeating: "a", count: 14)), .string(String(repeating: "a", count: 15)),
      .string(String(repeating: "ü", count: 70_000)), .uid(0), .uid(255), .uid(256),
      .uid(65_536), .uid(4_294_967_295), .array([]), .dictionary([:]),
      .array([.dictionary(["a": .array([.null])])]),
    ] as [PropertyListValue])
  func `every written value is read back`(value: PropertyListValue) throws {
    #expect(try roundTrip(value) == value)
  }

  @Test
  func `a small unsigned number is written as an integer`() throws {
    #expect(try roundTrip(.unsigned(5)) == .integer(5))
  }

  @Test
  func `equal scalars are written once`() throws {
    let value = PropertyListValue.array([
      .real(0.0), .real(-0.0), .integer(0), .boolean(false), .string("\u{E9}"),
      .string("e\u{301}"), .string("\u{E9}"), .uid(0), .uid(0), .real(0.0),
    ])
    let list = try BinaryPropertyList(BinaryPropertyListWriter.bytes(of: value))
    #expect(list.objectCount == 8)
    let elements = try #require(try list.root.array)
    #expect(elements[1].real?.sign == .minus)
    #expect(elements[4].string.map { Array($0.unicodeScalars) } == ["\u{E9}"])
    #expect(elements[5].string.map { Array($0.unicodeScalars) } == ["e", "\u{301}"])
  }

  @Test(arguments: [255, 256, 65_536])
  func `the width of references follows the number of objects`(count: Int) throws {
    let value = PropertyListValue.array((0..<count - 1).map { .integer(Int64($0)) })
    let bytes = try BinaryPropertyListWriter.bytes(of: value)
    let list = try BinaryPropertyList(bytes)
    #expect(list.objectCount == count)
    #expect(list.referenceSize == (count < 256 ? 1 : count < 65_536 ? 2 : 4))
    #expect(try list.root == value)
  }

  @Test
  func `values that cannot be read back are not written`() {
    #expect(throws: PropertyListError.self) { try BinaryPropertyListWriter.bytes(of: .uid(-1)) }
    #expect(throws: PropertyListError.self) {
      try BinaryPropertyListWriter.bytes(of: .uid(4_294_967_296))
    }
    var nested = PropertyListValue.array([])
    for _ in 0..<63 { nested = .array([nested]) }
    #expect(throws: Never.self) { try roundTrip(nested) }
    #expect(throws: PropertyListError.self) {
      try BinaryPropertyListWriter.bytes(of: .array([nested]))
    }
  }
}
