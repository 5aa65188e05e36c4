import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// The report of ``Blame``.
struct BlameReport: FieldPage {
  let session: Session
  let writer: OutputWriter
  let timeline: HistoryTimeline
  let blame: ObjectBlame
  /// The attributes to show; empty for all.
  let attributes: [String]

  private var tokens: TokenText { session.tokens(of: timeline.storeIdentifier) }

  private var lines: [ObjectBlame.Line] {
    attributes.isEmpty
      ? blame.lines
      : blame.lines.filter { line in
        attributes.contains { line.name == $0 || line.name.hasPrefix($0 + ".") }
      }
  }

  func write(asJSON isJSON: Bool) throws {
    if isJSON {
      var encoder = ObjectLineEncoder()
      for line in lines {
        encoder.encode(line, of: blame.life.object, store: timeline.storeIdentifier)
      }
      try encoder.withUnsafeBytes { try writer.write($0) }
    } else {
      try writeText()
    }
    try writeNotes(asJSON: isJSON)
  }

  /// Returns the error for an object that was inserted after the position.
  func notYet(_ inserted: ObjectLife.Event) -> Failure {
    Failure(
      status: .answerIsNo, kind: "unknownObject",
      message: "\(blame.life.object) did not exist yet: transaction "
        + "\(tokens.text(inserted.transaction)) inserted it, \(time.text(inserted.timestamp))",
      hint: "give that token or a later one with --at")
  }

  // MARK: - Text

  private func writeText() throws {
    var heading: [TableCell.Span] = [
      .init(text: blame.life.object.description, style: .heading)
    ]
    if let deletion = blame.deletion {
      heading.append(
        .init(
          text: "deleted in transaction \(tokens.text(deletion.transaction)), "
            + time.text(deletion.timestamp) + (deletion.author.map { ", by \($0.string)" } ?? ""),
          style: .deleted))
    }
    try writer.writeLine(styled.line(ChangeText.spaced(heading)))
    guard !lines.isEmpty else {
      return try line("no attribute of it is known", .secondary)
    }
    try writer.writeLine("")
    let showsAuthors = lines.contains { $0.event?.author != nil }
    let author = TableColumn(
      "AUTHOR", priority: 4, minimumWidth: 6, canShrink: true, canDrop: true)
    let table = StreamedTable(
      session: session, writer: writer,
      columns: [
        TableColumn("ATTRIBUTE", priority: 6, minimumWidth: 12, canShrink: true),
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 3, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("VALUE", priority: 7, minimumWidth: 12, canShrink: true)
      ], wrapsLastColumn: true)
    for line in lines {
      try table.write(
        [
          TableCell(line.name),
          TableCell(line.event.map { tokens.text($0.transaction) } ?? "-", style: .token),
          line.event.map { time.cell($0.timestamp) } ?? TableCell("-"),
        ] + (showsAuthors ? [TableCell(line.event?.author?.string ?? "")] : []) + [value(line)])
    }
    try table.finish()
  }

  /// Returns the value and the value before.
  private func value(_ line: ObjectBlame.Line) -> TableCell {
    guard let before = line.before, let old = before.old else { return value(line.value) }
    let text = ValueChangeText.content(old, before.kind)
    return TableCell(
      spans: ChangeText.spaced(
        value(line.value).spans + [.init(text: "(was \(text))", style: .secondary)]))
  }

  private func value(_ value: ObjectBlame.Value) -> TableCell {
    switch value {
    case .present(let value): ObjectValueText.cell(value)
    case .reference(let reference): ObjectValueText.cell(reference)
    case .preserved(let value, let type):
      TableCell(ChangeText.value(value, of: type, longest: ChangeText.longText))
    case .recorded(let content, let kind): TableCell(ValueChangeText.content(content, kind))
    case .unknown: TableCell("not known", style: .secondary)
    }
  }

  /// Notes why a transaction is not known.
  private func writeNotes(asJSON isJSON: Bool) throws {
    if blame.unnamedUpdateCount > 0 {
      session.diagnostics.note(
        "\(blame.unnamedUpdateCount.counted("update")) cannot be read by attribute; what was set "
          + "before is not known")
    }
    let gaps = GapReport(session: session, timeline: timeline)
    for gap in blame.gaps {
      if isJSON { try TransactionLines(writer: writer).write(gap) }
      gaps.report(gap)
    }
    guard lines.contains(where: { $0.event == nil }), blame.unnamedUpdateCount == 0,
      let gap = try timeline.missingBeginning()
    else { return }
    try gaps.note(missingBeginning: gap, to: isJSON ? writer : nil)
  }
}
