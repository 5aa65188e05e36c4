import DurableFiles
import Foundation
import StoreFormat
import SystemPackage
import TestSupport
import Testing

/// Files that take their place in one step, and what is left of those that never did.
@Suite(.bounded) struct DraftFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.jsonl")
  }

  private func draft(overwrites: Bool = true) throws -> DraftFile {
    try DraftFile(path: path, permissions: [.ownerReadWrite], overwrites: overwrites)
  }

  @Test func `drafts in use stay`() throws {
    let first = try draft()
    let second = try draft()
    #expect(try folder.names().count == 2)
    AbandonedDrafts.remove(in: folder.path) { _ in true }
    #expect(try folder.names().count == 2)
    try Array("second".utf8).withUnsafeBytes { try second.write($0) }
    try second.commit()
    try Array("first".utf8).withUnsafeBytes { try first.write($0) }
    try first.commit()
    #expect(try folder.names() == ["a.jsonl"])
    #expect(try FileBytes.read(path) == Array("first".utf8))
  }

  @Test func `unused drafts are removed`() throws {
    for name in [
      "a.jsonl.partial-0", "a.jsonl.partial-1gahdze", "a.jsonl.partial-", "a.jsonl.partial-A",
      "a.jsonl.partial-x.txt", "b.jsonl.partial-1gahdze", "a.jsonl", "partial-1gahdze",
    ] {
      try FileBytes.write([1], to: folder.file(name))
    }
    try FileManager.default.createDirectory(
      atPath: folder.file("a.jsonl.partial-2"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("a.jsonl.partial-3"), withDestinationPath: "b.jsonl.partial-1gahdze")
    try draft().discard()
    #expect(
      try folder.names() == [
        "a.jsonl", "a.jsonl.partial-", "a.jsonl.partial-2", "a.jsonl.partial-3",
        "a.jsonl.partial-A",
        "a.jsonl.partial-x.txt", "b.jsonl.partial-1gahdze", "partial-1gahdze",
      ])
  }

  @Test
  func
    `a file that only one program writes has drafts of one name, and no other name is looked at`()
    throws
  {
    func only() throws -> DraftFile {
      try DraftFile(path: path, permissions: .ownerReadWrite, overwrites: true, isOnlyWriter: true)
    }
    let left = folder.file("a.jsonl.partial-0")
    try FileBytes.write([1], to: left)
    try FileBytes.write([1], to: folder.file("a.jsonl.partial-1gahdze"))
    let draft = try only()
    #expect(draft.temporaryPath == left)
    try [UInt8(2)].withUnsafeBytes { try draft.write($0) }
    // As on a file system without locks, where two programs may write it after all.
    let second = try only()
    #expect(second.temporaryPath != left)
    try draft.commit()
    try second.commit()
    #expect(try folder.names() == ["a.jsonl", "a.jsonl.partial-1gahdze"])
    try FileManager.default.linkItem(atPath: path, toPath: left)
    try only().discard()
    #expect(try folder.names() == ["a.jsonl", "a.jsonl.partial-1gahdze"])
  }

  @Test
  func `a second name left by a kill is removed, even while the file is locked`() throws {
    try draft(overwrites: false).commit()
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("a.jsonl.partial-1gahdze"))
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    #expect(flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    try draft().commit()
    #expect(try folder.names() == ["a.jsonl"])
  }

  @Test
  func `a second name is removed even if the file exists already`() throws {
    try draft(overwrites: false).commit()
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("a.jsonl.partial-1gahdze"))
    #expect(throws: Errno.fileExists) { try draft(overwrites: false) }
    #expect(try folder.names() == ["a.jsonl"])
  }

  /// In a folder that others may write to, a link could be to anything.
  @Test func `a link is replaced, and its target stays`() throws {
    try FileBytes.write([1], to: folder.file("precious"))
    for target in ["precious", "nothing"] {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      let draft = try draft()
      try [UInt8(2)].withUnsafeBytes { try draft.write($0) }
      try draft.commit()
      #expect(try folder.names() == ["a.jsonl", "precious"])
      #expect(try FileBytes.read(folder.file("precious")) == [1])
      #expect(try FileBytes.read(path) == [2])
    }
  }

  @Test func `an existing file stays`() throws {
    try FileBytes.write([1], to: path)
    #expect(throws: (any Error).self) { try draft(overwrites: false) }
    #expect(try FileBytes.read(path) == [1])
    #expect(try folder.names() == ["a.jsonl"])
  }
}
