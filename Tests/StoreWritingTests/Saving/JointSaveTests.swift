import Foundation
import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreTransactions
@testable import StoreWriting

/// Saves to several stores, and what is left of one that was broken off.
@Suite(.bounded) struct JointSaveTests {
  private struct Refusal: Error {}

  private let folder: TemporaryFolder
  private let (first, second): (JointStore, JointStore)

  init() throws {
    folder = try TemporaryFolder()
    first = try JointStore(folder, "A.store")
    second = try JointStore(folder, "B.store")
  }

  private func save(_ author: String, trips: Int = 1) -> StoreSave {
    var save = StoreSave(author: author)
    for number in 0..<trips { save.insert("Trip", values: ["name": .text("\(number)")]) }
    return save
  }

  private func joint(_ author: String, trips: (Int, Int) = (1, 2)) -> JointSave {
    var joint = JointSave()
    // Neither the order of the paths nor that of the sizes.
    joint.add(save(author, trips: trips.1), to: second.editor)
    joint.add(save(author, trips: trips.0), to: first.editor)
    return joint
  }

  @Test func `each part of a joint save is a transaction`() throws {
    let transactions = try joint("app").append()
    #expect(transactions.map { $0?.changeCount } == [2, 1])
    #expect(transactions.map { $0?.position.number } == [1, 1])
    #expect(transactions[0]?.position.timestamp == transactions[1]?.position.timestamp)
    #expect(try first.contents() == ["app", "1"])
    #expect(try second.contents() == ["app", "2"])
    #expect(!first.hasRecord && !second.hasRecord)
    // A part that comes to nothing is none.
    #expect(try joint("app", trips: (1, 0)).append().map { $0 == nil } == [true, false])
    #expect(try JointSave().append().isEmpty)
    #expect(try first.contents() == ["app", "app", "2"])
    #expect(try second.contents() == ["app", "2"])
  }

  @Test func `a temporary store does not decide a joint save`() throws {
    let third = try JointStore(folder, "C.store")
    func records() -> [Bool] { [first.hasRecord, second.hasRecord, third.hasRecord] }
    for (isTemporary, expected) in [(true, [true, false, false]), (false, [true, true, false])] {
      var save = joint("app")
      save.add(self.save("app", trips: 9), to: third.editor, isTemporary: isTemporary)
      _ = try save.append { #expect(records() == expected) }
      #expect(records() == [false, false, false])
    }
    #expect(try third.contents() == ["app", "app", "18"])
    #expect(try second.contents() == ["app", "app", "4"])
    #expect(try first.contents() == ["app", "app", "2"])
  }

  @Test(arguments: [false, true]) func `a locked store keeps the others unchanged`(
    _ isFirst: Bool
  ) throws {
    let locked = isFirst ? first : second
    try locked.query.run("BEGIN IMMEDIATE")
    do {
      _ = try joint("app").append()
      Issue.record("it was saved")
    } catch StoreWriteError.store(.busy(let path, _)) {
      #expect(path == locked.path)
    }
    try locked.query.run("ROLLBACK")
    #expect(try first.contents() == ["0"] && second.contents() == ["0"])
    #expect(!first.hasRecord && !second.hasRecord)
    _ = try joint("app").append()
    #expect(try first.contents() == ["app", "1"] && second.contents() == ["app", "2"])
  }

  @Test func `a joint save waits until all stores are unlocked`() throws {
    for _ in 0..<3 {
      #expect(throws: Refusal.self) {
        try joint("app").append {
          #expect(try first.contents() == ["0"] && second.contents() == ["0"])
          throw Refusal()
        }
      }
    }
    let size = try FileBytes.read(second.path + "-wal").count
    // The room that is made for a commit is made once.
    for _ in 0..<30 { _ = try? joint("app").append { throw Refusal() } }
    #expect(try FileBytes.read(second.path + "-wal").count == size)
    #expect(try first.contents() == ["0"] && second.contents() == ["0"])
    #expect(!first.hasRecord && !second.hasRecord)
    #expect(try second.query.lines("PRAGMA integrity_check") == ["ok"])
    _ = try joint("app").append()
    #expect(try first.contents() == ["app", "1"] && second.contents() == ["app", "2"])
  }

  @Test func `stores with a rollback journal take part in joint saves`() throws {
    let third = try JointStore(folder, "C.store", hasLog: false)
    let fourth = try JointStore(folder, "D.store", hasLog: false)
    func joint() -> JointSave {
      var joint = JointSave()
      joint.add(save("app", trips: 2), to: third.editor)
      joint.add(save("app", trips: 1), to: fourth.editor)
      return joint
    }
    func contents() throws -> [String] { try third.contents() + fourth.contents() }
    _ = try joint().append()
    #expect(throws: Refusal.self) { try joint().append { throw Refusal() } }
    #expect(try contents() == ["app", "2", "app", "1"])
    // A reader keeps a commit waiting, which shows before anything is committed.
    for store in [third, fourth] {
      try store.query.run("BEGIN; SELECT count(*) FROM ZTRIP")
      #expect(throws: StoreWriteError.self) { try joint().append() }
      try store.query.run("ROLLBACK")
      #expect(try contents() == ["app", "2", "app", "1"])
    }
    _ = try joint().append()
    #expect(try contents() == ["app", "app", "4", "app", "app", "2"])
  }

  // MARK: - Completing

  /// A save with every kind of value and change.
  private func everything(_ store: JointStore, at seconds: Double) throws -> StoreSave {
    var before = StoreSave(author: "before", timestamp: .init(secondsSinceReferenceDate: 1))
    let (kept, gone) = (before.insert("Trip"), before.insert("Tag"))
    let appended = try #require(try store.editor.append(before))
    var save = StoreSave(
      author: "joint", bundle: "b\u{301}", process: "", context: "c",
      timestamp: .init(secondsSinceReferenceDate: seconds))
    let trip = save.insert(
      "Trip",
      values: [
        "name": .text("cafe\u{301} \u{1F600}"), "identifier": .blob(Array(0..<16)),
        "startDate": .real(-0.0), "isFavorite": .integer(1), "score": .integer(.min),
        "token": .blob([]), "cost": .real(.infinity), "place.latitude": .real(0.1),
      ])
    let item = save.insert("BucketListItem", values: ["title": .null], toOne: ["trip": trip])
    let tag = save.insert("Tag", toMany: ["trips": [trip]])
    save.update(tag, added: ["trips": [try #require(appended.stored(kept))]])
    save.update(
      try #require(appended.stored(kept)), values: ["name": .malformedText([0xFF, 0])],
      toOne: ["stay": nil], toMany: ["items": [item]])
    save.delete(try #require(appended.stored(gone)))
    return save
  }

  @Test func `completion writes the whole save`() throws {
    let other = try JointStore(folder, "C.store")
    let save = try everything(second, at: 700.125)
    _ = try other.editor.append(try everything(other, at: 700.125))
    var deciding = self.save("joint")
    deciding.header.timestamp = .init(secondsSinceReferenceDate: 700.125)
    _ = try first.editor.append(deciding)
    let record = JointSaveRecord(
      own: try second.place(2, 700.125), deciding: try first.place(1, 700.125),
      save: save.folded())
    #expect(try JointSaveRecord(propertyList: record.propertyList) == record)
    try record.write(beside: second.editor.location)
    #expect(try StoreFile(path: second.path).lacksPartOfJointSave())
    // Nobody else can read it who cannot read the store.
    let mode = try FileManager.default.attributesOfItem(atPath: second.record())[.posixPermissions]
    let own = try FileManager.default.attributesOfItem(atPath: second.path)[.posixPermissions]
    #expect(mode as? Int == own as? Int)
    #expect(try second.editor.completeJointSave()?.position.number == 2)
    #expect(try second.rows() == other.rows())
    #expect(!second.hasRecord)
    #expect(try second.editor.completeJointSave() == nil)
  }

  @Test func `a save first completes the unfinished one`() throws {
    var deciding = save("joint")
    deciding.header.timestamp = .init(secondsSinceReferenceDate: 5)
    _ = try first.editor.append(deciding)
    var part = save("joint")
    part.header.timestamp = .init(secondsSinceReferenceDate: 5)
    // Somebody who knows nothing of it has saved meanwhile, with its number.
    _ = try second.editor.append(save("stranger"))
    let record = JointSaveRecord(
      own: try second.place(1, 5), deciding: try first.place(1, 5), save: part)
    try record.write(beside: second.editor.location)
    _ = try second.editor.append(save("app"))
    #expect(try second.contents() == ["stranger", "joint", "app", "3"])
    #expect(!second.hasRecord)
    // Found once more, it is not written twice.
    try record.write(beside: second.editor.location)
    #expect(try !StoreFile(path: second.path).lacksPartOfJointSave())
    _ = try joint("both").append()
    #expect(try second.contents() == ["stranger", "joint", "app", "both", "5"])
    #expect(!second.hasRecord)
  }

  @Test func `undecided saves are dropped`() throws {
    _ = try first.editor.append(save("somebody"))
    for number in [1, 2] as [Int64] {
      try JointSaveRecord(
        own: try second.place(1, 5), deciding: try first.place(number, 5), save: save("joint")
      ).write(beside: second.editor.location)
      #expect(try !StoreFile(path: second.path).lacksPartOfJointSave())
      #expect(try second.editor.completeJointSave() == nil)
      #expect(!second.hasRecord)
    }
    // Nor is what was meant for a store that stood here before.
    try JointSaveRecord(
      own: try first.place(1, 5), deciding: try first.place(1, 5), save: save("joint")
    ).write(beside: second.editor.location)
    #expect(try second.editor.completeJointSave() == nil)
    #expect(!second.hasRecord)
    #expect(try second.contents() == ["0"])
  }

  @Test func `undecidable saves are reported`() throws {
    for author in ["one", "two", "three"] { _ = try first.editor.append(save(author)) }
    try first.query.run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 3; DELETE FROM ATRANSACTION WHERE Z_PK < 3")
    func check(_ record: JointSaveRecord, _ reason: String) throws {
      try record.write(beside: second.editor.location)
      for _ in 0..<2 {
        do {
          _ = try second.editor.append(save("app"))
          Issue.record("it was saved")
        } catch let error as StoreWriteError {
          #expect(error.message.contains(second.record()), "\(error)")
          #expect(error.message.contains(reason), "\(error)")
          #expect(error.remedy.contains("remove the file"))
        }
      }
      #expect(second.hasRecord)
    }
    let own = try second.place(1, 5)
    try check(
      JointSaveRecord(own: own, deciding: try first.place(2, 5), save: save("joint")), "history")
    var gone = try first.place(1, 5)
    gone.path = folder.file("Gone.store")
    try check(JointSaveRecord(own: own, deciding: gone, save: save("joint")), "Gone.store")
    var stranger = try first.place(1, 5)
    stranger.storeIdentifier = "X"
    try check(JointSaveRecord(own: own, deciding: stranger, save: save("joint")), "another store")
    // What has happened and does not fit any more.
    let third = try first.query.rows("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = 3")[0][0]
    guard case .real(let seconds) = third else { return }
    var impossible = StoreSave(author: "joint")
    impossible.update(StoreObject(entityName: "Trip", primaryKey: 99), values: [:])
    try check(
      JointSaveRecord(own: own, deciding: try first.place(3, seconds), save: impossible),
      "Trip/p99")
    #expect(try second.contents() == ["0"])
    // Given up, the store is as good as ever.
    try FileBytes.remove(second.record())
    _ = try second.editor.append(save("app"))
  }
}
