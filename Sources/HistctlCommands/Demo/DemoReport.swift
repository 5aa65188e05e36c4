import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// What a sample store holds, as read from itself, and what to try on it: one value for text and
/// JSON.
struct DemoReport {
  let path: String
  let storeIdentifier: String?
  let overview: HistoryOverview
  let tour: DemoTour

  /// - Parameters:
  ///   - path: The store's path as the report and its commands name it.
  ///   - program: How the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, isQualified: Bool) throws {
    self.path = path
    storeIdentifier = snapshot.metadata.storeIdentifier
    overview = try HistoryOverview(snapshot: snapshot)
    tour = try DemoTour(
      snapshot: snapshot, path: path, program: program,
      tokens: TokenText(isQualified: isQualified, store: storeIdentifier))
  }

  /// The report as one JSON object.
  var json: JSONValue {
    func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    return [
      "schema": .integer(HistoryLine.schema), "type": "demo", "path": .string(path),
      "store": text(storeIdentifier),
      "transactions": .integer(overview.transactionCount),
      "changes": .integer(overview.changeCount), "oldest": overview.oldest?.json ?? .null,
      "newest": overview.newest?.json ?? .null, "validToken": text(tour.validToken),
      "expiredToken": text(tour.expiredToken),
      "commands": .array(
        tour.steps.map {
          [
            "command": .string($0.command), "reason": .string($0.reason),
            "status": .integer(Int64($0.status.rawValue)),
          ]
        }),
    ]
  }
}

/// Writes for people what a sample store holds, and what to try on it.
struct DemoText: FieldPage {
  let session: Session
  let writer: OutputWriter
  let report: DemoReport

  func write() throws {
    let overview = report.overview
    let tokens = TokenText(
      isQualified: session.options.qualified, store: report.storeIdentifier)
    let time = TimeText(style: session.options.date, now: session.now)
    func position(_ position: TransactionPosition?) -> String? {
      position.map { "\(tokens.text($0.number))  \(time.fullText($0.timestamp))" }
    }
    try field("store", report.path, style: .heading)
    try field(
      "history",
      "\(overview.transactionCount.grouped) transactions, \(overview.changeCount.grouped) changes")
    try field("oldest", position(overview.oldest))
    try field("newest", position(overview.newest))
    if let expired = report.tour.expiredToken, let oldest = overview.oldest {
      try field("expired", "\(expired), as all others before \(tokens.text(oldest.number))")
    }
    try writer.writeLine("")
    for step in report.tour.steps {
      try writer.writeLine(session.palette.apply(.secondary, to: step.reason))
      // Never cut, for a part of a command is of no use; what must not be shown is spelled out.
      try writer.writeLine("  " + step.command)
    }
  }
}
