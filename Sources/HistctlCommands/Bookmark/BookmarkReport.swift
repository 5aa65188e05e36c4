import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the states of bookmarks in their store.
struct BookmarkReport: FieldPage {
  let session: Session
  let writer: OutputWriter
  let storeIdentifier: String?
  /// The retention that the headroom was computed for.
  var retention: BookmarkRetention?

  /// Writes one line for each bookmark.
  func write(_ standings: [BookmarkStanding]) throws {
    guard !session.options.json else {
      return try standings.forEach { try writer.writeLine(json($0)) }
    }
    guard !standings.isEmpty else { return }
    var columns = [
      TableColumn("BOOKMARK", priority: 7, minimumWidth: 8, canShrink: true),
      TableColumn("STATE", priority: 8),
      TableColumn("TOKEN", priority: 5, minimumWidth: 5, canShrink: true, canDrop: true),
      TableColumn("BEHIND", alignment: .trailing, priority: 6, canDrop: true),
      TableColumn("CHANGES", alignment: .trailing, priority: 2, canDrop: true),
      TableColumn("UNREAD SINCE", priority: 4, canDrop: true),
    ]
    if retention != nil { columns.append(TableColumn("EXPIRES", priority: 3, canDrop: true)) }
    try writer.writeRows(columns, standings.map(row), in: session)
  }

  /// Writes a bookmark that was set: a record for programs, a note for people.
  func writeSet(_ standings: [BookmarkStanding]) throws {
    guard !session.options.json else { return try write(standings) }
    guard session.environment.isErrorTerminal else { return }
    for standing in standings {
      session.diagnostics.note(
        "\(standing.token.text) is now at \(number(standing))"
          + (standing.token.timestamp.map { ", \(time.text($0))" } ?? ""))
    }
  }

  /// Explains what is wrong with a bookmark.
  func explain(_ standing: BookmarkStanding, limit: BookmarkAllowance?) {
    if let problem = standing.problem {
      session.diagnostics.explain(problem.message(time: time.text), hint: problem.remedy)
      return
    }
    if standing.isLost, let lag = standing.lag, let limit {
      let since = lag.unreadSince.map { ", the oldest from \(time.text($0))" } ?? ""
      session.diagnostics.explain(
        "\(standing.token.text) is too far behind: its consumer has not read "
          + "\(lag.transactions.counted("transaction"))\(since) (limit \(limit))",
        hint: "let the consumer catch up, or remove it with histctl bookmark remove")
    }
    if standing.headroom == .exhausted {
      session.diagnostics.explain(
        "\(standing.token.text) would expire at once with this retention",
        hint: "let the consumer catch up, or keep more")
    }
  }

  private func row(_ standing: BookmarkStanding) -> [TableCell] {
    let lag = standing.lag
    var row = [
      TableCell(standing.token.text, style: .token),
      TableCell(
        standing.isLost ? "behind" : standing.token.state.name,
        style: standing.holdsHistory ? .inserted : .deleted),
      TableCell(number(standing)), TableCell(lag?.transactions.grouped ?? "-"),
      TableCell(lag?.changes?.grouped ?? "-"),
      TableCell(lag?.unreadSince.map { time.text($0) } ?? "-"),
    ]
    if retention != nil {
      let expiry =
        switch standing.headroom {
        case nil: "-"
        case .exhausted?: "at once"
        case .seconds(let seconds)?: RelativeTime.describe(secondsAgo: -seconds)
        case .unlimited?: "never"
        }
      row.append(TableCell(expiry))
    }
    return row
  }

  private func number(_ standing: BookmarkStanding) -> String {
    standing.token.number.map(session.tokens(of: storeIdentifier).text)
      ?? standing.bookmark.token.description
  }

  func json(_ standing: BookmarkStanding) -> JSONValue {
    let problem = standing.problem
    let lag = standing.lag
    let (headroom, seconds): (String?, Double?) =
      switch standing.headroom {
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
        "name": standing.bookmark.name, "token": standing.bookmark.token.description,
        "state": standing.token.state.name, "transaction": standing.token.number,
        "timestamp": standing.bookmark.timestamp?.iso8601(), "error": problem?.kind.rawValue,
        "message": problem?.message, "transactionsBehind": lag?.transactions,
        "changesBehind": lag?.changes, "unreadSince": lag?.unreadSince?.iso8601(),
        "secondsBehind": secondsBehind.map(JSONValue.wholeSeconds),
        "lost": standing.isLost ? true : nil, "headroom": headroom,
        "headroomSeconds": seconds.map(JSONValue.wholeSeconds),
      ], and: problem?.remainder?.members ?? [])
  }
}

extension BookmarkStanding {
  /// Whether the bookmark works and its headroom is not exhausted.
  var isWell: Bool { holdsHistory && headroom != .exhausted }
}

extension JSONValue {
  /// A number of seconds; damaged rows can make it any number.
  static func wholeSeconds(_ seconds: Double) -> JSONValue {
    Int64(exactly: seconds.rounded()).map(JSONValue.integer) ?? .real(seconds)
  }
}
