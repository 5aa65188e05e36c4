import TestSupport
import Testing

@testable import StoreFormat

/// The dictionary's order, against a Python implementation of the same description.
@Suite(.bounded) struct PropertyHashTableTests {
  private static func table(_ keys: [String]) -> PropertyHashTable {
    var table = PropertyHashTable()
    for key in keys {
      let isAdded = table.add(key)
      #expect(isAdded)
    }
    return table
  }

  @Test(arguments: growth)
  func `keys are found while the table grows`(count: Int, order: [String]) {
    let keys = ["_ek", "_pk", "_opt"] + (0..<17).map { "p\($0)" }
    #expect(Self.table(Array(keys.prefix(count))).keys == order)
  }

  @Test
  func `a repeated key is stored once`() {
    #expect(Self.table(["a", "b", "a", "b", "a"]).keys.sorted() == ["a", "b"])
  }

  @Test
  func `a table takes as many keys as its largest size`() {
    var table = PropertyHashTable()
    let accepted = (0..<5000).prefix { table.add("key\($0)") }.count
    #expect(accepted == 4543)
    #expect(table.keys.count == accepted)
    let isKnown = table.add("key0")
    #expect(isKnown)
    #expect(table.copy().keys.count == accepted)
  }

  @Test
  func `the copy that a subentity starts from has another order`() {
    let table = Self.table(
      ["_ek", "_pk", "_opt", "name", "_ZOWNER", "owner", "items", "tags"]
        + (0..<12).map { "x\($0)" })
    var copy = table.copy()
    #expect(
      table.keys == [
        "x6", "tags", "items", "x7", "_ek", "owner", "x8", "x0", "_ZOWNER", "name", "x9", "x1",
        "_opt", "x2", "x10", "x3", "_pk", "x4", "x11", "x5",
      ])
    #expect(
      copy.keys == [
        "x6", "tags", "items", "x7", "_ek", "owner", "x8", "x0", "_ZOWNER", "name", "x9", "x1",
        "_opt", "x2", "x10", "x3", "_pk", "x4", "x11", "x5",
      ])
    for key in ["zeta", "alpha", "beta", "gamma"] {
      let isAdded = copy.add(key)
      #expect(isAdded)
    }
    #expect(
      copy.keys == [
        "x6", "tags", "items", "x7", "_ek", "owner", "x8", "x0", "_ZOWNER", "name", "x9", "x1",
        "_opt", "x2", "alpha", "x10", "x3", "_pk", "gamma", "x4", "beta", "x11", "zeta", "x5",
      ])
    #expect(table.keys.count == 20)
  }
}

/// The orders after so many keys.
private let growth: [(Int, [String])] = [
  (3, ["_ek", "_pk", "_opt"]),
  (4, ["p0", "_pk", "_ek", "_opt"]),
  (6, ["p0", "_pk", "p2", "_ek", "p1", "_opt"]),
  (7, ["_opt", "p0", "_ek", "_pk", "p3", "p1", "p2"]),
  (11, ["_opt", "p0", "_ek", "_pk", "p3", "p5", "p1", "p6", "p4", "p7", "p2"]),
  (12, ["p1", "_pk", "p6", "p2", "p7", "p3", "p8", "p4", "p0", "_opt", "_ek", "p5"]),
  (
    19,
    [
      "p1", "p13", "_pk", "p6", "p15", "p2", "p11", "p7", "p14", "p3", "p8", "p12", "p4", "p9",
      "p0", "p10", "_opt", "_ek", "p5",
    ]
  ),
  (
    20,
    [
      "p14", "p4", "_ek", "p10", "p5", "p15", "p6", "p11", "p7", "p16", "_opt", "p8", "p0", "p12",
      "p9", "p1", "_pk", "p13", "p2", "p3",
    ]
  ),
]
