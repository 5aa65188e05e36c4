import HistoryCoding
import PersistentHistory
import StoreFormat

/// What a verification of a store has looked at, in words and for programs.
struct StoreFactsReport: FactsReport {
  private let facts: StoreFacts

  init(_ facts: StoreFacts) { self.facts = facts }

  var summary: String {
    var parts = [facts.transactionCount.counted("transaction")]
    if let range = facts.transactions, range.lowerBound < range.upperBound {
      parts[0] += " (\(range.lowerBound) to \(range.upperBound))"
    }
    parts.append(facts.changeCount.counted("change"))
    if facts.textCount > 0 { parts.append(facts.textCount.counted("text")) }
    if facts.bookmarkCount > 0 { parts.append(facts.bookmarkCount.counted("bookmark")) }
    if facts.recordedTransactionCount > 0 {
      parts.append("the values of " + facts.recordedTransactionCount.counted("transaction"))
    }
    if case .whole(let count)? = facts.log, count > 0 {
      parts.append(count.counted("frame") + " of the -wal")
    }
    parts.append(
      facts.checkedTables.map { "the pages of " + $0.count.counted("table") }
        ?? "all pages")
    return parts.joined(separator: ", ")
  }

  var notes: [String] {
    var notes: [String] = []
    if let step = facts.largestClockStep {
      let times = facts.clockStepCount == 1 ? "once" : "\(facts.clockStepCount.grouped) times"
      notes.append(
        "a clock was set back \(times), by \(Self.text(of: step.seconds)) "
          + "before transaction \(step.transaction)")
    }
    if facts.emptyTransactionCount > 0 {
      notes.append(
        facts.emptyTransactionCount.counted("transaction") + " without changes, which is normal")
    }
    if facts.absentTransactionCount > 0 {
      notes.append(
        "recorded values of " + facts.absentTransactionCount.counted("transaction")
          + " that the history does not have, which the next save or prune removes")
    }
    if case .missing? = facts.model {
      notes.append("no model cache, so masks and tombstones could not be compared with the model")
    }
    if case .changing? = facts.log {
      notes.append("the -wal was being written, so it was not compared with its checksums")
    }
    return notes
  }

  private static func text(of seconds: Double) -> String {
    guard seconds < 1e15 else { return "\(seconds) s" }
    return seconds < 10
      ? "\((seconds * 1000).rounded() / 1000) s" : "\(Int64(seconds.rounded()).grouped) s"
  }

  var members: [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [
      ("transactions", .integer(facts.transactionCount)),
      ("changes", .integer(facts.changeCount)), ("texts", .integer(facts.textCount)),
      ("bookmarks", .integer(Int64(facts.bookmarkCount))),
    ]
    if let range = facts.transactions {
      members += [("first", .integer(range.lowerBound)), ("last", .integer(range.upperBound))]
    }
    members.append(("withoutChanges", .integer(facts.emptyTransactionCount)))
    if facts.recordedTransactionCount > 0 {
      members += [
        ("recordedTransactions", .integer(facts.recordedTransactionCount)),
        ("absentTransactions", .integer(facts.absentTransactionCount)),
      ]
    }
    if let step = facts.largestClockStep {
      members += [
        ("clockSteps", .integer(facts.clockStepCount)),
        ("largestClockStep", .real(step.seconds)),
        ("largestClockStepAt", .integer(step.transaction)),
      ]
    }
    if let model = facts.model { members.append(("model", .string(Self.name(of: model)))) }
    if let log = facts.log { members.append(("log", .string(Self.name(of: log)))) }
    members.append(
      ("tables", facts.checkedTables.map { .array($0.map(JSONValue.string)) } ?? "all"))
    return members
  }

  private static func name(of model: ModelCache.Condition) -> String {
    switch model {
    case .present: "present"
    case .missing: "missing"
    case .unreadable: "unreadable"
    }
  }

  private static func name(of log: LogCondition) -> String {
    switch log {
    case .empty: "empty"
    case .whole: "whole"
    case .unusable: "unusable"
    case .broken: "broken"
    case .unfinished: "unfinished"
    case .changing: "changing"
    }
  }
}

/// What was looked at by a verification: its words and its members of JSON.
protocol FactsReport {
  /// What was looked at, in one line.
  var summary: String { get }
  /// What is good to know without being a problem.
  var notes: [String] { get }
  /// The same for programs.
  var members: [(String, JSONValue)] { get }
}
