import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// What there is to say of an archive, for people and for programs.
struct ArchiveInfoReport: FieldPage {
  let session: Session
  let writer: OutputWriter
  let overview: ArchiveOverview
  /// How many entities are listed before the rest is summed up.
  let rowLimit: Int

  /// Writes it in the form that was asked for.
  func write() throws {
    guard !session.options.json else { return try writer.writeLine(json) }
    try writeArchive()
    try writeStores()
    if overview.stores.count == 1, let store = overview.stores.first {
      try writer.writeTable(
        store.entities.map(EntityCounts.init), rowLimit: rowLimit, in: session)
    }
    try writer.writeNotices(notices.map(\.text), in: session)
  }

  private func sum(_ count: (ArchiveOverview.Store) -> Int64) -> Int64 {
    overview.stores.reduce(0) { $0 &+ count($1) }
  }

  private var segmentCount: Int64 { sum { Int64($0.segmentCount) } }
  private var frameCount: Int64 { sum { Int64($0.frameCount) } }

  /// What deserves attention.
  private var notices: [(kind: String, text: String)] {
    var notices: [(kind: String, text: String)] = []
    for store in overview.stores {
      for gap in store.gaps {
        notices.append(("gap", "of the store \(store.identifier), \(gap.message)"))
      }
      if store.overlapCount > 0 {
        notices.append(
          (
            "overlap",
            "of the store \(store.identifier), "
              + store.overlapCount.counted("segment")
              + " with transactions that others have too, which is normal after a crash"
          ))
      }
    }
    if overview.tornByteCount > 0 {
      notices.append(
        (
          "tornCatalog",
          "the catalog ends in the middle of a line, as a crash leaves it; the next sealing puts it "
            + "right"
        ))
    }
    return notices
  }

  // MARK: - For people

  private func writeArchive() throws {
    try field("archive", overview.path, style: .heading)
    try field(
      "segments",
      "\(segmentCount.counted("segment")) of \(overview.stores.count.counted("store")), "
        + frameCount.counted("frame"))
    try field(
      "history",
      "\(sum(\.transactionCount).counted("transaction")), "
        + "\(sum(\.changeCount).counted("change"))")
    try field(
      "size",
      "\(ByteCount(overview.fileByteCount)) in \(Int64(overview.fileCount).counted("file")); segments "
        + "\(ByteCount(sum(\.byteCount))) for \(ByteCount(sum(\.textByteCount))) of text")
    try field("head", overview.head.description)
  }

  private func writeStores() throws {
    guard !overview.stores.isEmpty else { return }
    let time = TimeText(style: session.options.date, now: session.now)
    let rows = overview.stores.map { store in
      [
        TableCell(store.identifier),
        TableCell(
          store.ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " "),
          style: .token),
        TableCell(time.text(store.first.timestamp)), TableCell(time.text(store.last.timestamp)),
        TableCell(store.transactionCount.grouped), TableCell(store.segmentCount.grouped),
        TableCell("\(ByteCount(store.byteCount))"),
      ]
    }
    try writer.writeTable(
      [
        // Whoever chooses among the stores needs all of an identifier.
        TableColumn("STORE", priority: 7),
        TableColumn("TRANSACTIONS", priority: 6, minimumWidth: 10, canShrink: true, canDrop: true),
        TableColumn("FROM", priority: 3, canDrop: true),
        TableColumn("TO", priority: 4, canDrop: true),
        TableColumn("COUNT", alignment: .trailing, priority: 2, canDrop: true),
        TableColumn("SEGMENTS", alignment: .trailing, priority: 1, canDrop: true),
        TableColumn("SIZE", alignment: .trailing, priority: 5, canDrop: true),
      ], rows, in: session)
  }

  // MARK: - For programs

  private var json: JSONValue {
    [
      "schema": .integer(1), "type": "archiveInfo", "path": .string(overview.path),
      "head": .string(overview.head.description), "segments": .integer(segmentCount),
      "frames": .integer(frameCount), "transactions": .integer(sum(\.transactionCount)),
      "changes": .integer(sum(\.changeCount)), "bytes": .integer(sum(\.byteCount)),
      "textBytes": .integer(sum(\.textByteCount)), "files": .integer(Int64(overview.fileCount)),
      "fileBytes": .integer(overview.fileByteCount),
      "stores": .array(overview.stores.map { members(of: $0) }),
      "notices": .array(
        notices.map { ["kind": .string($0.kind), "message": .string($0.text)] }),
    ]
  }

  private func members(of store: ArchiveOverview.Store) -> JSONValue {
    [
      "store": .string(store.identifier), "segments": .integer(Int64(store.segmentCount)),
      "frames": .integer(Int64(store.frameCount)),
      "transactions": .integer(store.transactionCount), "changes": .integer(store.changeCount),
      "bytes": .integer(store.byteCount), "textBytes": .integer(store.textByteCount),
      "first": store.first.json, "last": store.last.json,
      "ranges": .array(
        store.ranges.map {
          ["first": .integer($0.lowerBound), "last": .integer($0.upperBound)]
        }),
      "overlaps": .integer(Int64(store.overlapCount)),
      "modelVersions": .array(store.modelVersions.map(JSONValue.string)),
      "entities": .array(store.entities.map { EntityCounts($0).json }),
    ]
  }
}
