import StoreFormat
import Terminal

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
