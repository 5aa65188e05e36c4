import Foundation

// Writes copies of Swift files in which each mutant is behind a switch, and lists the mutants as JSON lines:
//
//     Mutate FOLDER REJECTED FILE[:FUNCTION,…]…
//
// FOLDER receives the copies, under the same paths. REJECTED is a file with the keys of mutants to leave out, one a
// line, because the compiler does not accept them. Functions limit the mutants to these, or with ! to all others.

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("Mutate: \(message)\n".utf8))
  exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count > 2 else { fail("FOLDER REJECTED FILE[:FUNCTION,…]… are needed") }
let folder = URL(filePath: arguments[0])
let rejected = Set(
  ((try? String(contentsOf: URL(filePath: arguments[1]), encoding: .utf8)) ?? "").split(
    separator: "\n"
  ).map(String.init))

func write(_ text: String, to path: String) throws {
  let place = folder.appending(path: path)
  try FileManager.default.createDirectory(
    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
  // The same text keeps its date, so that nothing is built again.
  if (try? String(contentsOf: place, encoding: .utf8)) == text { return }
  try text.write(to: place, atomically: true, encoding: .utf8)
}

var number = 0
var targets: Set<String> = []
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
do {
  for argument in arguments.dropFirst(2) {
    let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
    let functions = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : []
    let source = try String(contentsOf: URL(filePath: parts[0]), encoding: .utf8)
    let (text, mutants) = mutate(
      source, path: parts[0], functions: functions, rejected: rejected, number: &number)
    try write(text, to: parts[0])
    targets.insert(parts[0].split(separator: "/").prefix(2).joined(separator: "/"))
    for mutant in mutants { print(String(decoding: try encoder.encode(mutant), as: UTF8.self)) }
  }
  for target in targets { try write(switchSource, to: "\(target)/MutantSwitch.swift") }
} catch {
  fail("\(error)")
}
