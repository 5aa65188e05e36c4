import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// The folders in which stores are written, as those who make stores leave them.
@Suite(.bounded) struct DraftFolderTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
  }

  private func make(_ name: String) throws {
    let path = folder.file(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileBytes.write([1], to: path + "/Trips.store")
  }

  @Test func `unused draft folders are removed`() throws {
    for name in ["Trips.store.partial-1a", "Trips.store.partial-", "Other.store.partial-1a"] {
      try make(name)
    }
    try FileBytes.write([1], to: folder.file("Trips.store.partial-2b"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("Trips.store.partial-3c"),
      withDestinationPath: folder.file("Other.store.partial-1a"))
    try StoreDraft(path: path).write { try StoreCreator.create(at: $0, model: TripsModel.model) }
    #expect(
      try folder.names() == [
        "Other.store.partial-1a", "Trips.store", "Trips.store.partial-",
        // Not a folder, so not one of these.
        "Trips.store.partial-2b", "Trips.store.partial-3c",
      ])
    #expect(try FileBytes.read(folder.file("Other.store.partial-1a/Trips.store")) == [1])
  }

  @Test
  func `a draft folder left by a kill after the store was in place is removed`() throws {
    try StoreDraft(path: path).write { try StoreCreator.create(at: $0, model: TripsModel.model) }
    try make("Trips.store.partial-1a")
    #expect(throws: StoreWriteError.self) { try StoreDraft(path: path) }
    #expect(try folder.names() == ["Trips.store"])
  }

  @Test
  func `draft folders of recorded values are removed when the values are opened`() throws {
    let trips = try RecordedTrips()
    let left = trips.valuesPath + ".partial-1a"
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
    try FileManager.default.linkItem(atPath: trips.valuesPath, toPath: left + "/values")
    _ = try StoreEditor(path: trips.path, recordsValues: true)
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(FileManager.default.fileExists(atPath: trips.valuesPath))
  }

  @Test(.enabled(if: geteuid() == 0))
  func `draft folders of other users stay`() throws {
    try make("Trips.store.partial-1a")
    #expect(chown(folder.file("Trips.store.partial-1a"), 65534, 65534) == 0)
    try StoreDraft(path: path).write { try StoreCreator.create(at: $0, model: TripsModel.model) }
    #expect(try folder.names() == ["Trips.store", "Trips.store.partial-1a"])
  }

  @Test func `draft folders in use stay`() throws {
    try StoreDraft(path: path).write { first in
      try StoreDraft(path: path).write { second in
        #expect(first != second)
        try StoreCreator.create(at: second, model: TripsModel.model)
      }
      try StoreCreator.create(at: first, model: TripsModel.model)
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(try folder.names() == ["Trips.store"])
  }

  @Test func `draft folders are readable by their owner only`() throws {
    try StoreDraft(path: path).write { temporary in
      let parent = URL(fileURLWithPath: temporary).deletingLastPathComponent().path
      let mode = try FileManager.default.attributesOfItem(atPath: parent)[.posixPermissions]
      #expect(mode as? Int == 0o700)
      try StoreCreator.create(at: temporary, model: TripsModel.model)
    }
  }

  /// In a folder where everybody may write, anybody could give it to the next store.
  @Test(.enabled(if: geteuid() == 0, "only an administrator can give folders away"))
  func `drafts are created beside those of other users`() throws {
    let draft = "Trips.store.partial-1a"
    let former = folder.file(draft + "/Trips.store-former")
    try FileManager.default.createDirectory(atPath: former, withIntermediateDirectories: true)
    try FileBytes.write([1], to: folder.file(draft + "/Trips.store-finished"))
    try FileBytes.write([1], to: former + "/Trips.store-values.db")
    try FileManager.default.setAttributes(
      [.ownerAccountID: 12_345], ofItemAtPath: folder.file(draft))
    try StoreDraft(path: path).write { try StoreCreator.create(at: $0, model: TripsModel.model) }
    #expect(try folder.names() == ["Trips.store", draft])
    try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: folder.file(draft))
    try StoreDraft(path: path, overwrites: true).write {
      #expect(try FileBytes.read(path + "-values.db") == [1])
      try StoreCreator.create(at: $0, model: TripsModel.model)
    }
    #expect(try folder.names() == ["Trips.store"])
  }
}
