import DurableFiles
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Runs histctl as a user whom the permissions of a folder bind.
private struct OtherUser {
  let folder: TemporaryFolder
  private let binary: String

  init() throws {
    folder = try TemporaryFolder()
    binary = folder.file("histctl")
    try FileManager.default.copyItem(atPath: Tool.histctl.path, toPath: binary)
    chmod(binary, 0o755)
    try FileManager.default.createDirectory(
      atPath: folder.file("temporary"), withIntermediateDirectories: false)
    chmod(folder.path, 0o755)
    chmod(folder.file("temporary"), 0o777)
  }

  func run(_ arguments: [String]) async throws -> Tool.Result {
    let environment = ["TMPDIR": folder.file("temporary")]
    guard geteuid() == 0 else {
      return try await Tool(path: binary).run(arguments, environment: environment)
    }
    guard let setpriv = Tool("setpriv") else { throw CancellationError() }
    return try await setpriv.run(
      ["--reuid=65534", "--regid=65534", "--clear-groups", "--", binary] + arguments,
      environment: environment)
  }

  /// What a run has left in its folder for temporary files.
  func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file("temporary"))
  }

  /// Whether such a user can be had here, and can run the program and reach its libraries.
  static let isPossible: Bool = {
    guard geteuid() != 0 || Tool("setpriv") != nil else { return false }
    guard let user = try? OtherUser() else { return false }
    let process = Process()
    let isRoot = geteuid() == 0
    process.executableURL = URL(
      fileURLWithPath: isRoot ? Tool("setpriv")?.path ?? "" : user.binary)
    process.arguments =
      (isRoot ? ["--reuid=65534", "--regid=65534", "--clear-groups", "--", user.binary] : [])
      + ["--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}

/// A store in a folder that the reader cannot write.
@Suite(.bounded, .enabled(if: OtherUser.isPossible))
struct UnwritableFolderTests {
  private struct Case {
    var name: String
    /// Whether the log is filled, empty, or missing.
    var log: Log
    /// The content of the index of the log and its permissions; nil for none.
    var index: [UInt8]?
    var indexMode: mode_t = 0o444
    var folderMode: mode_t = 0o555
    var file = "s.store"
    enum Log { case filled, empty, missing }
  }

  @Test
  func `a store in an unwritable folder is read to its last transaction and stays unchanged`()
    async throws
  {
    let user = try OtherUser()
    var generator = SeededGenerator(seed: 3)
    let noise = (0..<32_768).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let zeros = [UInt8](repeating: 0, count: 32_768)
    let cases = [
      Case(name: "a filled log, read from a private copy", log: .filled),
      Case(name: "an empty log, read as immutable", log: .empty),
      Case(name: "no log, read as immutable", log: .missing),
      Case(
        name: "no log and a name to escape", log: .missing,
        file: "a?immutable=0&mode=memory#%41 旅.store"),
      Case(name: "a filled log and an index", log: .filled, index: zeros),
      Case(name: "a filled log and a garbled index", log: .filled, index: noise),
      Case(name: "a filled log and an empty index", log: .filled, index: []),
      Case(name: "an empty log and an index", log: .empty, index: zeros),
      Case(name: "an index without a log", log: .missing, index: zeros),
      Case(
        name: "a filled log and an index that cannot be read", log: .filled, index: zeros,
        indexMode: 0),
      Case(
        name: "no log and an index that cannot be read", log: .missing, index: zeros, indexMode: 0),
      Case(
        name: "a folder that can be written, an index that cannot", log: .filled, index: zeros,
        folderMode: 0o777),
      Case(
        name: "a folder that can be written, an index that cannot be read", log: .filled,
        index: zeros, indexMode: 0, folderMode: 0o777),
    ]
    for (number, state) in cases.enumerated() {
      let folder = user.folder.file("case\(number)")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      let path = folder + "/" + state.file
      var shape = StoreWriter.Shape()
      shape.keepsLog = state.log == .filled
      try SampleStore.write(to: user.folder.file("new"), shape: shape)
      try FileManager.default.moveItem(atPath: user.folder.file("new"), toPath: path)
      if state.log == .filled {
        try FileManager.default.moveItem(
          atPath: user.folder.file("new-wal"), toPath: path + "-wal")
      }
      if state.log == .empty { try FileBytes.write([], to: path + "-wal") }
      if let index = state.index {
        try FileBytes.write(index, to: path + "-shm")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let before = try names.map { try FileBytes.read(folder + "/" + $0) }
      for name in names { chmod(folder + "/" + name, 0o444) }
      if state.index != nil { chmod(path + "-shm", state.indexMode) }
      chmod(folder, state.folderMode)
      let log = try await user.run(["log", path, "--json", "--reverse"])
      #expect(log.status == 0, "\(state.name): \(log.errors)")
      #expect(log.lines.count == 12, "\(state.name)")
      let info = try await user.run(["info", path])
      #expect(info.status == 0, "\(state.name): \(info.errors)")
      chmod(folder, 0o755)
      if state.index != nil { chmod(path + "-shm", 0o644) }
      let after = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(after == names, "\(state.name)")
      let bytes = try names.map { try FileBytes.read(folder + "/" + $0) }
      #expect(bytes == before, "\(state.name)")
      #expect(try user.leftovers().isEmpty, "\(state.name)")
    }
  }

  @Test(.enabled(if: HeldProcess.isPossible))
  func `a store in an unwritable folder is read while an app has it open`() async throws {
    let user = try OtherUser()
    let folder = user.folder.file("app")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/s.store"
    try SampleStore.write(to: path)
    let app = try #require(
      try HeldProcess(
        python: """
          database = sqlite3.connect(path, isolation_level=None)
          database.execute('INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (13, 16002, 9)')
          ready(); wait()
          database.execute('INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (14, 16002, 9)')
          """, store: path))
    if geteuid() == 0 {
      for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o444) }
    }
    chmod(folder, 0o555)
    let log = try await user.run(["log", path, "--json"])
    #expect(log.status == 0, "\(log.errors)")
    #expect(log.lines.count == 13)
    chmod(folder, 0o755)
    for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o644) }
    #expect(app.finish() == 0)
    #expect(try user.leftovers().isEmpty)
    #expect(try ReadRows.everything(of: path) == 14)
  }

  @Test
  func `a store whose file, log or folder is unreadable is an error`() async throws {
    let user = try OtherUser()
    let folder = user.folder.file("closed")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/s.store"
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    try SampleStore.write(to: path, shape: shape)
    for (suffix, mode) in [("", 0o444), ("-wal", 0o444)] { chmod(path + suffix, mode_t(mode)) }
    for (target, mode) in [(path, 0o444), (path + "-wal", 0o444), (folder, 0o755)] {
      chmod(folder, target == folder ? 0 : 0o555)
      if target != folder { chmod(target, 0) }
      let run = try await user.run(["info", path])
      #expect(run.status == 9, "\(target): \(run.errors)")
      #expect(run.errors.contains("s.store"), "\(run.errors)")
      chmod(folder, 0o755)
      chmod(target, mode_t(mode))
    }
    #expect(try user.leftovers().isEmpty)
  }
}

/// The copy that is read where a folder cannot hold what SQLite needs.
@Suite(.bounded) struct PrivateCopyTests {
  @Test(arguments: [true, false])
  func `a private copy has the store and its log, is readable by its owner only, and is removed`(
    keepsLog: Bool
  ) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = keepsLog
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let copy = try PrivateCopy(of: StoreLocation(path: path))
    defer { copy.remove() }
    #expect(try FileBytes.read(copy.path) == FileBytes.read(path))
    let hasLog = FileManager.default.fileExists(atPath: copy.path + "-wal")
    #expect(hasLog == keepsLog)
    if keepsLog { #expect(try FileBytes.read(copy.path + "-wal") == FileBytes.read(path + "-wal")) }
    let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let parent = URL(fileURLWithPath: copy.path).deletingLastPathComponent().path
    let parentMode = try FileManager.default.attributesOfItem(atPath: parent)[.posixPermissions]
    #expect(parentMode as? Int == 0o700)
    copy.remove()
    #expect(!FileManager.default.fileExists(atPath: parent))
  }

  @Test
  func `a private copy left by a killed process is removed by the next, and one in use stays`()
    throws
  {
    let folder = try TemporaryFolder()
    let location = try StoreLocation(path: SampleStore.write(to: folder.file("trips.store")))
    let copy = try PrivateCopy(of: location)
    defer { copy.remove() }
    let place = URL(fileURLWithPath: copy.path).deletingLastPathComponent()
    let left = place.deletingLastPathComponent()
      .appendingPathComponent("histctl-copy.partial-left").path
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    try FileBytes.write([1], to: left + "/store")
    let next = try PrivateCopy(of: location)
    defer { next.remove() }
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(FileManager.default.fileExists(atPath: copy.path))
  }

  @Test
  func `a private copy is registered for removal at a signal`() throws {
    let registered = Mutex<[String]>([])
    let forgotten = Mutex<[String]>([])
    let watch = TemporaryFiles.Watch { paths in
      registered.withLock { $0 += paths }
      return { forgotten.withLock { $0 += paths } }
    }
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let copy = try TemporaryFiles.$watch.withValue(watch) {
      try PrivateCopy(of: StoreLocation(path: path))
    }
    let place = URL(fileURLWithPath: copy.path).deletingLastPathComponent().path
    let files = try FileManager.default.contentsOfDirectory(atPath: place)
    #expect(files.count == 2)
    #expect(
      Set(registered.withLock { $0 }).isSuperset(of: files.map { place + "/" + $0 } + [place]))
    #expect(forgotten.withLock { $0 }.isEmpty)
    // Each use once wrapped the closure again, until a call of it overflowed the stack.
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      TemporaryFiles.$watch.withValue(watch) {
        for _ in 0..<10_000 { TemporaryFiles.register([]).end() }
      }
      isDone.signal()
    }
    thread.stackSize = 1 << 18
    thread.start()
    isDone.wait()
    copy.remove()
    #expect(forgotten.withLock { $0 } == registered.withLock { $0 })
  }
}
