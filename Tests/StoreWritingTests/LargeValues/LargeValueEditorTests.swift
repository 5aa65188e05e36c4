import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// An editor puts large values into files beside the store.
@Suite(.bounded) struct LargeValueEditorTests {
  private static let model = ManagedModel(entities: [
    ManagedEntity(
      name: "Photo",
      properties: [
        .attribute(.init(name: "data", type: .binaryData, allowsExternalStorage: true)),
        .attribute(
          .init(
            name: "mark", type: .binaryData, allowsExternalStorage: true,
            defaultValue: .blob([5, 6]))),
        .attribute(.init(name: "text", type: .string, allowsExternalStorage: true)),
      ])
  ])

  private let folder: TemporaryFolder
  private var path: String { folder.file("Photos.store") }
  private var support: String { folder.file(".Photos_SUPPORT") }
  private var files: String { support + "/_EXTERNAL_DATA" }

  init() throws {
    folder = try TemporaryFolder()
    try StoreCreator.create(at: folder.file("Photos.store"), model: Self.model)
  }

  private func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: files) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: files)
  }

  private func mode(_ path: String) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?
      .intValue
  }

  private func column(_ name: String) throws -> [String] {
    try StoreQuery(path: path).lines("SELECT \(name) FROM ZPHOTO ORDER BY Z_PK")
  }

  private let large = [UInt8](repeating: 9, count: 200_000)

  @Test func `values in columns begin with a byte for their kind`() throws {
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    save.insert("Photo", values: ["data": .blob([1, 2, 3])])
    save.insert("Photo", values: ["data": .blob(large), "mark": .null])
    save.insert("Photo", values: ["data": .blob([])])
    try editor.append(save)
    #expect(try names().count == 1)
    let name = try #require(try names().first)
    let text = Array(name.utf8).map { String($0, radix: 16) }.joined()
    #expect(try column("ZDATA") == ["01010203", "02" + text + "00", "01"])
    #expect(try column("ZMARK") == ["010506", "", "010506"])
    #expect(try FileBytes.read(files + "/" + name) == large)
  }

  @Test func `files are not more widely readable than the store`() throws {
    for (mode, fileMode, folderMode) in [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750)] {
      try? FileManager.default.removeItem(atPath: support)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let editor = try StoreEditor(path: path)
      var save = StoreSave()
      save.insert("Photo", values: ["data": .blob(large)])
      try editor.append(save)
      #expect(try self.mode(support) == folderMode)
      #expect(try self.mode(files) == folderMode)
      #expect(try self.mode(files + "/" + #require(names().first)) == fileMode)
    }
  }

  @Test func `replaced files are kept until an editor without syncing closes`() throws {
    let editor = try StoreEditor(path: path, durability: .whenClosed)
    var save = StoreSave()
    let photo = save.insert("Photo", values: ["data": .blob(large)])
    let stored = try #require(try editor.append(save)?.stored(photo))
    var second = StoreSave()
    second.update(stored, values: ["data": .blob(large + [1])])
    try editor.append(second)
    // A loss of power may bring the first save back.
    #expect(try names().count == 2)
    try editor.close()
    #expect(try names().count == 1)
    #expect(try FileBytes.read(files + "/" + #require(names().first)) == large + [1])
  }

  @Test func `a failed save leaves no files`() throws {
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    save.insert("Photo", values: ["data": .blob(large)])
    save.insert("Photo", values: ["text": .text("x")])
    #expect(throws: StoreWriteError.externalStorage(entity: "Photo", attribute: "text")) {
      try editor.append(save)
    }
    #expect(try names() == [])
    #expect(try column("Z_PK") == [])
  }

  @Test func `objects deleted in the same save leave no files`() throws {
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    let kept = save.insert("Photo", values: ["data": .blob(large)])
    let stored = try #require(try editor.append(save)?.stored(kept))
    var second = StoreSave()
    let brief = second.insert("Photo", values: ["data": .blob(large)])
    second.update(stored, values: ["data": .blob(large)])
    second.delete(brief)
    second.delete(stored)
    try editor.append(second)
    #expect(try names() == [])
  }

  @Test func `objects are read with their large values`() throws {
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    save.insert("Photo", values: ["data": .blob(large), "mark": .blob([8])])
    try editor.append(save)
    let photo = try #require(
      try StoreFile(path: path).read { snapshot in
        try snapshot.objects().object(entityNumber: 1, primaryKey: 1)
      })
    #expect(photo.values.map(\.name) == ["data", "mark", "text"])
    #expect(try photo.values[0].externalFile == names().first)
    #expect(photo.values[1].value == .blob([8]))
  }
}
