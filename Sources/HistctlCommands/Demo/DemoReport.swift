import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// The contents of a sample store, and commands to try on it.
struct DemoReport: FieldPage {
  let session: Session
  private let path: String
  private let storeIdentifier: String?
  private let overview: HistoryOverview
  private let tour: DemoTour

  /// - Parameter path: The store's path in the report and its commands.
  init(_ session: Session, _ snapshot: StoreSnapshot, path: String) throws {
    self.session = session
    self.path = path
    storeIdentifier = snapshot.metadata.storeIdentifier
    overview = try HistoryOverview(snapshot: snapshot)
    tour = try DemoTour(
      snapshot: snapshot, path: path, program: session.console.programName,
      tokens: session.tokens(of: storeIdentifier))
  }

  private var json: JSONValue {
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

  func write() throws {
    if isJSON { return try writer.writeLine(json) }
    try field("store", path, style: .heading)
    try field(
      "history",
      "\(overview.transactionCount.grouped) transactions, \(overview.changeCount.grouped) changes")
    try field("oldest", overview.oldest, of: storeIdentifier)
    try field("newest", overview.newest, of: storeIdentifier)
    if let expired = tour.expiredToken, let oldest = overview.oldest {
      let first = session.tokens(of: storeIdentifier).text(oldest.number)
      try field("expired", "\(expired), as all others before \(first)")
    }
    try writer.writeLine("")
    for step in tour.steps {
      try writer.writeLine(session.palette.apply(.secondary, to: step.reason))
      // Commands are never cut.
      try writer.writeLine("  " + step.command)
    }
  }
}
