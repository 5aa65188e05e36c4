import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes how histories are: a line for each that is well, a line for each finding, or JSON lines.
struct CheckReport {
  let session: Session
  let writer: OutputWriter

  /// Writes how one history is.
  func write(
    _ health: HistoryHealth, snapshot: StoreSnapshot, resolver: TokenResolver
  ) throws {
    let path = snapshot.location.path
    if session.options.json {
      let bookmarks = BookmarkReport(
        session: session, writer: writer, snapshot: snapshot, resolver: resolver)
      return try writer.writeLine(
        json(health, path: path, bookmarks: health.bookmarks.map(bookmarks.json)))
    }
    if health.findings.isEmpty, !session.options.quiet {
      try write(path, "ok, \(summary(health))", .inserted)
    }
    for finding in health.findings { try write(path, text(finding), .deleted) }
  }

  private func write(_ path: String, _ text: String, _ style: Style) throws {
    try writer.writeLine(
      StyledLine(session).line([
        TableCell.Span(text: path + ": ", style: .plain),
        TableCell.Span(text: text, style: style),
      ]))
  }

  private var time: TimeText { TimeText(style: session.options.date, now: session.now) }

  // MARK: - For people

  private func summary(_ health: HistoryHealth) -> String {
    var parts = [health.transactionCount.counted("transaction")]
    if let bytes = health.historyByteCount { parts.append("\(ByteCount(bytes))") }
    if let time = health.oldest?.timestamp { parts.append("the oldest of \(self.time.text(time))") }
    if !health.bookmarks.isEmpty {
      parts.append(health.bookmarks.count.counted("bookmark"))
    }
    return parts.joined(separator: ", ")
  }

  private func text(_ finding: HistoryFinding) -> String {
    switch finding {
    case .tooLarge(let bytes, let limit):
      return "the history is \(ByteCount(bytes)) (limit \(ByteCount(limit)))"
    case .tooOld(let oldest, let limit):
      return "the oldest transaction, \(oldest.number) of \(time.text(oldest.timestamp)), "
        + "is older than \(limit)"
    case .unusableBookmark(let standing):
      return "the bookmark \(standing.token.text) does not work: it is \(standing.token.state.name)"
    case .lostBookmark(let standing, let allowance):
      let count = standing.lag?.transactions ?? 0
      let since = standing.lag?.unreadSince.map { ", the oldest of \(time.text($0))" } ?? ""
      return "the bookmark \(standing.token.text) is too far behind: its consumer has not read "
        + "\(count.counted("transaction"))\(since) (limit \(allowance))"
    case .shortHeadroom(let standing, let limit):
      let wanted = limit.map { " (minimum \($0))" } ?? ""
      switch standing.headroom {
      case .seconds(let seconds):
        let left = RelativeTime.describe(secondsAgo: -seconds)
        return "the bookmark \(standing.token.text) would expire \(left)\(wanted)"
      case .exhausted, .unlimited, nil:
        return "the bookmark \(standing.token.text) would expire at once\(wanted)"
      }
    case .unreadableBookmarks(let error): return error.message
    case .damagedLog(let reason): return reason
    case .damaged(let finding): return "damaged: \(finding.place): \(finding.detail)"
    }
  }

  // MARK: - For programs

  private func json(
    _ health: HistoryHealth, path: String, bookmarks: [JSONValue]
  ) -> JSONValue {
    var members = JSONMembers.start("check") + [("path", .string(path))]
    if let store = health.storeIdentifier { members.append(("store", .string(store))) }
    members += [
      ("ok", .boolean(health.findings.isEmpty)),
      ("storeBytes", .integer(health.storeByteCount)),
      ("freeBytes", .integer(health.freeByteCount)),
    ]
    if let bytes = health.historyByteCount { members.append(("bytes", .integer(bytes))) }
    members.append(("transactions", .integer(health.transactionCount)))
    if let oldest = health.oldest { members.append(("oldest", oldest.json)) }
    if let newest = health.newest { members.append(("newest", newest.json)) }
    members.append(("bookmarks", .array(bookmarks)))
    let findings = health.findings.map { finding -> JSONValue in
      var members: [(String, JSONValue)] = [("finding", .string(finding.kind))]
      if let bookmark = finding.bookmark { members.append(("bookmark", .string(bookmark.name))) }
      members.append(("message", .string(text(finding))))
      return .object(JSONObject(members))
    }
    members.append(("findings", .array(findings)))
    return .object(JSONObject(members))
  }
}
