import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes how bookmarks stand in their store.
struct BookmarkReport {
  let session: Session
  let writer: OutputWriter
  let snapshot: StoreSnapshot
  let resolver: TokenResolver
  /// The retention that headroom was worked out for; nil for none.
  var retention: BookmarkRetention?

  /// A line for each bookmark.
  func write(_ standings: [BookmarkStanding]) throws {
    guard !session.options.json else {
      for standing in standings { try writer.writeLine(try json(standing)) }
      return
    }
    guard !standings.isEmpty else { return }
    let rows = standings.map(row)
    var columns = [
      TableColumn("BOOKMARK", priority: 7, minimumWidth: 8, canShrink: true),
      TableColumn("STATE", priority: 8),
      TableColumn("TOKEN", priority: 5, minimumWidth: 5, canShrink: true, canDrop: true),
      TableColumn("BEHIND", alignment: .trailing, priority: 6, canDrop: true),
      TableColumn("CHANGES", alignment: .trailing, priority: 2, canDrop: true),
      TableColumn("UNREAD SINCE", priority: 4, canDrop: true),
    ]
    if retention != nil { columns.append(TableColumn("EXPIRES", priority: 3, canDrop: true)) }
    let table = session.table(
      columns: columns, sample: rows)
    try writer.writeLine(table.header)
    for row in rows { try writer.writeLine(table.line(row)) }
  }

  /// What a bookmark that was set has become: a line for programs, a word for a person.
  func writeSet(_ standings: [BookmarkStanding]) throws {
    guard !session.options.json else { return try write(standings) }
    guard session.environment.isErrorTerminal else { return }
    for standing in standings {
      session.diagnostics.note(
        "\(standing.token.text) stands at \(number(standing))"
          + (standing.token.timestamp.map { ", \(time.text($0))" } ?? ""))
    }
  }

  /// Says why a bookmark is not well.
  func explain(_ standing: BookmarkStanding, limit: BookmarkAllowance?) throws {
    guard standing.token.state == .valid else {
      let problem = try resolver.unusable(standing.token)
      session.diagnostics.explain(problem.message, hint: problem.remedy)
      return
    }
    if standing.isLost, let lag = standing.lag, let limit {
      let since = lag.unreadSince.map { ", the oldest of \(time.text($0))" } ?? ""
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

  /// What programs read of a bookmark that was removed.
  static func removed(_ name: String) -> JSONValue {
    .object(
      JSONObject(JSONMembers.start("bookmark") + [("name", .string(name)), ("removed", true)]))
  }

  private var time: TimeText { TimeText(style: session.options.date, now: session.now) }

  // MARK: - For people

  private func row(_ standing: BookmarkStanding) -> [TableCell] {
    let lag = standing.lag
    var row = [
      TableCell(standing.token.text, style: .token),
      TableCell(
        standing.isLost ? "behind" : standing.token.state.name,
        style: standing.holdsHistory ? .inserted : .deleted),
      TableCell(number(standing)),
      TableCell(lag?.transactions.grouped ?? "-"),
      TableCell(lag?.changes?.grouped ?? "-"),
      TableCell(lag?.unreadSince.map { time.text($0) } ?? "-"),
    ]
    if retention != nil { row.append(TableCell(Self.text(standing.headroom))) }
    return row
  }

  private func number(_ standing: BookmarkStanding) -> String {
    guard let number = standing.token.number else {
      return standing.bookmark.token.description
    }
    return TokenText(
      isQualified: session.options.qualified, store: snapshot.metadata.storeIdentifier
    ).text(number)
  }

  private static func text(_ headroom: BookmarkHeadroom?) -> String {
    switch headroom {
    case nil: "-"
    case .exhausted?: "at once"
    case .seconds(let seconds)?: RelativeTime.describe(secondsAgo: -seconds)
    case .unlimited?: "never"
    }
  }

  // MARK: - For programs

  /// What programs read of a bookmark.
  func json(_ standing: BookmarkStanding) throws -> JSONValue {
    var members = JSONMembers.start("bookmark")
    members += [
      ("name", .string(standing.bookmark.name)),
      ("token", .string(standing.bookmark.token.description)),
      ("state", .string(standing.token.state.name)),
    ]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append((key, value)) }
    }
    add("transaction", standing.token.number.map(JSONValue.integer))
    add("timestamp", (standing.bookmark.timestamp?.iso8601()).map(JSONValue.string))
    if standing.token.state != .valid {
      let problem = try resolver.unusable(standing.token)
      add("error", .string(problem.kind))
      add("message", .string(problem.message))
    }
    if let lag = standing.lag {
      add("transactionsBehind", .integer(lag.transactions))
      add("changesBehind", lag.changes.map(JSONValue.integer))
      add("unreadSince", (lag.unreadSince?.iso8601()).map(JSONValue.string))
      add(
        "secondsBehind",
        lag.unreadSince.map {
          .wholeSeconds(
            max(0, session.now.secondsSinceReferenceDate - $0.secondsSinceReferenceDate))
        })
    }
    if standing.isLost { add("lost", true) }
    switch standing.headroom {
    case nil: break
    case .exhausted?: add("headroom", "exhausted")
    case .seconds(let seconds)?:
      add("headroom", "limited")
      add("headroomSeconds", .wholeSeconds(seconds))
    case .unlimited?: add("headroom", "unlimited")
    }
    return .object(JSONObject(members))
  }
}

extension BookmarkStanding {
  /// Whether there is nothing to say against it.
  var isWell: Bool { holdsHistory && headroom != .exhausted }
}

extension JSONValue {
  /// A number of seconds; rows can make it anything at all.
  static func wholeSeconds(_ seconds: Double) -> JSONValue {
    Int64(exactly: seconds.rounded()).map(JSONValue.integer) ?? .real(seconds)
  }
}
