import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Relationships that tell one object from the other move between objects within a save.
@Suite(.bounded) struct UniqueLinkTests {
  private let folder: TemporaryFolder
  private let editor: StoreEditor
  private let query: StoreQuery
  private let shelves: [StoreObject]
  private let boxes: [StoreObject]

  /// A store with two shelves, and three boxes: 1 and 2 in the left one, 1 in the right one.
  init() throws {
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Shelf",
        properties: [
          .relationship(
            .init(
              name: "boxes", destinationName: "Box", inverseName: "shelf", isToMany: true,
              deleteRule: .cascade))
        ]),
      ManagedEntity(
        name: "Box",
        properties: [
          .attribute(.init(name: "number", type: .integer64, preservesValueOnDeletion: true)),
          .relationship(.init(name: "shelf", destinationName: "Shelf", inverseName: "boxes")),
        ], uniquenessConstraints: [["shelf", "number"]]),
    ])
    folder = try TemporaryFolder()
    let path = folder.file("unique.store")
    try StoreCreator.create(at: path, model: model)
    editor = try StoreEditor(path: path)
    query = try StoreQuery(path: path)
    var save = StoreSave()
    let shelves = (0..<2).map { _ in save.insert("Shelf") }
    let boxes = [(0, 1), (0, 2), (1, 1)].map { shelf, number in
      save.insert(
        "Box", values: ["number": .integer(Int64(number))], toOne: ["shelf": shelves[shelf]])
    }
    let appended = try #require(try editor.append(save))
    self.shelves = shelves.compactMap(appended.stored)
    self.boxes = boxes.compactMap(appended.stored)
  }

  private func rows() throws -> [String] {
    try query.lines("SELECT Z_PK, ZSHELF, ZNUMBER FROM ZBOX ORDER BY 1")
  }

  @Test(arguments: [false, true]) func `objects can exchange unique relationships in one save`(
    besidesADeletion: Bool
  ) throws {
    var save = StoreSave()
    if besidesADeletion { save.delete(boxes[1]) }
    save.update(boxes[0], toOne: ["shelf": shelves[1]])
    save.update(boxes[2], toOne: ["shelf": shelves[0]])
    try editor.append(save)
    #expect(try rows() == ["1|2|1"] + (besidesADeletion ? [] : ["2|1|2"]) + ["3|1|1"])
  }

  @Test func `cascaded deletions record the stored values`() throws {
    var save = StoreSave()
    save.update(boxes[0], values: ["number": .integer(7)])
    save.update(boxes[2], values: ["number": .integer(9)])
    save.delete(shelves[0])
    try editor.append(save)
    #expect(try rows() == ["3|2|9"])
    #expect(
      try query.lines(
        """
        SELECT ZENTITYPK, ZTOMBSTONE0 FROM ACHANGE
          WHERE ZTRANSACTIONID = 2 AND ZCHANGETYPE = 2 AND ZTOMBSTONE0 IS NOT NULL ORDER BY 1
        """) == ["1|1", "2|2"])
  }

  @Test func `a save that is refused changes nothing`() throws {
    let before = try rows()
    var save = StoreSave()
    save.update(boxes[2], toOne: ["shelf": shelves[0]])
    #expect(throws: StoreWriteError.self) { try editor.append(save) }
    #expect(try rows() == before)
    // The same once its place is free.
    save.update(boxes[0], toOne: ["shelf": nil])
    try editor.append(save)
    #expect(try rows() == ["1||1", "2|1|2", "3|1|1"])
  }
}
