import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// The contents of a sample store, and commands to try on it.
struct DemoReport {
  let path: String
  let storeIdentifier: String?
  let overview: HistoryOverview
  let tour: DemoTour

  /// - Parameters:
  ///   - path: The store's path in the report and its commands.
  ///   - program: The name by which the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, isQualified: Bool) throws {
    self.path = path
    storeIdentifier = snapshot.metadata.storeIdentifier
    overview = try HistoryOverview(snapshot: snapshot)
    tour = try DemoTour(
      snapshot: snapshot, path: path, program: program,
      tokens: TokenText(isQualified: isQualified, store: storeIdentifier))
  }

  var json: JSONValue {
    .record(
      "demo",
      [
        "path": path, "store": storeIdentifier?.json ?? JSONValue.null,
        "transactions": overview.transactionCount, "changes": overview.changeCount,
        "oldest": overview.oldest?.json ?? JSONValue.null,
        "newest": overview.newest?.json ?? JSONValue.null,
        "validToken": tour.validToken?.json ?? JSONValue.null,
        "expiredToken": tour.expiredToken?.json ?? JSONValue.null,
        "commands": tour.steps.map {
          JSONValue.object(of: [
            "command": $0.command, "reason": $0.reason, "status": Int64($0.status.rawValue),
          ])
        },
      ])
  }
}

/// Writes the report as text.
struct DemoText: FieldPage {
  let session: Session
  let report: DemoReport

  func write() throws {
    let overview = report.overview
    let tokens = session.tokens(of: report.storeIdentifier)
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
      // Commands are never cut.
      try writer.writeLine("  " + step.command)
    }
  }
}
