import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// A store is found by whatever path leads to it.
@Suite(.bounded) struct StoreLocationTests {
  @Test(arguments: [
    "with space.store", "what?.store", "?immutable=1", "ha#sh.store", "per%cent%41.store",
    "Üñí 旅行 🧳.store", "file:colon.store", ":memory:", "quote'\".store", "back\\slash.store",
    "line\nbreak.store", "-rf.store",
  ])
  func `a store may have any file name`(name: String) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let plain = try SampleStore.write(to: folder.file("plain"), shape: shape)
    for suffix in ["", "-wal"] {
      try FileManager.default.moveItem(
        atPath: plain + suffix, toPath: folder.file(name) + suffix)
    }
    #expect(try ReadRows.everything(of: folder.file(name)) == 12)
    #expect(try folder.names() == [name, name + "-shm", name + "-wal"].sorted())
  }

  @Test
  func `a store may be a link, and has the log beside its target`() throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let link = other.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    // A log beside the link belongs to nobody.
    try FileBytes.write([1, 2, 3], to: link + "-wal")
    #expect(try ReadRows.everything(of: link) == 12)
    #expect(try other.names() == ["link.store", "link.store-wal"])
    let location = try StoreLocation(path: link)
    #expect(location.path == link)
    #expect(location.resolvedPath == path)
    #expect(location.logPath == path + "-wal")
    #expect(location.sharedMemoryPath == path + "-shm")
    #expect(location.journalPath == path + "-journal")
    #expect(location.folder == folder.path)
  }

  @Test
  func `a missing file is reported`() throws {
    let folder = try TemporaryFolder()
    let dangling = folder.file("dangling")
    try FileManager.default.createSymbolicLink(
      atPath: dangling, withDestinationPath: folder.file("nowhere"))
    let file = folder.file("file")
    try FileBytes.write([1], to: file)
    for path in ["", "\0", folder.file("none"), dangling, file + "/inside", "a\0b"] {
      #expect(throws: StoreError.missing(path: path)) { try StoreFile(path: path) }
    }
    #expect(try folder.names() == ["dangling", "file"])
  }

  @Test
  func `a circle of links or a name that is too long is an error`() throws {
    let folder = try TemporaryFolder()
    let loop = folder.file("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    for path in [loop, folder.file(String(repeating: "x", count: 300))] {
      do {
        _ = try StoreFile(path: path)
        Issue.record("\(path) was opened")
      } catch StoreError.unreadable(let named, let reason) {
        #expect(named == path)
        #expect(!reason.isEmpty)
      }
    }
  }

  @Test
  func `relative paths are kept as given`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let dotted = folder.path + "/./../" + URL(fileURLWithPath: folder.path).lastPathComponent
    let location = try StoreLocation(path: dotted + "/trips.store")
    #expect(location.path == dotted + "/trips.store")
    #expect(location.resolvedPath == path)
  }
}
