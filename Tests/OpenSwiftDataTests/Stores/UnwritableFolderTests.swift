import Foundation
import OpenSwiftData
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process of a user without rights, whose container only reads.
private final class OtherReader {
  private static let prefix = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ path: String) throws {
    guard let setpriv = Tool("setpriv") else { throw CocoaError(.fileNoSuchFile) }
    process.executableURL = URL(fileURLWithPath: setpriv.path)
    process.arguments = Self.prefix + [Tool.built("ModelSaver").path, "--read", path]
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": "/tmp"]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// What it reads now.
  func look() throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let next = output.fileHandleForReading.availableData
      guard !next.isEmpty else { break }
      line += next
    }
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Whether there can be such a process, which can reach what was built.
  static let isPossible: Bool = {
    guard geteuid() == 0, let setpriv = Tool("setpriv") else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: setpriv.path)
    process.arguments = prefix + [Tool.built("ModelSaver").path]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 64
  }()
}

/// A container that only reads, in a folder that it cannot write.
@Suite(.bounded, .enabled(if: OtherReader.isPossible)) struct UnwritableFolderTests {
  private let folder: TemporaryFolder
  private let path: String

  /// A store with two saves, which nobody has open.
  init() async throws {
    folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    path = folder.file("Saved.store")
    let saved = try await Tool.built("ModelSaver").run([path, "app", "2"])
    try #require(saved.status == 0, "\(saved.errors)")
    chmod(path, 0o644)
    for name in ["Saved.store-wal", "Saved.store-shm"] {
      try #require(!FileManager.default.fileExists(atPath: folder.file(name)))
    }
  }

  /// The app, which has the store open as long as it is kept.
  private func app() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: SavedEntry.self, SavedCounter.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  private func save(_ number: Int, by app: ModelContext) throws {
    app.insert(SavedEntry(author: "later", number: number))
    try app.save()
  }

  @Test func `saves of an app that starts later are seen`() throws {
    let reader = try OtherReader(path)
    #expect(try reader.look() == "2 2 2 2")
    var app: ModelContext? = try app()
    for number in 3..<6 {
      try save(number, by: try #require(app))
      #expect(try reader.look() == "\(number) \(number) \(number) \(number)")
    }
    app = nil
    #expect(try reader.look() == "5 5 5 5")
    let next = try self.app()
    try save(6, by: next)
    #expect(try reader.look() == "6 6 6 6")
  }

  /// The log is filled, and without its index nobody else can read it in place.
  @Test func `saves before and after a kill are seen`() async throws {
    let killed = try app()
    try save(3, by: killed)
    let copy = folder.file("copy")
    for suffix in ["", "-wal"] {
      // By another process: whoever closes a file here gives up SQLite's locks on it.
      let copied = try await #require(Tool("cp")).run(["-p", path + suffix, copy + suffix])
      try #require(copied.status == 0, "\(copied.errors)")
    }
    withExtendedLifetime(killed) {}
    let reader = try OtherReader(copy)
    #expect(try reader.look() == "3 3 3 3")
    let app = ModelContext(
      try ModelContainer(
        for: SavedEntry.self, SavedCounter.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: copy))))
    for number in 4..<7 {
      try save(number, by: app)
      #expect(try reader.look() == "\(number) \(number) \(number) \(number)")
    }
  }
}
