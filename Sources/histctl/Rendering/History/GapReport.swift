import HistoryCoding
import PersistentHistory

/// Tells that history is missing, and sees to it that the program ends with the status for that.
struct GapReport {
  let session: Session
  let timeline: HistoryTimeline

  /// Tells of one gap.
  func tell(_ gap: HistoryGap) {
    var details: [(String, JSONValue)] = [("store", .string(timeline.path))]
    details.append(("after", .integer(gap.after)))
    if let oldest = gap.oldest { details.append(("oldest", .integer(oldest))) }
    if let archive = timeline.archive { details.append(("archive", .string(archive.path))) }
    session.diagnostics.report(
      Failure(
        status: .historyGap, kind: "historyGap",
        message: "history has a gap: " + gap.message + place,
        hint:
          "what was pruned without being archived can only come from an older copy of the store",
        details: details))
    session.end(with: .historyGap)
  }

  /// Tells of several.
  func tell(_ gaps: [HistoryGap]) { for gap in gaps { tell(gap) } }

  private var place: String {
    guard let archive = timeline.archive else { return "" }
    return timeline.snapshot == nil
      ? " from \(archive.path)" : ", from \(timeline.path) and from the archive \(archive.path)"
  }
}
