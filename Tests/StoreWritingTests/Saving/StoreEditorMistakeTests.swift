import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct StoreEditorMistakeTests {
  static let mistakes: [(String, @Sendable (inout StoreSave) -> Void, StoreWriteError)] = [
    (
      "unknown entity", { $0.insert("Trap") },
      .store(.unknownEntity(name: "Trap", isAbstract: false))
    ),
    (
      "abstract entity", { $0.insert("Accommodation") },
      .store(.unknownEntity(name: "Accommodation", isAbstract: true))
    ),
    (
      "unknown attribute", { $0.insert("Tag", values: ["color": .null]) },
      .store(.unknownProperty(entity: "Tag", property: "color"))
    ),
    (
      "transient attribute", { $0.insert("Trip", values: ["draft": .text("x")]) },
      .store(.unknownProperty(entity: "Trip", property: "draft"))
    ),
    (
      "an attribute as a relationship",
      { $0.insert("Trip", toMany: ["name": []]) },
      .store(.unknownProperty(entity: "Trip", property: "name"))
    ),
    (
      "a to-many relationship as to-one", { $0.insert("Trip", toOne: ["items": nil]) },
      .store(.unknownProperty(entity: "Trip", property: "items"))
    ),
    (
      "wrong storage class", { $0.insert("Tag", values: ["label": .integer(1)]) },
      .wrongValue(
        entity: "Tag", attribute: "label", expected: "a text", found: "the integer 1")
    ),
    (
      "short identifier", { $0.insert("Trip", values: ["identifier": .blob([1])]) },
      .wrongValue(entity: "Trip", attribute: "identifier", expected: "16 bytes", found: "1 byte")
    ),
    (
      "boolean out of range", { $0.insert("Trip", values: ["isFavorite": .integer(2)]) },
      .wrongValue(
        entity: "Trip", attribute: "isFavorite", expected: "the number 0 or 1",
        found: "the integer 2")
    ),
    (
      "a whole composite attribute", { $0.insert("Trip", values: ["place": .real(1)]) },
      .wrongValue(
        entity: "Trip", attribute: "place",
        expected: "a value for each of its elements, by \"attribute.element\"",
        found: "the real number 1.0")
    ),
    (
      "missing object",
      { $0.update(StoreObject(entityName: "Tag", primaryKey: 99), values: ["label": .null]) },
      .missingObject(entity: "Tag", primaryKey: 99)
    ),
    (
      "object of another entity",
      { $0.delete(StoreObject(entityName: "Accommodation", primaryKey: 1)) },
      .missingObject(entity: "Accommodation", primaryKey: 1)
    ),
    (
      "wrong destination",
      { save in
        let tag = save.insert("Tag")
        save.insert("BucketListItem", toOne: ["trip": tag])
      },
      .wrongDestination(
        entity: "BucketListItem", relationship: "trip", expected: "Trip", found: "Tag")
    ),
  ]

  @Test(arguments: mistakes)
  func `a save with a mistake anywhere saves nothing`(
    name: String, mistake: @Sendable (inout StoreSave) -> Void, error: StoreWriteError
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    let query = try StoreQuery(path: path)
    var first = StoreSave(author: "app")
    let item = first.insert("BucketListItem")
    let tag = first.insert("Tag")
    let stay = first.insert("LivingAccommodation")
    first.insert("Trip", toOne: ["stay": stay], toMany: ["items": [item], "tags": [tag]])
    let appended = try #require(try editor.append(first))
    let before = try query.contents()
    var save = StoreSave(author: "somebody new")
    save.insert(
      "Trip", values: ["name": .text("Oslo")],
      toMany: ["items": [try #require(appended.stored(item))]])
    save.update(
      try #require(appended.stored(tag)), values: ["label": .text("x")], toMany: ["trips": []])
    mistake(&save)
    save.delete(try #require(appended.stored(stay)))
    #expect(throws: error) { try editor.append(save) }
    #expect(try query.contents() == before)
    #expect(!error.message.isEmpty && !error.remedy.isEmpty)
    #expect(!error.message.hasSuffix("."))
  }
}
