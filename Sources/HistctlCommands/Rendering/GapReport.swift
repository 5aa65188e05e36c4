import HistoryCoding
import PersistentHistory
import Terminal

/// Reports missing history and makes the program end with the status for that.
struct GapReport {
  let session: Session
  let timeline: HistoryTimeline

  /// Reports one gap.
  func report(_ gap: HistoryGap) {
    let archive = timeline.archive?.path
    var place = ""
    if let archive {
      place =
        timeline.snapshot == nil
        ? " from \(archive)" : ", from \(timeline.path) and from the archive \(archive)"
    }
    session.diagnostics.report(
      Failure(
        status: .historyGap, kind: "historyGap",
        message: "history has a gap: " + gap.message + place,
        hint:
          "history that was pruned and not archived can only come from an older copy of the store",
        details: JSONValue.list(of: [
          "store": timeline.path, "after": gap.after, "oldest": gap.oldest, "archive": archive,
        ])))
    session.end(with: .historyGap)
  }

  /// Reports several gaps.
  func tell(_ gaps: [HistoryGap]) { gaps.forEach(report) }

  /// Notes that history begins later than was asked for, which is no failure.
  ///
  /// - Parameter writer: Takes the record of the gap with `--json`, in a stream of records; `nil` where
  ///   standard output has one object only, and the record goes to standard error.
  func note(missingBeginning gap: HistoryGap?, to writer: OutputWriter? = nil) throws {
    guard let gap else { return }
    if gap.oldest == nil { session.hasReportedEmptyHistory = true }
    guard session.options.json else { return try note(gap) }
    if let writer {
      try TransactionLines(writer: writer).write(gap)
    } else {
      session.diagnostics.record(gap)
    }
  }

  /// Notes in words that history begins later than was asked for.
  func note(_ gap: HistoryGap) throws {
    guard let oldest = gap.oldest else {
      return session.diagnostics.notice(
        "the history is empty: the transactions up to \(try timeline.highestIssued()) were deleted, and their "
          + "changes are unknown")
    }
    let time = session.time.text(try timeline.position(ofTransaction: oldest)?.timestamp)
    session.diagnostics.notice(
      "history begins at \(oldest), \(time); earlier changes are unknown")
  }
}
