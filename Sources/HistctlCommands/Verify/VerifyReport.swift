import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the findings of a verification: for people by kind, with its meaning and remedy; for programs
/// one record for each finding and one for all.
struct VerifyReport: FieldPage {
  let session: Session
  let path: String
  let store: String?

  /// Writes the findings and what was checked.
  func write(_ findings: FindingLog<some FindingKind>, _ facts: some VerifiedFacts) throws {
    if isJSON {
      for kind in findings.kinds {
        for finding in findings.findings(of: kind) { try writer.writeLine(json(finding)) }
      }
      try writer.writeLine(json(findings, facts))
    } else if findings.isEmpty {
      guard !session.options.quiet else { return }
      try line(path, "ok, \(facts.summary)", .inserted)
      for note in facts.notes { try line(note, .secondary, indentation: 2) }
    } else {
      try writeText(findings, facts)
    }
  }

  private func writeText(
    _ findings: FindingLog<some FindingKind>, _ facts: some VerifiedFacts
  ) throws {
    let count = findings.count.counted("finding")
    try line(
      path,
      findings.damageCount > 0
        ? "damaged, \(count), \(findings.damageCount.grouped) of them damage"
        : "\(count), no damage", .deleted)
    for kind in findings.kinds {
      let count = findings.count(of: kind)
      let severity = kind.entry.severity == .damage ? "damage, " : ""
      try writer.writeLine("")
      try writer.writeLine(
        styled.line([
          .init(text: kind.rawValue, style: .heading),
          .init(text: ", \(severity)\(count.grouped)", style: .secondary),
        ]))
      let listed = findings.findings(of: kind)
      for finding in listed { try line("\(finding.place): \(finding.detail)", indentation: 2) }
      let rest = count - Int64(listed.count)
      if rest > 0 { try line("and \(rest.grouped) more", .secondary, indentation: 2) }
      try writer.writeLine("  " + styled.field("means", kind.entry.meaning, width: 8))
      try writer.writeLine("  " + styled.field("remedy", kind.hint, width: 8))
    }
    guard !session.options.quiet else { return }
    try writer.writeLine("")
    try line("checked " + facts.summary, .secondary)
    for note in facts.notes { try line(note, .secondary, indentation: 2) }
  }

  private func json(_ finding: Finding<some FindingKind>) -> JSONValue {
    .record(
      "finding",
      [
        "path": path, "store": store, "finding": finding.kind.rawValue,
        "severity": finding.kind.entry.severity.rawValue,
        "place": JSONValue.object(JSONObject(finding.place.members)), "detail": finding.detail,
        "meaning": finding.kind.entry.meaning, "remedy": finding.kind.hint,
      ])
  }

  private func json(
    _ findings: FindingLog<some FindingKind>, _ facts: some VerifiedFacts
  ) -> JSONValue {
    let kinds = findings.kinds.map { ($0.rawValue, JSONValue.integer(findings.count(of: $0))) }
    return .record(
      "verification",
      [
        "path": path, "store": store, "ok": findings.isEmpty,
        "damaged": findings.damageCount > 0, "findings": findings.count,
        "damage": findings.damageCount, "kinds": JSONValue.object(JSONObject(kinds)),
      ], and: facts.members)
  }
}

extension FindingPlace {
  fileprivate var members: [(String, JSONValue)] {
    let members: JSONValue.Members =
      switch self {
      case .store: [:]
      case .table(let name): ["table": name]
      case .log(let frame): ["log": true, "frame": frame.map { Int64($0) }]
      case .transaction(let number): ["transaction": number]
      case .transactions(let range):
        ["transaction": range.lowerBound, "last": range.upperBound]
      case .change(let number, let transaction): ["change": number, "transaction": transaction]
      case .text(let number): ["text": number]
      case .entity(let name): ["entity": name]
      case .bookmark(let name): ["bookmark": name]
      case .file(let path): ["file": path]
      case .line(let number, let file): ["file": file, "line": Int64(number)]
      case .frame(let number, let file): ["file": file, "frame": Int64(number)]
      }
    return JSONValue.list(of: members)
  }
}

// MARK: - What was checked

/// What a verification has checked.
protocol VerifiedFacts {
  /// What was checked, in one line.
  var summary: String { get }
  /// Facts that are no findings.
  var notes: [String] { get }
  /// The same for programs.
  var members: [(String, JSONValue)] { get }
}

extension ArchiveFacts: VerifiedFacts {
  var summary: String {
    var parts = [segmentCount.counted("segment") + " of " + storeCount.counted("store")]
    if readSegmentCount < segmentCount { parts.append("\(readSegmentCount.grouped) of them read") }
    parts.append(transactionCount.counted("transaction"))
    parts.append(changeCount.counted("change"))
    parts.append("\(ByteCount(byteCount))")
    if let comparedCount {
      parts.append(comparedCount.counted("transaction") + " compared with the store")
    }
    return parts.joined(separator: ", ")
  }

  var notes: [String] {
    let overlap =
      overlapCount.counted("segment") + " repeat transactions, which is normal after a crash"
    return (overlapCount > 0 ? [overlap] : []) + (head.map { ["head \($0)"] } ?? [])
  }

  var members: [(String, JSONValue)] {
    JSONValue.list(of: [
      "stores": Int64(storeCount), "segments": Int64(segmentCount),
      "segmentsRead": Int64(readSegmentCount), "transactions": transactionCount,
      "changes": changeCount, "bytes": byteCount, "textBytes": textByteCount,
      "overlaps": Int64(overlapCount), "compared": comparedCount, "head": head?.description,
    ])
  }
}

extension StoreFacts: VerifiedFacts {
  var summary: String {
    var parts = [transactionCount.counted("transaction")]
    if let range = transactions, range.lowerBound < range.upperBound {
      parts[0] += " (\(range.lowerBound) to \(range.upperBound))"
    }
    parts.append(changeCount.counted("change"))
    if textCount > 0 { parts.append(textCount.counted("text")) }
    if bookmarkCount > 0 { parts.append(bookmarkCount.counted("bookmark")) }
    if recordedTransactionCount > 0 {
      parts.append("the values of " + recordedTransactionCount.counted("transaction"))
    }
    if case .whole(let count)? = log, count > 0 {
      parts.append(count.counted("frame") + " of the -wal")
    }
    parts.append(
      checkedTables.map { "the pages of " + $0.count.counted("table") } ?? "all pages")
    return parts.joined(separator: ", ")
  }

  var notes: [String] {
    var notes: [String] = []
    if let emptiedAfter {
      notes.append(
        "the history was emptied after number \(emptiedAfter): every saved token has expired")
    }
    if let step = largestClockStep {
      let times = clockStepCount == 1 ? "once" : "\(clockStepCount.grouped) times"
      notes.append(
        "a clock was set back \(times), by \(Self.text(of: step.seconds)) before transaction "
          + "\(step.transaction)")
    }
    if emptyTransactionCount > 0 {
      notes.append(
        emptyTransactionCount.counted("transaction") + " without changes"
          + (emptyTransactionCount * 2 > transactionCount ? "" : ", which is normal"))
    }
    if absentTransactionCount > 0 {
      notes.append(
        "recorded values of " + absentTransactionCount.counted("transaction")
          + " that the history does not have; the next save or prune removes them")
    }
    if case .missing? = model {
      notes.append("no model cache, so masks and tombstones were not compared with the model")
    }
    if case .changing? = log {
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
    let step = largestClockStep
    let hasValues = recordedTransactionCount > 0
    let model =
      switch self.model {
      case .present?: "present"
      case .missing?: "missing"
      case .unreadable?: "unreadable"
      case nil: String?.none
      }
    let log =
      switch self.log {
      case .empty?: "empty"
      case .whole?: "whole"
      case .unusable?: "unusable"
      case .broken?: "broken"
      case .unfinished?: "unfinished"
      case .changing?: "changing"
      case nil: String?.none
      }
    return JSONValue.list(of: [
      "transactions": transactionCount, "changes": changeCount, "texts": textCount,
      "bookmarks": Int64(bookmarkCount), "first": transactions?.lowerBound,
      "last": transactions?.upperBound, "emptiedAfter": emptiedAfter,
      "withoutChanges": emptyTransactionCount,
      "recordedTransactions": hasValues ? recordedTransactionCount : nil,
      "absentTransactions": hasValues ? absentTransactionCount : nil,
      "clockSteps": step.map { _ in clockStepCount }, "largestClockStep": step?.seconds,
      "largestClockStepAt": step?.transaction, "model": model, "log": log,
      "tables": checkedTables?.json ?? "all".json,
    ])
  }
}

// MARK: - Hints

extension FindingKind {
  /// What this program can do about it with its own commands and options.
  var hint: String { VerifyHints.byKind[rawValue] ?? entry.remedy }
}

private enum VerifyHints {
  private static let backup =
    "restore the store from a backup, or delete the row with the next prune"
  private static let writer = "find out which other program writes to the store; show lists the row"

  /// The hints by the kind of the finding, where its own remedy does not say it all.
  static let byKind = [
    "addedTrigger": "find out which program made it; prune and compact switch triggers off",
    "invalidNumber": backup, "missingTime": backup, "unknownKind": backup,
    "missingObject": backup, "missingMask": backup, "danglingText": backup,
    "damagedText": backup,
    "numberGap": "nothing, unless a consumer is in the gap; histctl token check reports that",
    "doubleText": "nothing; show lists both",
    "orphanChange": "prune deletes it with the transactions around it",
    "unknownEntity":
      "prune --entity '#NUMBER' deletes such changes and keeps their transactions",
    "unexpectedMask": writer, "unexpectedTombstone": writer, "unexpectedValue": writer,
    "misfittingMask": "read the values by their columns, with show --json",
    "misfittingTombstone": "read the values by their columns, with show --json",
    "unreadableMirroring":
      "open the store once with its app, or prune it with --ignore-guard mirroring",
    "unusableBookmark":
      "restart its consumer, then set the bookmark again; histctl bookmark check explains more",
    "foreignValues": "nothing; prune removes them with the transactions around them",
    "misfittingValues":
      "find out which other program writes to the file; --no-values leaves the values out",
    "tornCatalog":
      "the next archive command removes the partial line; verify --anchor detects whether more is "
      + "missing",
    "unreadableFile": "make it readable, or run the command as its owner",
    "unlistedSegment":
      "the next archive command for the store lists it again; if the end of the catalog is lost, "
      + "restore the catalog from a copy",
    "leftoverSegment": "the next archive command for the store removes it, and so does forget",
    "abandonedDraft": "the next archive command for the store removes it",
    "divergedStore": "seal this copy in its own archive; diff --with compares two copies",
    "partialTransaction": "run the same prune again, or bring the changes back with restore",
    "storeGap": "archive before pruning, or both at once with prune --archive",
  ]
}
