import Foundation
import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreWriting

/// Files that no row names are removed when they are old, and no others.
@Suite(.bounded) struct LargeValueSweepTests {
  static let model = ManagedModel(entities: [
    ManagedEntity(
      name: "Photo",
      properties: [
        .attribute(.init(name: "data", type: .binaryData, allowsExternalStorage: true))
      ])
  ])

  private let folder: TemporaryFolder
  private let path: String
  private var files: String { folder.file(".Photos_SUPPORT/_EXTERNAL_DATA") }
  private let large = [UInt8](repeating: 9, count: 200_000)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Photos.store")
    try StoreCreator.create(at: path, model: Self.model)
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: files))
  }

  /// Puts a file there that looks as if it had been written long ago.
  private func leave(_ name: String = UUID().uuidString) throws -> String {
    try FileBytes.write([1], to: files + "/" + name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: files + "/" + name)
    return name
  }

  private var photo: StoreSave {
    var save = StoreSave()
    save.insert("Photo", values: ["data": .blob(large)])
    return save
  }

  /// Saves a large value as a program does that has just opened the store, which looks for what was left.
  private func saveAnew() throws { try StoreEditor(path: path).append(photo) }

  private func setColumn(_ sql: String) throws {
    try StoreQuery(path: path).run(
      "UPDATE ZPHOTO SET ZDATA = CAST(\(sql) AS BLOB) WHERE Z_PK = 1")
  }

  @Test func `abandoned files are removed`() throws {
    try saveAnew()
    let kept = try names()
    _ = try leave()
    try saveAnew()
    #expect(try names().count == 2 && names().isSuperset(of: kept))
  }

  @Test(arguments: ["|| x'0041'", "|| x'41'", "|| x'0000'"])
  func `files are kept if a column has an unknown form`(_ rest: String) throws {
    try saveAnew()
    let name = try leave()
    // As another version of the framework might write it.
    try setColumn("x'02' || CAST('\(name)' AS BLOB) \(rest)")
    try saveAnew()
    #expect(try names().contains(name))
    // Understood again, all is as ever.
    try setColumn("x'01'")
    try saveAnew()
    #expect(try !names().contains(name))
  }

  @Test func `file names match in lower and upper case`() throws {
    try saveAnew()
    let name = try leave(UUID().uuidString)
    try setColumn("x'02' || CAST('\(name.lowercased())' AS BLOB) || x'00'")
    try saveAnew()
    #expect(try names().contains(name))
    let small = try leave(UUID().uuidString.lowercased())
    try setColumn("x'02' || CAST('\(small.uppercased())' AS BLOB) || x'00'")
    try saveAnew()
    #expect(try names().contains(small) && !names().contains(name))
  }

  @Test func `files are kept beside another store with the same folder`() throws {
    try saveAnew()
    let name = try leave()
    try StoreCreator.create(at: folder.file("Photos.other"), model: Self.model)
    try saveAnew()
    #expect(try names().contains(name))
  }

  @Test func `files that another part of an unfinished save names are kept`() throws {
    let other = try JointStore(folder, "Trips.store")
    let editor = try StoreEditor(path: path)
    var first = StoreSave()
    first.insert("Photo", values: ["data": .blob([1])])
    try editor.append(first)
    try saveAnew()
    let name = try leave()
    // The other one decides, so that the part of this one is written down until it is saved.
    var trips = StoreSave()
    trips.insert(
      "Trip", values: ["name": .text(String(repeating: "x", count: 300_000))])
    for _ in 0..<10 { trips.insert("Trip") }
    var joint = JointSave()
    joint.add(photo, to: editor)
    joint.add(trips, to: other.editor)
    _ = try joint.append()
    #expect(try !names().contains(name))
  }
}
