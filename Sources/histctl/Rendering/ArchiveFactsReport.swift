import HistoryArchive
import HistoryCoding

/// What a verification of an archive has looked at, in words and for programs.
struct ArchiveFactsReport: FactsReport {
  private let facts: ArchiveFacts

  init(_ facts: ArchiveFacts) { self.facts = facts }

  var summary: String {
    var parts = [
      counted(Int64(facts.segmentCount), "segment") + " of "
        + counted(Int64(facts.storeCount), "store")
    ]
    if facts.readSegmentCount < facts.segmentCount {
      parts.append("\(facts.readSegmentCount.grouped) of them read")
    }
    parts.append(counted(facts.transactionCount, "transaction"))
    parts.append(counted(facts.changeCount, "change"))
    parts.append("\(ByteCount(facts.byteCount))")
    if let count = facts.comparedCount {
      parts.append(counted(count, "transaction") + " compared with the store")
    }
    return parts.joined(separator: ", ")
  }

  var notes: [String] {
    var notes: [String] = []
    if facts.overlapCount > 0 {
      notes.append(
        counted(Int64(facts.overlapCount), "segment")
          + " with transactions that others have too, which is normal after a crash")
    }
    if let head = facts.head { notes.append("head \(head)") }
    return notes
  }

  private func counted(_ count: Int64, _ noun: String) -> String {
    "\(count.grouped) \(noun)\(count == 1 ? "" : "s")"
  }

  var members: [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [
      ("stores", .integer(Int64(facts.storeCount))),
      ("segments", .integer(Int64(facts.segmentCount))),
      ("segmentsRead", .integer(Int64(facts.readSegmentCount))),
      ("transactions", .integer(facts.transactionCount)),
      ("changes", .integer(facts.changeCount)), ("bytes", .integer(facts.byteCount)),
      ("textBytes", .integer(facts.textByteCount)),
      ("overlaps", .integer(Int64(facts.overlapCount))),
    ]
    if let count = facts.comparedCount { members.append(("compared", .integer(count))) }
    if let head = facts.head { members.append(("head", .string(head.description))) }
    return members
  }
}
