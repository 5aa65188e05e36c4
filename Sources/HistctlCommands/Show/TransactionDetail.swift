import PersistentHistory
import StoreFormat
import Terminal

/// Writes one transaction in full.
struct TransactionDetail {
  /// How far recorded values stand to the right, below their change.
  private static let valueIndentation = 6

  let session: Session
  let writer: OutputWriter

  /// Writes the transaction that a reader stands at, with its changes.
  func write(_ transaction: HistoryTransaction, _ reader: TimelineReader) throws {
    let styled = StyledLine(session)
    let time = TimeText(style: session.options.date, now: session.now)
    func field(_ title: String, _ value: String?, style: Style = .plain) throws {
      if let value { try writer.writeLine(styled.field(title, value, style: style)) }
    }
    try field("transaction", "\(transaction.number)", style: .token)
    try field("token", transaction.token?.description, style: .token)
    try field("time", time.fullText(transaction.timestamp))
    try field("author", transaction.author?.string)
    try field("bundle", transaction.bundle?.string)
    try field("process", transaction.process?.string)
    try field("context", transaction.context?.string)
    if let generation = transaction.queryGeneration {
      try field("generation", "\(generation.count) bytes")
    }
    if !transaction.extra.isEmpty {
      try field("also", ChangeText.extra(transaction.extra), style: .warning)
    }
    try writer.writeLine("")
    var summary = ChangeSummary()
    while let change = try reader.nextChange() {
      summary.add(change)
      try writer.writeLine(
        styled.line(
          ChangeText.spans(change, includesValues: false, longest: ChangeText.longText),
          indentation: 2))
      for value in change.values {
        let width = session.environment.lineWidth.map { $0 - Self.valueIndentation }
        try writer.writeLine(
          String(repeating: " ", count: Self.valueIndentation)
            + ValueChangeText.line(value, styled.text, width: width))
      }
    }
    if summary.count > 0 { try writer.writeLine("") }
    try writer.writeLine(styled.line(ChangeText.summary(summary).spans))
  }
}
