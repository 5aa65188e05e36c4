import Foundation
import SwiftData

private struct Line<Value: Encodable>: Encodable {
  let check: String
  let value: Value
}

/// Prints what was seen as a line of JSON, with a name that the transcript knows.
func say<Value: Encodable>(_ check: String, _ value: Value) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  let line = try encoder.encode(Line(check: check, value: value))
  // At once: the program may be ended by what comes next.
  FileHandle.standardOutput.write(line + Data("\n".utf8))
}

/// Says the name of the error that a body throws.
func sayError(_ check: String, _ body: () throws -> Void) throws {
  do {
    try body()
    try say(check, "no error")
  } catch {
    try say(check, name(of: error))
  }
}

private func name(of error: any Error) -> String {
  switch error {
  case SwiftDataError.includePendingChangesWithBatchSize: "includePendingChangesWithBatchSize"
  case SwiftDataError.historyTokenExpired: "historyTokenExpired"
  default: "another error"
  }
}
