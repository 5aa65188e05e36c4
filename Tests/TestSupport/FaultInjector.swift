#if os(Linux)
import Foundation

/// Runs programs in which one of the system calls that change files fails, or which are killed at one.
package struct FaultInjector: Sendable {
  /// The fault of a call.
  package enum Kind: String, CaseIterable, Sendable {
    /// The program is killed before it.
    case kill
    /// The program is killed when half of a write is done; before any other call.
    case torn
    /// A write does half of its work, and says so; any other call works.
    case half
    /// The disk is full; files can still be removed.
    case full
    /// The device fails.
    case error
  }

  /// A fault and its place.
  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    package let kind: Kind
    /// The number of the call, counted from 1.
    package let call: Int
    /// Whether all later calls fail as well.
    package let lasts: Bool

    package init(_ kind: Kind, at call: Int, lasts: Bool = false) {
      self.kind = kind
      self.call = call
      self.lasts = lasts
    }

    package var description: String {
      "\(kind.rawValue)\(lasts ? " from" : " at") call \(call); HISTCTL_SEED=\(Campaign.rotatingSeed)"
    }
  }

  /// A call by which a program changed or opened a file.
  package struct Call: Hashable, Sendable, CustomStringConvertible {
    /// The name of the function.
    package let name: String
    /// The file.
    package let path: String

    /// Whether half of it can be done.
    package var isWrite: Bool { name.contains("write") }

    package var description: String { name + " " + path }
  }

  /// Returns the calls at which to inject faults: the first, a few more that differ in every run, or all
  /// with `HISTCTL_EVERY_FAULT=1`, and finally one that is never made.
  ///
  /// - Parameters:
  ///   - calls: The calls of a run without faults.
  ///   - canHappen: Whether the fault is possible at a call.
  package static func turns(
    of calls: [Call], where canHappen: (Call) -> Bool = { _ in true }
  ) -> [Int] {
    let all = calls.indices.filter { canHappen(calls[$0]) }.map { $0 + 1 }
    return Set(all.prefix(1) + Campaign.sample(8, of: all)).sorted() + [calls.count + 100]
  }

  /// Something that a test needs and does not have.
  package struct Missing: Error { let what: String }

  private static let compiler = Tool("cc") ?? Tool("clang")
  private let library: String

  /// Whether this machine has a compiler of C.
  package static let isPossible = compiler != nil

  /// Builds the library that is loaded into the programs, in a folder.
  package init(folder: TemporaryFolder) async throws {
    guard let compiler = Self.compiler else { throw Missing(what: "a compiler of C") }
    library = folder.file("fault_at_call.so")
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let source = tests.appendingPathComponent("Tools/fault_at_call.c").path
    let result = try await compiler.run(["-shared", "-fPIC", "-o", library, source, "-ldl"])
    guard result.status == 0 else { throw Missing(what: result.errors) }
  }

  /// Runs a program with a fault to its end.
  ///
  /// - Parameters:
  ///   - files: The beginning of the paths of the files.
  ///   - folder: The folder in which it runs.
  ///   - clockStep: The milliseconds that clocks advance each time they are read.
  package func run(
    _ program: Tool, _ arguments: [String], files: String, _ fault: Fault, folder: String? = nil,
    clockStep: Int = 0
  ) async throws -> Tool.Result {
    try await program.run(
      arguments,
      environment: [
        "LD_PRELOAD": library, "FAULT_FILES": files, "FAULT_KIND": fault.kind.rawValue,
        "FAULT_AT": "\(fault.call)", "FAULT_LASTS": fault.lasts ? "1" : "0",
        "FAULT_CLOCK": "\(clockStep)",
      ], folder: folder)
  }

  /// Runs a program that waits before a call until it is allowed to continue.
  ///
  /// - Parameters:
  ///   - call: The number of the call, counted from 1.
  ///   - gate: A file that the program creates when it reaches the call. It continues when the file is
  ///     removed.
  package func hold(
    _ program: Tool, _ arguments: [String], files: String, at call: Int, gate: String,
    folder: String? = nil
  ) async throws -> Tool.Result {
    try await program.run(
      arguments, environment: environment(holdingFiles: files, at: call, gate: gate),
      folder: folder)
  }

  /// Returns the environment for a program that waits as by ``hold(_:_:files:at:gate:folder:)``.
  package func environment(
    holdingFiles files: String, at call: Int, gate: String
  ) -> [String: String] {
    [
      "LD_PRELOAD": library, "FAULT_FILES": files, "FAULT_KIND": "wait", "FAULT_AT": "\(call)",
      "FAULT_GATE": gate,
    ]
  }

  /// Runs a program without faults and records everything that it does to the files in a folder.
  ///
  /// - Parameter folder: The folder, in which it runs.
  package func disk(
    of program: Tool, _ arguments: [String], folder: String, clockStep: Int = 0
  ) async throws -> (record: DiskRecord, result: Tool.Result) {
    var disk = try DiskRecord(startingWith: folder)
    let (bytes, result) = try await record(
      "FAULT_RECORD", of: program, arguments, files: folder, folder: folder, clockStep: clockStep)
    disk.read(bytes)
    return (disk, result)
  }

  /// Runs a program without faults and returns the calls at which faults are possible.
  package func calls(
    of program: Tool, _ arguments: [String], files: String, folder: String? = nil,
    clockStep: Int = 0
  ) async throws -> (calls: [Call], result: Tool.Result) {
    try await calls(
      "FAULT_LOG", of: program, arguments, files: files, folder: folder, clockStep: clockStep)
  }

  /// Runs a program without faults and returns the calls by which it opened files.
  package func openings(
    of program: Tool, _ arguments: [String], files: String, folder: String? = nil
  ) async throws -> (calls: [Call], result: Tool.Result) {
    try await calls(
      "FAULT_OPENS", of: program, arguments, files: files, folder: folder, clockStep: 0)
  }

  private func calls(
    _ variable: String, of program: Tool, _ arguments: [String], files: String, folder: String?,
    clockStep: Int
  ) async throws -> (calls: [Call], result: Tool.Result) {
    let (lines, result) = try await record(
      variable, of: program, arguments, files: files, folder: folder, clockStep: clockStep)
    let calls = String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      return Call(name: parts.first ?? "", path: parts.dropFirst().first ?? "")
    }
    return (calls, result)
  }

  /// Runs a program without faults and returns the bytes that the library wrote to the file that a
  /// variable names.
  private func record(
    _ variable: String, of program: Tool, _ arguments: [String], files: String, folder: String?,
    clockStep: Int
  ) async throws -> (bytes: [UInt8], result: Tool.Result) {
    let aside = try TemporaryFolder()
    let result = try await program.run(
      arguments,
      environment: [
        "LD_PRELOAD": library, "FAULT_FILES": files, variable: aside.file("record"),
        "FAULT_CLOCK": "\(clockStep)",
      ], folder: folder)
    return ((try? FileBytes.read(aside.file("record"))) ?? [], result)
  }
}
#endif
