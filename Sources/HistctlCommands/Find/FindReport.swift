import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// The stores that were found: a table, or JSON lines.
final class FindReport: FieldPage {
  let session: Session
  private let table: StreamedTable

  init(_ session: Session) {
    self.session = session
    table = session.streamedTable([
      TableColumn("NEWEST", priority: 4, canDrop: true),
      TableColumn("TRANSACTIONS", alignment: .trailing, priority: 6),
      TableColumn("SIZE", alignment: .trailing, priority: 5, canDrop: true),
      TableColumn("FRAMEWORK", priority: 1, canDrop: true),
      TableColumn("APP", priority: 2, minimumWidth: 12, canShrink: true, canDrop: true),
      TableColumn("PATH", priority: 7, minimumWidth: 24, canShrink: true, staysWhole: true),
    ])
  }

  func write(_ store: FoundStore) throws {
    guard !isJSON else { return try writer.writeLine(store.json) }
    let app = [store.app?.identifier, store.device.map { "(\($0))" }].compactMap { $0 }
    try table.write([
      TableCell(time.text(store.history?.newest?.timestamp)),
      store.history.map { TableCell($0.transactionCount.grouped) }
        ?? TableCell("no history", style: .secondary),
      TableCell("\(ByteCount(store.byteCount))"),
      TableCell(store.framework.name),
      TableCell(app.isEmpty ? "-" : app.joined(separator: " ")),
      TableCell(store.path),
    ])
  }

  /// Writes the rows that were kept back to determine the widths of columns.
  func finish() throws { try table.finish() }
}

extension FoundStore {
  fileprivate var json: JSONValue {
    .record(
      "found",
      [
        "path": path, "pathBytes": encodedPath, "store": identifier, "archive": member?.archive,
        "member": member?.name,
        "backup": backup, "app": app?.identifier, "appFrom": app?.source.rawValue,
        "device": device, "origin": framework.name, "frameworkVersion": frameworkVersion?.number,
        "system": frameworkVersion?.system, "modelVersions": modelVersions,
        "modelEntities": entityNames, "storeBytes": byteCount, "logBytes": logByteCount,
        "mirrored": isMirrored, "hasHistory": history != nil,
        "transactions": history?.transactionCount, "oldest": history?.oldest?.json,
        "newest": history?.newest?.json,
        "reason": history == nil
          ? "it was written without persistent history tracking" : nil,
      ])
  }

  private var member: (archive: String, name: String)? {
    if case .member(let archive, let name, _) = origin { (archive, name) } else { nil }
  }

  private var backup: JSONValue? {
    guard case .backup(let folder, let domain, let relativePath, let file) = origin else {
      return nil
    }
    return .object(
      of: ["path": folder, "domain": domain, "relativePath": relativePath, "file": file])
  }
}

extension FindOperation.Extraction {
  var json: JSONValue {
    .record(
      "extraction",
      [
        "path": folder, "list": list, "stores": storeCount, "files": fileCount,
        "bytes": byteCount,
      ])
  }
}
