import HistoryCoding
import PersistentHistory
import Terminal

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

  /// Notes that a history begins later than was asked for; that is no failure.
  ///
  /// - Parameter writer: Takes the record of the gap with `--json`, in a stream of records; nil where
  ///   standard output has one object only, and the record goes to standard error.
  func note(missingBeginning gap: HistoryGap?, to writer: OutputWriter? = nil) throws {
    guard let gap else { return }
    guard session.options.json else { return try note(gap) }
    if let writer {
      try TransactionLines(writer: writer).write(gap)
    } else {
      session.diagnostics.record(gap)
    }
  }

  /// Notes it in words, whatever standard output has.
  func note(_ gap: HistoryGap) throws {
    let time = TimeText(style: session.options.date, now: session.now)
    session.diagnostics.notice(
      try gap.oldest.map {
        let position = try timeline.position(ofTransaction: $0)
        return
          "history begins at \($0), \(time.text(position?.timestamp)); earlier changes are unknown"
      } ?? "the history is empty: all of it was pruned; earlier changes are unknown")
  }

  /// Tells of several.
  func tell(_ gaps: [HistoryGap]) { for gap in gaps { tell(gap) } }

  private var place: String {
    guard let archive = timeline.archive else { return "" }
    return timeline.snapshot == nil
      ? " from \(archive.path)" : ", from \(timeline.path) and from the archive \(archive.path)"
  }
}
