import OpenSwiftData
import TestSupport
import Testing

/// Other processes save large values, at once or until they are killed, and no file is lost that a row
/// names.
@Suite(.bounded) struct LargeValueProcessTests {
  private let saver = Tool.built("ModelSaver")
  private static let byteCount = 150_000

  private func files(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path + "/.Saved_SUPPORT/_EXTERNAL_DATA"
  }

  /// The files that rows name, after a look that each is there and holds the value of its row.
  private func named(_ path: String, _ moment: String = "") throws -> Set<String> {
    var names: Set<String> = []
    for line in try StoreQuery(path: path).lines(
      "SELECT ZNUMBER, CAST(substr(ZCONTENT, 2, 36) AS TEXT), hex(substr(ZCONTENT, 1, 1)) "
        + "FROM ZSAVEDENTRY")
    {
      let parts = line.split(separator: "|").map(String.init)
      let number = try #require(UInt8(parts[0]))
      #expect(parts[2] == "02", "\(moment)")
      let bytes = try? FileBytes.read(files(of: path) + "/" + parts[1])
      #expect(
        bytes == Array(repeating: number, count: Self.byteCount),
        "\(moment): \(parts[1]) has \(bytes?.count ?? -1) bytes")
      names.insert(parts[1])
    }
    return names
  }

  @Test func `two processes save large values concurrently`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Saved.store")
    async let first = saver.run([path, "first", "40", "--bytes=\(Self.byteCount)"])
    async let second = saver.run([path, "second", "40", "--bytes=\(Self.byteCount)"])
    for result in try await [first, second] {
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.lines.count == 40)
    }
    let names = try named(path)
    #expect(names.count == 4)
    #expect(try Set(ExternalFiles.names(in: files(of: path))) == names)
    let verify = try await Tool.histctl.run(["verify", path])
    #expect(verify.status == 0, "\(verify.text)")
  }

  #if os(Linux)
  /// A store, its log and its files in another folder.
  private func copy(_ path: String, to folder: TemporaryFolder) throws -> String {
    let copy = try folder.copy(store: path)
    try FileManager.default.copyItem(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path + "/.Saved_SUPPORT",
      toPath: folder.file(".Saved_SUPPORT"))
    return copy
  }

  @Test(.enabled(if: FaultInjector.isPossible), arguments: FaultInjector.Kind.allCases)
  func `a save of large values that fails at any system call loses no file`(
    _ kind: FaultInjector.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = folder.file("Saved.store")
    let arguments = ["app", "1", "--bytes=\(Self.byteCount)"]
    #expect(try await saver.run([original, "app", "3", "--bytes=\(Self.byteCount)"]).status == 0)
    let undisturbed = try TemporaryFolder()
    let calls = try await injector.calls(
      of: saver, [copy(original, to: undisturbed)] + arguments, files: undisturbed.path
    ).calls
    // The new file is on the disk before the first write to the log, and the old one goes after the
    // last.
    let synced = try #require(
      calls.lastIndex { $0.name == "fsync" && $0.path.contains("_EXTERNAL_DATA") })
    let removed = try #require(
      calls.firstIndex { $0.name == "unlinkat" && $0.path.contains("_EXTERNAL_DATA") })
    let logged = calls.indices.filter { calls[$0].isWrite && calls[$0].path.hasSuffix("-wal") }
    #expect(try synced < #require(logged.first) && #require(logged.last) < removed, "\(calls)")

    var outcomes: Set<Int> = []
    var leftovers = 0
    // Only of a write there is a half.
    for call in FaultInjector.turns(of: calls, where: { kind != .torn || $0.isWrite }) {
      let place = try TemporaryFolder()
      let path = try copy(original, to: place)
      let fault = FaultInjector.Fault(kind, at: call)
      let result = try await injector.run(saver, [path] + arguments, files: place.path, fault)
      let moment = "\(calls.dropFirst(call - 1).first?.description ?? "no call"), \(fault)"
      let names = try named(path, moment)
      let count = try #require(
        Int(try StoreQuery(path: path).lines("SELECT ZCOUNT FROM ZSAVEDCOUNTER")[0]))
      outcomes.insert(count - 3)
      if !result.lines.isEmpty { #expect(count == 4, "\(moment)") }
      let left = try Set(ExternalFiles.names(in: files(of: path))).subtracting(names)
      leftovers = max(leftovers, left.count)
      // A save that failed before its commit has taken back what it wrote.
      if kind != .kill, kind != .torn, count == 3, call <= synced {
        #expect(left == [], "\(moment)")
      }
      // Whoever comes next goes on, and finds what was left when it is old.
      try ExternalFiles.age(in: files(of: path))
      let next = try await saver.run([path] + arguments)
      #expect(next.lines == ["\(count + 1)"], "\(moment): \(next.errors)")
      let after = try named(path, moment)
      #expect(try Set(ExternalFiles.names(in: files(of: path))) == after, "\(moment)")
    }
    if kind == .kill || kind == .torn { #expect(outcomes == [0, 1]) }
    #expect(leftovers <= 2)
  }
  #endif
}
