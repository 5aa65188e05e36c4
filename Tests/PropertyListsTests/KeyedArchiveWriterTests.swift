import TestSupport
import Testing

@testable import PropertyLists

@Suite(.bounded) struct KeyedArchiveWriterTests {
  @Test
  func `the archive has the shape of NSKeyedArchiver's`() throws {
    var writer = KeyedArchiveWriter()
    let name = writer.add(string: "name")
    let number = writer.add(plain: .integer(5))
    let root = writer.add(pairs: [(name, number)], as: .dictionary)
    #expect(
      try writer.finish(top: ["root": root])
        == .dictionary([
          "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
          "$top": .dictionary(["root": .uid(3)]),
          "$objects": .array([
            .string("$null"), .string("name"), .integer(5),
            .dictionary([
              "NS.keys": .array([.uid(1)]), "NS.objects": .array([.uid(2)]), "$class": .uid(4),
            ]),
            .dictionary([
              "$classname": .string("NSDictionary"),
              "$classes": .array([.string("NSDictionary"), .string("NSObject")]),
            ]),
          ]),
        ]))
  }

  @Test
  func `strings, plain values and classes are written once`() throws {
    var writer = KeyedArchiveWriter()
    #expect(writer.add(string: "a") == writer.add(plain: .string("a")))
    #expect(writer.add(string: "\u{E9}") != writer.add(string: "e\u{301}"))
    #expect(writer.add(plain: .integer(1)) == writer.add(plain: .integer(1)))
    #expect(writer.add(plain: .integer(1)) != writer.add(plain: .boolean(true)))
    #expect(writer.add(plain: .real(0.0)) != writer.add(plain: .real(-0.0)))
    let first = writer.add(elements: [KeyedArchiveWriter.null], as: .set)
    let second = writer.add(object: "NSSet", classes: ["NSSet", "NSObject"], fields: [:])
    #expect(first != second)
    let archive = try KeyedArchive(writer.finish(top: ["root": first]))
    let classes = try [first, second].map { try archive.object($0)?.field("$class") }
    #expect(classes[0] == classes[1])
    let set = try #require(try archive.object(first))
    #expect(try archive.elements(of: set) == [.uid(0)])
  }

  @Test(arguments: [100, 2_000])
  func `thousands of objects that refer to each other are read back`(count: Int) throws {
    var writer = KeyedArchiveWriter()
    let entity = KeyedArchiveWriter.Class("NSEntityDescription", "NSObject")
    let entities = (0..<count).map { _ in writer.reserve() }
    for (index, reference) in entities.enumerated() {
      try writer.fill(
        reference, object: entity,
        fields: [
          "NSEntityName": writer.add(string: "Entity \(index)").value,
          "NSNext": entities[(index + 1) % count].value, "NSIsAbstract": .boolean(index % 2 == 0),
        ])
    }
    let all = writer.add(elements: entities, as: .array)
    let list = try writer.finish(top: ["root": all])
    let archive = try KeyedArchive(bytes: BinaryPropertyListWriter.bytes(of: list))
    let reference = try #require(archive.root)
    let root = try #require(try archive.object(reference))
    let elements = try archive.elements(of: root)
    #expect(elements.count == count)
    for (index, element) in elements.enumerated() {
      let object = try #require(try archive.object(element))
      #expect(try object.string("NSEntityName") == "Entity \(index)")
      #expect(try object.boolean("NSIsAbstract") == (index % 2 == 0))
      #expect(try object.object("NSNext")?.reference.value == elements[(index + 1) % count])
    }
    #expect(try archive.object(elements[0])?.className == "NSEntityDescription")
  }

  @Test
  func `unfilled, twice filled and unknown objects are refused`() throws {
    var writer = KeyedArchiveWriter()
    let reference = writer.reserve()
    #expect(throws: PropertyListError.self) { try writer.finish(top: ["root": reference]) }
    try writer.fill(reference, object: .array, fields: ["NS.objects": .array([])])
    #expect(throws: PropertyListError.self) {
      try writer.fill(reference, object: .array, fields: [:])
    }
    let beyond = KeyedArchive.Reference(index: 99)
    #expect(throws: PropertyListError.self) { try writer.fill(beyond, object: .array, fields: [:]) }
    #expect(throws: Never.self) { try writer.finish(top: ["root": reference]) }
    #expect(throws: PropertyListError.self) { try writer.finish(top: ["root": beyond]) }
    _ = writer.add(elements: [beyond], as: .array)
    #expect(throws: PropertyListError.self) { try writer.finish(top: ["root": reference]) }
  }
}
