import HistoryArchive
import HistoryCoding
import Terminal

/// What a verification of an archive has looked at, in words and for programs.
struct ArchiveFactsReport: FactsReport {
  private let facts: ArchiveFacts

  init(_ facts: ArchiveFacts) { self.facts = facts }

  var summary: String {
    var parts = [
      facts.segmentCount.counted("segment") + " of " + facts.storeCount.counted("store")
    ]
    if facts.readSegmentCount < facts.segmentCount {
      parts.append("\(facts.readSegmentCount.grouped) of them read")
    }
    parts.append(facts.transactionCount.counted("transaction"))
    parts.append(facts.changeCount.counted("change"))
    parts.append("\(ByteCount(facts.byteCount))")
    if let count = facts.comparedCount {
      parts.append(count.counted("transaction") + " compared with the store")
    }
    return parts.joined(separator: ", ")
  }

  var notes: [String] {
    var notes: [String] = []
    if facts.overlapCount > 0 {
      notes.append(
        facts.overlapCount.counted("segment")
          + " with transactions that others have too, which is normal after a crash")
    }
    if let head = facts.head { notes.append("head \(head)") }
    return notes
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
