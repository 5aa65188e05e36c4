import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the states of bookmarks in their store.
struct BookmarkReport: FieldPage {
  let session: Session
  let storeIdentifier: String?
  /// The retention that the headroom was computed for.
  var retention: BookmarkRetention?

  /// Writes one line for each bookmark.
  func write(_ statuses: [BookmarkStatus]) throws {
    guard !isJSON else {
      return try statuses.forEach { try writer.writeLine(json($0)) }
    }
    guard !statuses.isEmpty else { return }
    var columns = [
      TableColumn("BOOKMARK", priority: 7, minimumWidth: 8, canShrink: true),
      TableColumn("STATE", priority: 8),
      TableColumn("TOKEN", priority: 5, minimumWidth: 5, canShrink: true, canDrop: true),
      TableColumn("BEHIND", alignment: .trailing, priority: 6, canDrop: true),
      TableColumn("CHANGES", alignment: .trailing, priority: 2, canDrop: true),
      TableColumn("UNREAD SINCE", priority: 4, canDrop: true),
    ]
    if retention != nil { columns.append(TableColumn("EXPIRES", priority: 3, canDrop: true)) }
    try writeRows(columns, statuses.map(row))
  }

  /// Writes a bookmark that was set: a record for programs, a note for people.
  func writeSet(_ statuses: [BookmarkStatus]) throws {
    guard !isJSON else { return try write(statuses) }
    guard session.environment.isErrorTerminal else { return }
    for status in statuses {
      session.diagnostics.note(
        "\(status.token.text) is now at \(number(status))"
          + (status.token.timestamp.map { ", \(time.text($0))" } ?? ""))
    }
  }

  /// Explains what is wrong with a bookmark.
  func explain(_ status: BookmarkStatus, limit: BookmarkAllowance?) {
    if let problem = status.problem {
      session.diagnostics.explain(problem.message(time: time.text), hint: problem.remedy)
      return
    }
    if status.isLost, status.lag != nil, let limit {
      session.diagnostics.explain(
        status.behindText(limit: limit, time),
        hint: "let the consumer catch up, or remove it with histctl bookmark remove")
    }
    if status.headroom == .exhausted {
      session.diagnostics.explain(
        "\(status.token.text) would expire at once with this retention",
        hint: "let the consumer catch up, or keep more")
    }
  }

  private func row(_ status: BookmarkStatus) -> [TableCell] {
    let lag = status.lag
    var row = [
      TableCell(status.token.text, style: .token),
      TableCell(
        status.isLost ? "behind" : status.token.state.name,
        style: status.holdsHistory ? .inserted : .deleted),
      TableCell(number(status)), TableCell(lag?.transactions.grouped ?? "-"),
      TableCell(lag?.changes?.grouped ?? "-"),
      TableCell(lag?.unreadSince.map { time.text($0) } ?? "-"),
    ]
    if retention != nil {
      let expiry =
        switch status.headroom {
        case nil: "-"
        case .exhausted?: "at once"
        case .seconds(let seconds)?: RelativeTime.describe(secondsAgo: -seconds)
        case .unlimited?: "never"
        }
      row.append(TableCell(expiry))
    }
    return row
  }

  private func number(_ status: BookmarkStatus) -> String {
    status.token.number.map(session.tokens(of: storeIdentifier).text)
      ?? status.bookmark.token.description
  }

  func json(_ status: BookmarkStatus) -> JSONValue {
    let problem = status.problem
    let lag = status.lag
    let (headroom, seconds): (String?, Double?) =
      switch status.headroom {
      case nil: (nil, nil)
      case .exhausted?: ("exhausted", nil)
      case .seconds(let seconds)?: ("limited", seconds)
      case .unlimited?: ("unlimited", nil)
      }
    let secondsBehind = lag?.unreadSince.map {
      max(0, session.now.secondsSinceReferenceDate - $0.secondsSinceReferenceDate)
    }
    return .record(
      "bookmark",
      [
        "name": status.bookmark.name, "token": status.bookmark.token.description,
        "state": status.token.state.name, "transaction": status.token.number,
        "timestamp": status.bookmark.timestamp?.iso8601(), "error": problem?.kind.rawValue,
        "message": problem?.message, "transactionsBehind": lag?.transactions,
        "changesBehind": lag?.changes, "unreadSince": lag?.unreadSince?.iso8601(),
        "secondsBehind": secondsBehind.map(JSONValue.wholeSeconds),
        "lost": status.isLost ? true : nil, "headroom": headroom,
        "headroomSeconds": seconds.map(JSONValue.wholeSeconds),
      ], and: problem?.remainder?.members ?? [])
  }
}

extension BookmarkStatus {
  /// Whether the bookmark works and its headroom is not exhausted.
  var isWell: Bool { holdsHistory && headroom != .exhausted }

  /// Returns how much its consumer has not read, and how much it may be.
  func behindText(limit: BookmarkAllowance, _ time: TimeText) -> String {
    let since = lag?.unreadSince.map { ", the oldest from \(time.text($0))" } ?? ""
    return "\(token.text) is too far behind: its consumer has not read "
      + "\((lag?.transactions ?? 0).counted("transaction"))\(since) (limit \(limit))"
  }
}

extension JSONValue {
  /// A number of seconds; damaged rows can make it any number.
  static func wholeSeconds(_ seconds: Double) -> JSONValue {
    Int64(exactly: seconds.rounded()).map(JSONValue.integer) ?? .real(seconds)
  }
}
