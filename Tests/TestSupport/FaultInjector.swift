#if os(Linux)
import Foundation

/// Runs programs in which one of the system calls fails by which they change files, or in which they
/// are killed there.
package struct FaultInjector: Sendable {
  /// What happens to a call.
  package enum Kind: String, CaseIterable, Sendable {
    /// The program is killed before it.
    case kill
    /// The program is killed when half of a write is done; before any other call.
    case torn
    /// The disk is full; files can still be removed.
    case full
    /// The device fails.
    case error
  }

  /// What happens where.
  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    package let kind: Kind
    /// At which call, counted from 1.
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

  /// A call by which a program changed a file.
  package struct Call: Hashable, Sendable, CustomStringConvertible {
    /// The name of the function.
    package let name: String
    /// The file.
    package let path: String

    /// Whether half of it can be done.
    package var isWrite: Bool { name.contains("write") }

    package var description: String { name + " " + path }
  }

  /// Returns the calls at which faults have their turn: the first, a few more, others in every run, and in
  /// the end one that is never made. With `HISTCTL_EVERY_FAULT=1` all.
  ///
  /// - Parameters:
  ///   - calls: The calls of an undisturbed run.
  ///   - canHappen: Whether the fault is possible at a call.
  package static func turns(
    of calls: [Call], where canHappen: (Call) -> Bool = { _ in true }
  ) -> [Int] {
    let all = calls.indices.filter { canHappen(calls[$0]) }.map { $0 + 1 }
    return Set(all.prefix(1) + Campaign.sample(8, of: all)).sorted() + [calls.count + 100]
  }

  /// What a test cannot go on without.
  package struct Missing: Error { let what: String }

  private static let compiler = Tool("cc") ?? Tool("clang")
  private let library: String

  /// Whether this machine has a compiler of C.
  package static let isPossible = compiler != nil

  /// Builds into a folder what is loaded into the programs.
  package init(folder: TemporaryFolder) async throws {
    guard let compiler = Self.compiler else { throw Missing(what: "a compiler of C") }
    library = folder.file("fault_at_call.so")
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let source = tests.appendingPathComponent("Tools/fault_at_call.c").path
    let result = try await compiler.run(["-shared", "-fPIC", "-o", library, source, "-ldl"])
    guard result.status == 0 else { throw Missing(what: result.errors) }
  }

  /// Runs a program to the fault and whatever it makes of it.
  ///
  /// - Parameters:
  ///   - files: What the paths of the files begin with.
  ///   - folder: The folder in which it runs.
  ///   - clockStep: By how many milliseconds clocks go on each time that they are looked at.
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

  /// Runs a program, which waits before a call until it is let go on.
  ///
  /// - Parameters:
  ///   - call: Which call, counted from 1.
  ///   - gate: A file that the program makes when it has come to the call. It goes on when somebody
  ///     removes it.
  package func hold(
    _ program: Tool, _ arguments: [String], files: String, at call: Int, gate: String,
    folder: String? = nil
  ) async throws -> Tool.Result {
    try await program.run(
      arguments,
      environment: [
        "LD_PRELOAD": library, "FAULT_FILES": files, "FAULT_KIND": "wait", "FAULT_AT": "\(call)",
        "FAULT_GATE": gate,
      ], folder: folder)
  }

  /// One step by which a program changed a file, or made sure of it.
  package struct Step: Sendable {
    /// What was done.
    package enum Kind: Sendable {
      case write(offset: Int, bytes: [UInt8])
      case truncate(length: Int)
      case synchronize
      case remove
    }

    /// The file.
    package let path: String
    package let kind: Kind
  }

  /// Runs a program undisturbed and gives the steps of all its writing, with the bytes.
  package func steps(
    of program: Tool, _ arguments: [String], files: String, folder: String? = nil,
    clockStep: Int = 0
  ) async throws -> (steps: [Step], result: Tool.Result) {
    let (bytes, result) = try await record(
      "FAULT_RECORD", of: program, arguments, files: files, folder: folder, clockStep: clockStep)
    var steps: [Step] = []
    var place = 0
    func number(_ at: Int) -> Int {
      bytes[at..<at + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    while place + 25 <= bytes.count {
      let (pathLength, count, offset) = (number(place + 1), number(place + 9), number(place + 17))
      let start = place + 25
      let path = String(decoding: bytes[start..<start + pathLength], as: UTF8.self)
      let content = Array(bytes[start + pathLength..<start + pathLength + count])
      switch bytes[place] {
      case UInt8(ascii: "w"):
        steps.append(Step(path: path, kind: .write(offset: offset, bytes: content)))
      case UInt8(ascii: "t"): steps.append(Step(path: path, kind: .truncate(length: offset)))
      case UInt8(ascii: "u"): steps.append(Step(path: path, kind: .remove))
      default: steps.append(Step(path: path, kind: .synchronize))
      }
      place = start + pathLength + count
    }
    return (steps, result)
  }

  /// Runs a program undisturbed and gives the calls that could be.
  package func calls(
    of program: Tool, _ arguments: [String], files: String, folder: String? = nil,
    clockStep: Int = 0
  ) async throws -> (calls: [Call], result: Tool.Result) {
    let (lines, result) = try await record(
      "FAULT_LOG", of: program, arguments, files: files, folder: folder, clockStep: clockStep)
    let calls = String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      return Call(name: parts.first ?? "", path: parts.dropFirst().first ?? "")
    }
    return (calls, result)
  }

  /// Runs a program undisturbed and returns what the library wrote into the file that a variable names.
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
