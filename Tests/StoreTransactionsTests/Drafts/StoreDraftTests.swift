import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import Synchronization
import TestSupport
import Testing

/// A store that is written under another name first.
@Suite(.bounded) struct StoreDraftTests {
  private struct Stop: Error {}

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
  }

  /// Writes a new store with one tag of a label.
  private func write(_ label: String, to path: String) throws {
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    save.insert("Tag", values: ["label": .text(label)])
    try editor.append(save)
    try editor.close()
  }

  private func label() throws -> [String] {
    try StoreQuery(path: path).lines("SELECT ZLABEL FROM ZTAG")
  }

  @Test func `a finished draft takes the place of the store`() throws {
    let draft = try StoreDraft(path: path)
    let answer = try draft.write { temporary in
      #expect(temporary == draft.temporaryPath)
      try write("new", to: temporary)
      let written = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      #expect(!written.isEmpty)
      #expect(written.allSatisfy { draft.temporaryFiles.contains(folder.file($0)) })
      return 7
    }
    #expect(answer == 7)
    #expect(try folder.names() == ["Trips.store"])
    #expect(try label() == ["new"])
  }

  @Test func `reading the draft leaves no files beside it`() throws {
    try StoreDraft(path: path).write { temporary in
      try write("new", to: temporary)
      try StoreFile(path: temporary).read { store in
        let count = try store.transactionCount()
        #expect(count == 1)
      }
    }
    #expect(try folder.names() == ["Trips.store"])
    #expect(try label() == ["new"])
  }

  @Test(arguments: [false, true]) func `a failure leaves no files`(_ overwrites: Bool) throws {
    if overwrites { try write("old", to: path) }
    let before = overwrites ? try FileBytes.read(path) : []
    #expect(throws: Stop.self) {
      try StoreDraft(path: path, overwrites: overwrites).write { temporary in
        try write("new", to: temporary)
        try FileBytes.write([1], to: temporary + "-wal")
        throw Stop()
      }
    }
    #expect(try folder.names() == (overwrites ? ["Trips.store"] : []))
    if overwrites { #expect(try FileBytes.read(path) == before) }
  }

  @Test func `a store with an unmoved log does not take its place`() throws {
    let error = #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path).write { temporary in
        try write("new", to: temporary)
        try FileBytes.write([1], to: temporary + "-wal")
      }
    }
    #expect(error?.message == "cannot write \(path): its log could not be moved into it")
    #expect(try folder.names() == [])
  }

  @Test func `a draft that was not written is an error`() throws {
    #expect(throws: StoreWriteError.self) { try StoreDraft(path: path).write { _ in } }
    #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path, overwrites: true).write { _ in }
    }
    #expect(try folder.names() == [])
  }

  /// Errors name the store as it is known, and not the other name.
  @Test func `a missing folder is reported with the name of the store`() throws {
    let path = folder.file("none/Trips.store")
    let error = #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path).write { temporary in
        try StoreCreator.create(at: temporary, model: TripsModel.model)
      }
    }
    #expect(error == .unwritable(path: path, reason: "No such file or directory"))
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `an existing store, log, index or journal is refused`(_ suffix: String) throws {
    try FileBytes.write([1, 2], to: path + suffix)
    #expect(throws: StoreWriteError.alreadyThere(path: path + suffix)) {
      try StoreDraft(path: path)
    }
    #expect(try FileBytes.read(path + suffix) == [1, 2])
  }

  @Test func `an existing folder or link is refused`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: folder.file("nowhere"))
    #expect(throws: StoreWriteError.alreadyThere(path: path)) { try StoreDraft(path: path) }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false)
    #expect(throws: StoreWriteError.alreadyThere(path: path)) { try StoreDraft(path: path) }
    let error = #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path, overwrites: true).write { try write("new", to: $0) }
    }
    #expect(error == .unwritable(path: path, reason: "it is a folder"))
    #expect(try folder.names() == ["Trips.store"])
  }

  @Test(arguments: ["", "-wal"])
  func `a file created meanwhile is left unchanged`(_ suffix: String) throws {
    #expect(throws: StoreWriteError.alreadyThere(path: path + suffix)) {
      try StoreDraft(path: path).write { temporary in
        try write("new", to: temporary)
        try FileBytes.write([1, 2], to: path + suffix)
      }
    }
    #expect(try FileBytes.read(path + suffix) == [1, 2])
    #expect(try folder.names() == ["Trips.store" + suffix])
  }

  @Test func `a store is replaced with its log`() throws {
    // A log beside a new store would be read as that store's own.
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    try SampleStore.write(to: path, shape: shape)
    #expect(try FileBytes.read(path + "-wal").count > 0)
    try StoreDraft(path: path, overwrites: true).write { try write("new", to: $0) }
    #expect(try folder.names() == ["Trips.store"])
    #expect(try label() == ["new"])
    #expect(try StoreQuery(path: path).lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a log without its store is replaced`() throws {
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    try SampleStore.write(to: path, shape: shape)
    try FileManager.default.removeItem(atPath: path)
    try StoreDraft(path: path, overwrites: true).write { try write("new", to: $0) }
    #expect(try folder.names() == ["Trips.store"])
    #expect(try label() == ["new"])
  }

  @Test(arguments: [Array("a text\n".utf8), Array("SQLite format 2\0".utf8), [0]])
  func `files other than stores are not replaced`(_ bytes: [UInt8]) throws {
    try FileBytes.write(bytes, to: path)
    let error = #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path, overwrites: true)
    }
    #expect(
      error
        == .unwritable(
          path: path, reason: "it is not a store, and only a store is replaced"))
    #expect(try FileBytes.read(path) == bytes)
  }

  @Test(arguments: [[], Array("SQLite format 3\0".utf8), Array("SQLite format 3\0, cut".utf8)])
  func `truncated stores are replaced`(_ bytes: [UInt8]) throws {
    try FileBytes.write(bytes, to: path)
    try FileBytes.write([1], to: path + "-journal")
    try StoreDraft(path: path, overwrites: true).write { try write("new", to: $0) }
    #expect(try folder.names() == ["Trips.store"])
    #expect(try label() == ["new"])
  }

  @Test func `a link is replaced, and its target stays`() throws {
    let target = folder.file("target")
    try write("old", to: target)
    let before = try FileBytes.read(target)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    try StoreDraft(path: path, overwrites: true).write { try write("new", to: $0) }
    #expect(try folder.names() == ["Trips.store", "target"])
    #expect(try label() == ["new"])
    #expect(try FileBytes.read(target) == before)
  }

  /// Whoever merely has the store open would remove the log of the new one at the end.
  @Test(arguments: [true, false])
  func `an open store is not replaced`(_ usesWriteAheadLog: Bool) throws {
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesWriteAheadLog
    try SampleStore.write(to: path, shape: shape)
    let query = try StoreQuery(path: path)
    // Without a log a store is held only while it is read.
    if !usesWriteAheadLog { try query.run("BEGIN") }
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
    let names = try folder.names()
    let draft = try StoreDraft(path: path, overwrites: true, busyTimeout: 0.05)
    #expect(throws: StoreWriteError.store(.busy(path: path, seconds: 0.05))) {
      try draft.write { try write("new", to: $0) }
    }
    #expect(try folder.names() == names)
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
  }
  // MARK: - What belongs to a store

  private static let value = ".Trips_SUPPORT/_EXTERNAL_DATA/"

  private func writeValue(_ name: String, _ bytes: [UInt8], in folder: String) throws {
    let data = folder + "/" + Self.value
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try FileBytes.write(bytes, to: data + name)
  }

  /// A store with a large value and recorded values, as somebody leaves it.
  private func writeFormer() throws {
    try write("old", to: path)
    try writeValue("OLD", [9], in: folder.path)
    let values = try StoreQuery(path: path + "-values.db")
    try values.run("PRAGMA journal_mode = WAL; CREATE TABLE old (a); INSERT INTO old VALUES (1)")
    withExtendedLifetime(values) {}
  }

  @Test(arguments: [false, true]) func `files of the replaced store are removed`(
    _ isNewWithValues: Bool
  ) throws {
    try writeFormer()
    try StoreDraft(path: path, overwrites: true).write { temporary in
      try write("new", to: temporary)
      guard isNewWithValues else { return }
      let draft = URL(fileURLWithPath: temporary).deletingLastPathComponent().path
      try writeValue("NEW", [1], in: draft)
      try StoreQuery(path: temporary + "-values.db").run("CREATE TABLE new (a)")
    }
    #expect(try label() == ["new"])
    guard isNewWithValues else { return #expect(try folder.names() == ["Trips.store"]) }
    #expect(
      try folder.names() == [".Trips_SUPPORT", "Trips.store", "Trips.store-values.db"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file(Self.value)) == ["NEW"])
    #expect(
      try StoreQuery(path: path + "-values.db").lines("SELECT name FROM sqlite_master") == ["new"])
  }

  @Test(arguments: [Self.value + "NEW", "Trips.store-values.db"])
  func `files of other stores stay`(_ name: String) throws {
    if name.hasPrefix(".") {
      try writeValue("NEW", [9], in: folder.path)
    } else {
      try FileBytes.write([9], to: folder.file(name))
    }
    let names = try folder.names()
    let error = #expect(throws: StoreWriteError.self) {
      try StoreDraft(path: path).write { temporary in
        try write("new", to: temporary)
        let folder = URL(fileURLWithPath: temporary).deletingLastPathComponent().path
        try writeValue("NEW", [1], in: folder)
        try FileBytes.write([1], to: temporary + "-values.db")
      }
    }
    #expect(error == .alreadyThere(path: folder.path + "/" + names[0]))
    #expect(try folder.names() == names)
    #expect(try FileBytes.read(folder.file(name)) == [9])
  }

  /// Until the former store is its own alone, nothing beside it is touched: who has it open reads and
  /// writes there.
  @Test func `a locked store keeps all its files`() throws {
    try writeFormer()
    let query = try StoreQuery(path: path)
    #expect(try query.lines("SELECT count(*) FROM ZTAG") == ["1"])
    let draft = try StoreDraft(path: path, overwrites: true, busyTimeout: 0.3)
    let data = folder.file(Self.value)
    let app = SavingApp(folder: data, known: "OLD")
    app.start()
    #expect(throws: StoreWriteError.store(.busy(path: path, seconds: 0.3))) {
      try draft.write { temporary in
        try write("new", to: temporary)
        try writeValue(
          "NEW", [1], in: URL(fileURLWithPath: temporary).deletingLastPathComponent().path)
      }
    }
    let count = app.stop()
    #expect(try FileManager.default.contentsOfDirectory(atPath: data).count == count + 1)
    #expect(try query.lines("SELECT ZLABEL FROM ZTAG") == ["old"])
  }

  @Test func `a store with open recorded values is not replaced`() throws {
    try writeFormer()
    let query = try StoreQuery(path: path + "-values.db")
    #expect(try query.lines("SELECT a FROM old") == ["1"])
    let draft = try StoreDraft(path: path, overwrites: true, busyTimeout: 0.05)
    #expect(throws: StoreWriteError.store(.busy(path: path + "-values.db", seconds: 0.05))) {
      try draft.write { try write("new", to: $0) }
    }
    #expect(try label() == ["old"])
    #expect(try StoreQuery(path: path).lines("PRAGMA journal_mode") == ["wal"])
    #expect(try query.lines("SELECT a FROM old") == ["1"])
    #expect(try FileBytes.read(folder.file(Self.value + "OLD")) == [9])
  }
}

/// Saves one large value after the other, on a thread of its own, and looks each time whether another
/// one is there.
private final class SavingApp: Sendable {
  private let folder: String
  private let known: String
  private let isStopped = Mutex(false)
  private let count = Mutex(0)
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(folder: String, known: String) {
    self.folder = folder
    self.known = known
  }

  /// Begins, and waits for the first save.
  func start() {
    Thread.detachNewThread { [self] in
      var number = 0
      var isSound = true
      while !isStopped.withLock({ $0 }) {
        isSound = isSound && FileManager.default.fileExists(atPath: folder + known)
        isSound =
          isSound && (try? FileBytes.write([UInt8(number & 255)], to: folder + "\(number)")) != nil
        if isSound { number += 1 }
        if number <= 1 { hasBegun.signal() }
        usleep(500)
      }
      count.withLock { $0 = isSound ? number : -1 }
      hasEnded.signal()
    }
    hasBegun.wait()
  }

  /// Ends, and gives how many were saved; -1 where something was not there.
  func stop() -> Int {
    isStopped.withLock { $0 = true }
    hasEnded.wait()
    return count.withLock { $0 }
  }
}
