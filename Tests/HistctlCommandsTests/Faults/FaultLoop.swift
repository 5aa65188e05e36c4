#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Runs a command line into a fault at each of the system calls by which it changes files, and looks
/// at what is left; then runs it again, undisturbed.
///
/// A few calls have their turn, others in every run; the seed that chose them is printed with a failure.
/// With HISTCTL_EVERY_FAULT=1 every call has every kind of fault.
struct FaultLoop: Sendable {
  /// What it begins with.
  let files: [String: [UInt8]]
  /// The command line, with paths relative to the folder of the files.
  let arguments: [String]
  /// That of the run that puts all right; nil for the same.
  var again: [String]?
  /// By how many milliseconds clocks go on each time that they are looked at.
  var clockStep = 0
  /// Files that may be left when the run after a fault has nothing to do with them.
  var mayStay: Set<String> = []
  /// How many faults a usual run tries.
  var count = 8
  /// What is wrong with what a fault left; it may be changed by looking at it.
  let problemsAfterFault: @Sendable (_ place: Folder, _ status: Int) throws -> [String]
  /// What is wrong with what the run after it left.
  let problemsInTheEnd: @Sendable (_ place: Folder) throws -> [String]

  /// Statuses of work that could not be done, or not all of it.
  private static let failures: Set<Int> = [2, 3, 7, 9]
  private static let kinds: [(kind: FaultInjector.Kind, lasts: Bool)] = [
    (.kill, false), (.torn, false), (.half, false), (.full, false), (.full, true), (.error, false),
    (.error, true),
  ]

  /// A folder with files in it.
  struct Folder: Sendable {
    let folder: TemporaryFolder

    /// A folder that is there.
    init(folder: TemporaryFolder) { self.folder = folder }

    /// A new folder with these files.
    init(_ files: [String: [UInt8]]) throws {
      folder = try TemporaryFolder()
      for (name, bytes) in files {
        try make((name as NSString).deletingLastPathComponent)
        try FileBytes.write(bytes, to: folder.file(name))
      }
    }

    /// A new folder with what a loss of power left.
    init(_ state: DiskRecord.State) throws {
      try self.init(state.files.filter { state.links[$0.key] == nil })
      for name in state.folders { try make(name) }
      for (name, first) in state.links {
        try FileManager.default.linkItem(atPath: folder.file(first), toPath: folder.file(name))
      }
    }

    private func make(_ name: String) throws {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
    }

    /// The paths of all files and folders in the folder, without those that SQLite keeps beside its files.
    func names() throws -> Set<String> {
      Set(
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
          !["-shm", "-wal", "-journal"].contains(where: name.hasSuffix)
        })
    }

    /// All files, by their paths in the folder.
    func files() throws -> [String: [UInt8]] {
      var files: [String: [UInt8]] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        var isFolder: ObjCBool = false
        let path = folder.file(name)
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        files[name] = try FileBytes.read(path)
      }
      return files
    }
  }

  /// Runs the command into every chosen fault.
  ///
  /// - Returns: The statuses that it ended with, for tests that check which ones occurred.
  @discardableResult
  func run() async throws -> Set<Int> {
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let undisturbed = try Folder(files)
    let clean = try await injector.calls(
      of: .histctl, arguments, files: undisturbed.folder.path, folder: undisturbed.folder.path,
      clockStep: clockStep)
    #expect(clean.result.status == 0, "\(clean.result.errors)")
    #expect(!clean.calls.isEmpty)
    let names = try undisturbed.names()
    #expect(try problemsInTheEnd(undisturbed) == [])

    let faults = faults(at: clean.calls)
    // Two at a time, for each of them is as busy as a program can be.
    async let ones = run(faults, part: 0, injector, clean.calls, names)
    async let others = run(faults, part: 1, injector, clean.calls, names)
    return try await ones.union(others)
  }

  /// Whether all that can fail is made to fail.
  static var isEvery: Bool { Campaign.isEverything }

  private func faults(at calls: [FaultInjector.Call]) -> [FaultInjector.Fault] {
    let all = Self.kinds.flatMap { kind, lasts in
      calls.indices.map { place in
        FaultInjector.Fault(
          kind == .torn && !calls[place].isWrite ? .kill : kind, at: place + 1, lasts: lasts)
      }
    }
    guard !Self.isEvery else { return all }
    var random = SeededGenerator(seed: Campaign.rotatingSeed)
    var faults: [FaultInjector.Fault] = []
    let count = Campaign.count(count, all.count)
    for fault in all.shuffled(using: &random) where !faults.contains(fault) {
      faults.append(fault)
      if faults.count == count { break }
    }
    return faults
  }

  private func run(
    _ faults: [FaultInjector.Fault], part: Int, _ injector: FaultInjector,
    _ calls: [FaultInjector.Call], _ names: Set<String>
  ) async throws -> Set<Int> {
    var statuses: Set<Int> = []
    for (number, fault) in faults.enumerated() where number % 2 == part {
      let call = calls[fault.call - 1]
      let name = URL(fileURLWithPath: call.path).lastPathComponent
      let problems: [String]
      do {
        problems = try await run(fault, injector, names, &statuses)
      } catch {
        problems = ["\(error)"]
      }
      #expect(problems == [], "\(call.name) \(name), \(fault)")
    }
    return statuses
  }

  private func run(
    _ fault: FaultInjector.Fault, _ injector: FaultInjector, _ names: Set<String>,
    _ statuses: inout Set<Int>
  ) async throws -> [String] {
    let place = try Folder(files)
    let result = try await injector.run(
      .histctl, arguments, files: place.folder.path, fault, folder: place.folder.path,
      clockStep: clockStep)
    statuses.insert(result.status)
    var problems: [String] = []
    let isKill = fault.kind == .kill || fault.kind == .torn
    // Which calls there are may depend on what threads and clocks do.
    if !(isKill ? [0, 137] : Self.failures.union([0])).contains(result.status) {
      problems.append("status \(result.status): \(result.errors)")
    }
    if result.status != 0, !isKill, result.errors.isEmpty { problems.append("nothing is said") }
    if result.errors.contains("fault of histctl") { problems.append(result.errors) }

    if result.status == 0 {
      let more = try place.names().subtracting(names).subtracting(mayStay).sorted()
      if !more.isEmpty { problems.append("left after status 0: \(more)") }
    }
    // On a copy, since looking at a store with a journal puts it right.
    let left = try place.files().filter { !$0.key.hasSuffix("-shm") }
    problems += try problemsAfterFault(try Folder(left), result.status)

    let rerun = try await Tool.histctl.run(again ?? arguments, folder: place.folder.path)
    if rerun.status != 0 { problems.append("again \(rerun.status): \(rerun.errors)") }
    let more = try place.names().subtracting(names).subtracting(mayStay).sorted()
    if !more.isEmpty { problems.append("left over: \(more)") }
    problems += try problemsInTheEnd(place).map { "in the end: " + $0 }
    return problems
  }
}
#endif
