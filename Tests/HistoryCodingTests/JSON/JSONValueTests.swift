import HistoryCoding
import TestSupport
import Testing

@Suite(.bounded) struct JSONValueTests {
  @Test
  func `values are built from literals`() {
    let value: JSONValue = [
      "text": "a", "count": 3, "real": 1.5, "flag": true, "none": .null, "list": [1, "b", []],
      "object": [:],
    ]
    let object = JSONObject([
      ("text", .string("a")), ("count", .integer(3)), ("real", .real(1.5)),
      ("flag", .boolean(true)), ("none", .null),
      ("list", .array([.integer(1), .string("b"), .array([])])), ("object", .object(JSONObject())),
    ])
    #expect(value == .object(object))
  }

  @Test
  func `objects keep the order of their keys`() {
    var object: JSONObject = ["z": 1, "a": 2, "m": 3]
    #expect(object.map(\.key) == ["z", "a", "m"])
    object["a"] = 9
    object["new"] = nil
    object["b"] = 4
    object["z"] = nil
    #expect(object.map(\.key) == ["a", "m", "b"])
    #expect(object["a"] == 9)
    #expect(object["z"] == nil)
    #expect(object.count == 3)
    #expect(object.first?.value == 9)
  }

  @Test
  func `a repeated key replaces the value`() {
    let object: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(object.members.map(\.key) == ["a", "b"])
    #expect(object["a"] == 3)
  }

  @Test
  func `values are equal only if they are written alike`() {
    let different: [JSONValue] = [
      .null, true, false, 0, 1, 0.0, 1.0, .real(-0.0), .real(.nan), "", "\u{E9}", "e\u{301}", "0",
      [],
      [[]], [1, 2], [2, 1], [:], ["a": 1, "b": 2], ["b": 2, "a": 1], ["\u{E9}": 1],
      ["e\u{301}": 1],
    ]
    for (left, first) in different.enumerated() {
      for (right, second) in different.enumerated() {
        #expect((first == second) == (left == right), "\(first) \(second)")
      }
    }
    #expect(Set(different).count == different.count)
    #expect(different.allSatisfy { Set(different).contains($0) })
  }

  @Test
  func `keys are compared by their bytes`() {
    var object: JSONObject = ["\u{E9}": 1]
    #expect(object["e\u{301}"] == nil)
    object["e\u{301}"] = 2
    #expect(object.count == 2)
    #expect(object["\u{E9}"] == 1)
  }
}
