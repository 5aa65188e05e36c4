import Foundation
import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreTransactions
@testable import StoreWriting

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file that a broken off save to several stores leaves, where it is not what it should be.
@Suite(.bounded) struct JointSaveRecordTests {
  private struct Refusal: Error {}

  private let folder: TemporaryFolder
  private let (first, second): (JointStore, JointStore)

  init() throws {
    folder = try TemporaryFolder()
    first = try JointStore(folder, "A.store")
    second = try JointStore(folder, "B.store")
  }

  private func save(_ author: String, at seconds: Double? = nil, trips: Int = 1) -> StoreSave {
    var save = StoreSave(
      author: author, timestamp: seconds.map { .init(secondsSinceReferenceDate: $0) })
    for number in 0..<trips { save.insert("Trip", values: ["name": .text("\(number)")]) }
    return save
  }

  /// Checks that the second store says what is in the way of every save, and stays as it is.
  private func expectRefusal(_ words: String...) throws {
    let before = try second.contents()
    for _ in 0..<2 {
      let error = try #require(throws: StoreWriteError.self) {
        try second.editor.append(save("app"))
      }
      guard case .unfinishedJointSave = error else {
        Issue.record("\(error)")
        return
      }
      for word in words + [second.record()] {
        #expect(error.message.contains(word), "\(error)")
      }
    }
    #expect(try second.contents() == before)
  }

  // MARK: - Stores that went back

  @Test(arguments: [4, 100, .max] as [Int64])
  func `a store restored from an older copy refuses the recorded part`(_ number: Int64) throws {
    _ = try first.editor.append(save("joint", at: 5))
    _ = try second.editor.append(save("before"))
    _ = try second.editor.append(save("before"))
    // Transactions that stood before the missing part are missing as well.
    try JointSaveRecord(
      own: try second.place(number, 5), deciding: try first.place(1, 5),
      save: save("joint", at: 5)
    ).write(beside: second.editor.location)
    try expectRefusal("\(number)", "2")
    // Given up, the store is as good as ever.
    try FileBytes.remove(second.record())
    _ = try second.editor.append(save("app"))
    #expect(try second.contents() == ["before", "before", "app", "3"])
  }

  @Test func `a store restored from an older copy drops undecided saves`() throws {
    try JointSaveRecord(
      own: try second.place(100, 5), deciding: try first.place(1, 5), save: save("joint", at: 5)
    ).write(beside: second.editor.location)
    _ = try second.editor.append(save("app"))
    #expect(try second.contents() == ["app", "1"])
    #expect(!second.hasRecord)
  }

  @Test(arguments: [6, .nan]) func `a recorded part is written once, whatever its time is`(
    _ seconds: Double
  ) throws {
    _ = try first.editor.append(save("joint", at: 5))
    // What was written does not have the time by which it is looked for.
    try JointSaveRecord(
      own: try second.place(1, seconds), deciding: try first.place(1, 5),
      save: save("joint", at: 5)
    ).write(beside: second.editor.location)
    _ = try second.editor.append(save("app"))
    #expect(try second.contents() == ["joint", "app", "2"])
    #expect(!second.hasRecord)
  }

  // MARK: - Long parts

  @Test func `the longest part of a save is not recorded`() throws {
    var long = StoreSave(author: "app")
    long.insert("Trip", values: ["name": .text(String(repeating: "x", count: 1_000_000))])
    for (one, other) in [(first, second), (second, first)] {
      var joint = JointSave()
      joint.add(long, to: one.editor)
      joint.add(save("app", trips: 50), to: other.editor)
      #expect(throws: Refusal.self) {
        try joint.append {
          #expect(!one.hasRecord && other.hasRecord)
          throw Refusal()
        }
      }
    }
  }

  @Test func `records beyond the reading limits are refused`() throws {
    _ = try first.editor.append(save("joint", at: 5))
    var long = StoreSave(author: "joint", timestamp: .init(secondsSinceReferenceDate: 5))
    for number in 0..<20 {
      long.insert(
        "Trip", values: ["token": .blob([UInt8](repeating: UInt8(number), count: 10_000))])
    }
    let record = JointSaveRecord(
      own: try second.place(1, 5), deciding: try first.place(1, 5), save: long)
    func write(_ limits: JointSaveRecord.Limits) throws {
      try record.write(beside: second.editor.location, limits: limits)
    }
    for (limits, word) in [
      (JointSaveRecord.Limits(bytes: 199_999), "199999"), (.init(bytes: 200_100), "200100"),
      (.init(values: 100), "100"),
    ] {
      let error = try #require(throws: StoreWriteError.self) { try write(limits) }
      #expect(error.message.contains("at most \(word) "), "\(error)")
      #expect(error.message.contains(second.record()), "\(error)")
      #expect(!second.hasRecord)
    }
    // What is written can be read within the same limits.
    try write(.init())
    let bytes = try FileBytes.read(second.record()).count
    try write(.init(bytes: bytes))
    let location = second.editor.location
    #expect(try JointSaveRecord.read(beside: location, limits: .init(bytes: bytes))?.save == long)
    #expect(throws: StoreWriteError.self) {
      try JointSaveRecord.read(beside: location, limits: .init(bytes: bytes - 1))
    }
    #expect(throws: StoreWriteError.self) {
      try JointSaveRecord.read(beside: location, limits: .init(values: 100))
    }
    #expect(try second.editor.completeJointSave()?.changeCount == 20)
  }

  // MARK: - Records that are not plain files

  enum SpecialFile: String, CaseIterable, Sendable {
    case link, danglingLink, folder, pipe, huge, storeByName, log, sharedMemory
  }

  @Test(arguments: SpecialFile.allCases)
  func `records that are not plain files are refused`(_ thing: SpecialFile) throws {
    _ = try second.editor.append(save("before"))
    let manager = FileManager.default
    let record = second.record()
    var words: [String] = []
    switch thing {
    case .link:
      let aside = folder.file("aside")
      try FileBytes.write([1], to: aside)
      try manager.createSymbolicLink(atPath: record, withDestinationPath: aside)
      words = ["it is a link"]
    case .danglingLink:
      try manager.createSymbolicLink(
        atPath: record, withDestinationPath: folder.file("nowhere"))
      words = ["it is a link"]
    case .folder:
      try manager.createDirectory(atPath: record, withIntermediateDirectories: false)
      words = ["it is not a file"]
    case .pipe:
      #expect(mkfifo(record, 0o600) == 0)
      words = ["it is not a file"]
    case .huge:
      try FileBytes.write([1], to: record)
      #expect(truncate(record, 1 << 40) == 0)
      words = ["1099511627776 bytes"]
    case .storeByName:
      try manager.linkItem(atPath: second.path, toPath: record)
      words = ["it is the store itself"]
    case .log:
      try manager.linkItem(atPath: second.path + "-wal", toPath: record)
      words = ["it is the store itself", "-wal"]
    case .sharedMemory:
      try manager.linkItem(atPath: second.path + "-shm", toPath: record)
      words = ["it is the store itself", "-shm"]
    }
    for word in words { try expectRefusal(word) }
    #expect(throws: StoreWriteError.self) {
      try StoreFile(path: second.path).lacksPartOfJointSave()
    }
  }
}
