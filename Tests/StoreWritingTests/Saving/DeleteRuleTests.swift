import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct DeleteRuleTests {
  private let folder: TemporaryFolder
  private let editor: StoreEditor
  private let query: StoreQuery

  init() throws {
    func link(
      _ name: String, _ destination: String, _ inverse: String?, many: Bool = false,
      rule: ManagedRelationship.DeleteRule
    ) -> ManagedProperty {
      .relationship(
        .init(
          name: name, destinationName: destination, inverseName: inverse, isToMany: many,
          deleteRule: rule))
    }
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Folder",
        properties: [
          .attribute(.init(name: "name", type: .string, preservesValueOnDeletion: true)),
          link("parent", "Folder", "children", rule: .nullify),
          link("children", "Folder", "parent", many: true, rule: .cascade),
          link("notes", "Note", "folder", many: true, rule: .deny),
          link("log", "Note", nil, many: true, rule: .nullify),
          link("friends", "Folder", "friends", many: true, rule: .nullify),
        ], uniquenessConstraints: [["name"]]),
      ManagedEntity(
        name: "Note",
        properties: [
          link("folder", "Folder", "notes", rule: .nullify),
          link("cover", "Note", nil, rule: .noAction),
        ]),
    ])
    folder = try TemporaryFolder()
    let path = folder.file("rules.store")
    try StoreCreator.create(at: path, model: model)
    editor = try StoreEditor(path: path)
    query = try StoreQuery(path: path)
  }

  @Test func `a cascade deletes descendants`() throws {
    var save = StoreSave()
    let root = save.insert("Folder", values: ["name": .text("root")])
    let child = save.insert("Folder", values: ["name": .text("child")], toOne: ["parent": root])
    save.insert("Folder", values: ["name": .text("grandchild")], toOne: ["parent": child])
    let other = save.insert("Folder", values: ["name": .text("other")])
    save.update(other, toMany: ["friends": [root, child]])
    let appended = try #require(try editor.append(save))
    #expect(try query.lines("SELECT * FROM Z_1FRIENDS ORDER BY 1") == ["1|4", "2|4"])
    var deletion = StoreSave()
    deletion.delete(try #require(appended.stored(root)))
    try editor.append(deletion)
    #expect(try query.lines("SELECT Z_PK, Z_OPT FROM ZFOLDER") == ["4|2"])
    #expect(try query.lines("SELECT * FROM Z_1FRIENDS") == [])
    #expect(
      try query.lines(
        "SELECT ZCHANGETYPE, ZENTITYPK, ZTOMBSTONE0 FROM ACHANGE WHERE ZTRANSACTIONID = 2") == [
          "1|4|", "2|1|root", "2|2|child", "2|3|grandchild",
        ])
  }

  @Test func `a deny rule refuses a deletion unless its related objects are deleted too`() throws {
    var save = StoreSave()
    let folder = save.insert("Folder", values: ["name": .text("a")])
    let note = save.insert("Note", toOne: ["folder": folder])
    let cover = save.insert("Note", toOne: ["cover": note])
    save.update(folder, toMany: ["log": [cover]])
    let appended = try #require(try editor.append(save))
    #expect(try query.lines("SELECT ZFOLDER, ZCOVER, Z1LOG FROM ZNOTE") == ["1||", "|1|1"])
    var denied = StoreSave()
    denied.delete(try #require(appended.stored(folder)))
    #expect(
      throws: StoreWriteError.deletionDenied(
        entity: "Folder", primaryKey: 1, relationship: "notes")
    ) { try editor.append(denied) }
    denied.delete(try #require(appended.stored(note)))
    #expect(try editor.append(denied)?.changeCount == 2)
    // The cover had no way back, so nobody told it; the log's key is not one of its properties.
    #expect(try query.lines("SELECT Z_PK, Z_OPT, ZCOVER, Z1LOG FROM ZNOTE") == ["2|1|1|"])
  }

  @Test func `a unique value may move to another object`() throws {
    var save = StoreSave()
    let first = save.insert("Folder", values: ["name": .text("a")])
    let second = save.insert("Folder", values: ["name": .text("b")])
    let appended = try #require(try editor.append(save))
    var clash = StoreSave()
    clash.insert("Folder", values: ["name": .text("a")])
    let error = #expect(throws: StoreWriteError.self) { try editor.append(clash) }
    #expect(error == .notUnique(detail: "UNIQUE constraint failed: ZFOLDER.ZNAME"))
    clash.delete(try #require(appended.stored(first)))
    clash.delete(try #require(appended.stored(second)))
    clash.insert("Folder", values: ["name": .text("b")])
    try editor.append(clash)
    #expect(try query.lines("SELECT Z_PK, ZNAME FROM ZFOLDER") == ["3|a", "4|b"])
  }
}
