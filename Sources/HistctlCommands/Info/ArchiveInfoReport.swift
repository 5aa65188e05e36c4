import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// Writes a report on an archive as text or JSON.
struct ArchiveInfoReport: FieldPage {
  let session: Session
  let overview: ArchiveOverview
  /// The number of entities that are listed.
  let rowLimit: Int

  func write() throws {
    guard !isJSON else { return try writer.writeLine(json) }
    try writeArchive()
    try writeStores()
    if overview.stores.count == 1, let store = overview.stores.first {
      try writeTable(
        store.entities.map(EntityCounts.init), rowLimit: rowLimit)
    }
    try write(notices)
  }

  private func sum(_ count: (ArchiveOverview.Store) -> Int64) -> Int64 {
    overview.stores.reduce(0) { $0 &+ count($1) }
  }

  private var segmentCount: Int64 { sum { Int64($0.segmentCount) } }
  private var frameCount: Int64 { sum { Int64($0.frameCount) } }

  /// Notes on the archive.
  private var notices: [StoreNotice] {
    var notices: [StoreNotice] = []
    for store in overview.stores {
      for gap in store.gaps {
        notices.add("gap", "store \(store.identifier): \(gap.message)")
      }
      if store.overlapCount > 0 {
        notices.add(
          "overlap",
          "store \(store.identifier): " + store.overlapCount.counted("segment")
            + " repeat transactions, which is normal after a crash")
      }
    }
    if overview.tornByteCount > 0 {
      notices.add(
        "tornCatalog",
        "the catalog ends in the middle of a line, as after a crash; the next archive command "
          + "repairs it")
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
    try writeTable(
      [
        // An identifier is needed in full to choose a store.
        TableColumn("STORE", priority: 7),
        TableColumn("TRANSACTIONS", priority: 6, minimumWidth: 10, canShrink: true, canDrop: true),
        TableColumn("FROM", priority: 3, canDrop: true),
        TableColumn("TO", priority: 4, canDrop: true),
        TableColumn("COUNT", alignment: .trailing, priority: 2, canDrop: true),
        TableColumn("SEGMENTS", alignment: .trailing, priority: 1, canDrop: true),
        TableColumn("SIZE", alignment: .trailing, priority: 5, canDrop: true),
      ], rows)
  }

  // MARK: - For programs

  private var json: JSONValue {
    .record(
      "archiveInfo",
      [
        "path": overview.path, "head": overview.head.description, "segments": segmentCount,
        "frames": frameCount, "transactions": sum(\.transactionCount),
        "changes": sum(\.changeCount), "bytes": sum(\.byteCount),
        "textBytes": sum(\.textByteCount), "files": overview.fileCount,
        "fileBytes": overview.fileByteCount, "stores": overview.stores.map(json),
        "notices": notices.map(\.json),
      ])
  }

  private func json(_ store: ArchiveOverview.Store) -> JSONValue {
    .object(of: [
      "store": store.identifier, "segments": store.segmentCount, "frames": store.frameCount,
      "transactions": store.transactionCount, "changes": store.changeCount,
      "bytes": store.byteCount, "textBytes": store.textByteCount, "first": store.first,
      "last": store.last,
      "ranges": store.ranges.map {
        JSONValue.object(of: ["first": $0.lowerBound, "last": $0.upperBound])
      },
      "overlaps": store.overlapCount, "modelVersions": store.modelVersions,
      "entities": store.entities.map { EntityCounts($0).json },
    ])
  }
}
