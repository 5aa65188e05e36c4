import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// Writes a report on a store as text.
struct InfoText: FieldPage {
  let session: Session
  let report: InfoReport
  /// The number of entities, authors and so on that are listed.
  let rowLimit: Int

  func write() throws {
    try writeStore()
    if let overview = report.overview {
      try writeHistory(overview)
      try writeTable(
        overview.entities.map(EntityCounts.init), rowLimit: rowLimit)
      try writeTexts("AUTHOR", overview.authors.counts)
      try writeTexts("BUNDLE", overview.bundles.counts)
      try writeTexts("PROCESS", overview.processes.counts)
    }
    try writeBookmarks()
    try writeDigests()
    try write(report.notices)
  }

  private func writeStore() throws {
    try field("store", report.path, style: .heading)
    try field("read from", report.copyPath)
    try field("identifier", report.metadata.storeIdentifier)
    try field("written by", report.origin.text(report.metadata.frameworkVersion))
    let free = report.freeByteCount > 0 ? ", \(ByteCount(report.freeByteCount)) free" : ""
    try field("size", "\(ByteCount(report.storeByteCount))\(free)")
    if report.logByteCount > 0 { try field("its -wal", "\(ByteCount(report.logByteCount))") }
    try field("entities", "\(report.entityNames.count)")
  }

  private func writeHistory(_ overview: HistoryOverview) throws {
    let bytes = overview.historyByteCount.map { ", \(ByteCount($0))" } ?? ""
    try field(
      "history",
      "\(overview.transactionCount.counted("transaction")), "
        + (overview.changeCount?.counted("change") ?? "an unknown number of changes") + bytes)
    let tokens = session.tokens(of: report.metadata.storeIdentifier)
    try field("oldest", overview.oldest, of: report.metadata.storeIdentifier)
    try field("newest", overview.newest, of: report.metadata.storeIdentifier)
    try field("mirrored", report.mirroring.map { $0.text(tokens) })
    for text in report.mirroring?.activityTexts(time) ?? [] { try field("mirror log", text) }
    try field("values", report.values.recorded.map { text(of: $0, tokens) })
    try field("value gaps", text(of: report.values.gaps))
    try field("log values", report.values.log.map { text(of: $0, tokens) })
  }

  /// Returns the transactions with recorded values, and the size of their file.
  private func text(of extent: RecordedValuesFile.Extent, _ tokens: TokenText) -> String {
    let bytes = "\(ByteCount(extent.byteCount))"
    guard let first = extent.first, let last = extent.last else { return "none yet, \(bytes)" }
    return "\(tokens.text(first.number, to: last.number)), \(bytes)"
  }

  /// Returns the transactions whose values were not recorded; `nil` without any.
  private func text(of gaps: [ClosedRange<Int64>]) -> String? {
    let shown = gaps.suffix(3).map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    guard !shown.isEmpty else { return nil }
    let hidden = gaps.count - shown.count
    return shown.joined(separator: ", ") + (hidden > 0 ? ", and \(hidden) earlier gaps" : "")
  }

  /// Returns the transactions whose values the log holds, and why not all are known.
  private func text(of extent: LogValueExtent, _ tokens: TokenText) -> String {
    guard let first = extent.first, let last = extent.last else {
      return "not known: \(extent.problem ?? "")"
    }
    return tokens.text(first, to: last)
      + (extent.problem.map { " (\($0))" } ?? "")
  }

  private func writeTexts(_ title: String, _ counts: [TextCount]) throws {
    // A list without any name is not worth a table.
    guard counts.contains(where: { $0.text != nil }) else { return }
    var names = NameGroups()
    var totals: [Int64] = []
    for count in counts {
      let place = names.add(count.text?.string)
      if place == totals.count { totals.append(0) }
      totals[place] += count.count
    }
    let order = totals.indices.sorted { (totals[$1], $0) < (totals[$0], $1) }
    let rows = order.prefix(rowLimit).map { place in
      [names.groups[place].cell, TableCell(totals[place].grouped)]
    }
    try writeTable(
      [
        TableColumn(title, priority: 2, minimumWidth: 8, canShrink: true),
        TableColumn("TRANSACTIONS", alignment: .trailing, priority: 1, canDrop: true),
      ], rows, hidden: totals.count - rows.count)
  }

  private func writeBookmarks() throws {
    let tokens = session.tokens(of: report.metadata.storeIdentifier)
    guard !report.bookmarks.isEmpty else { return }
    let rows = report.bookmarks.map { bookmark in
      let status = report.statuses[bookmark.name]
      return [
        TableCell("@" + bookmark.name, style: .token),
        TableCell(
          status?.token.state.name ?? "-",
          style: status.map { $0.holdsHistory ? .inserted : .deleted } ?? .secondary),
        TableCell(tokens.text(bookmark)),
        TableCell(status?.lag?.transactions.grouped ?? "-"),
        TableCell(time.text(bookmark.timestamp)),
      ]
    }
    try writeTable(
      [
        TableColumn("BOOKMARK", priority: 5, minimumWidth: 8, canShrink: true),
        TableColumn("STATE", priority: 4),
        TableColumn("TOKEN", priority: 2, minimumWidth: 10, canShrink: true, canDrop: true),
        TableColumn("BEHIND", alignment: .trailing, priority: 3, canDrop: true),
        TableColumn("TIME", priority: 1, canDrop: true),
      ], rows)
  }

  /// Writes digests in full, however narrow the terminal is.
  private func writeDigests() throws {
    guard let digests = report.digests else { return }
    try writer.writeLine("")
    try line(
      digests.isUnchanged ? "SHA-256 (the same before and after reading)" : "SHA-256", .heading)
    for text in digests.lines { try line(text) }
  }
}

extension DigestComparison {
  var json: JSONValue {
    .object(of: [
      "algorithm": "sha256", "unchanged": isUnchanged,
      "files": files.map { file in
        JSONValue.object(of: [
          "path": file.path, "before": file.before?.json ?? JSONValue.null,
          "after": file.after?.json ?? JSONValue.null,
        ])
      },
    ])
  }

  /// Returns the lines that `sha256sum --check` reads if no file has changed.
  var lines: [String] {
    files.flatMap { file -> [String] in
      guard !file.isUnchanged else { return ["\(file.after?.digest ?? "")  \(file.path)"] }
      return [("before", file.before), ("after", file.after)].map { time, state in
        "\(state?.digest ?? "no file".padded(to: 64))  \(file.path) (\(time) reading)"
      }
    }
  }
}

extension FileDigest {
  fileprivate var json: JSONValue { .object(of: ["bytes": byteCount, "sha256": digest]) }
}

/// The numbers of changes of one entity.
struct EntityCounts {
  let label: String
  let inserts: Int64
  let updates: Int64
  let deletes: Int64

  /// The numbers of a store.
  init(_ count: HistoryOverview.EntityCount) {
    label = count.entity.label
    (inserts, updates, deletes) = (count.inserts, count.updates, count.deletes)
  }

  /// The numbers of an archive.
  init(_ count: ArchiveOverview.EntityCount) {
    label = count.label
    (inserts, updates, deletes) = (count.counts.inserts, count.counts.updates, count.counts.deletes)
  }

  var json: JSONValue {
    .object(of: [
      "entity": label, "inserts": inserts, "updates": updates, "deletes": deletes,
    ])
  }

  fileprivate var cells: [TableCell] {
    func cell(_ count: Int64, _ style: Style) -> TableCell {
      TableCell(count == 0 ? "-" : count.grouped, style: count == 0 ? .secondary : style)
    }
    return [
      TableCell(label), cell(inserts, .inserted), cell(updates, .updated), cell(deletes, .deleted),
    ]
  }
}

extension FieldPage {
  /// Writes a table of entities, or nothing without entities.
  ///
  /// - Parameter rowLimit: The maximum number of rows; the others are counted.
  func writeTable(_ entities: [EntityCounts], rowLimit: Int) throws {
    guard !entities.isEmpty else { return }
    let rows = entities.prefix(rowLimit).map(\.cells)
    try writeTable(
      [
        TableColumn("ENTITY", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("INSERTS", alignment: .trailing, priority: 3, canDrop: true),
        TableColumn("UPDATES", alignment: .trailing, priority: 2, canDrop: true),
        TableColumn("DELETES", alignment: .trailing, priority: 1, canDrop: true),
      ], rows, hidden: entities.count - rows.count)
  }
}
