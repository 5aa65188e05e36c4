import PersistentHistory
import StoreFormat
import TestSupport

/// Makes the rows of the history tables anew out of decoded transactions, as lines of a
/// ``TestSupport/TableDump``.
///
/// What a line does not say is what every framework writes: the number of the table's own entity,
/// and null.
struct RowsOfLines {
  /// The numbers of the interned texts, by their text in a dump.
  private var strings: [String: String] = [:]
  /// The numbers of entities, by name.
  private var entities: [String: Int64] = [:]
  private let internsStrings: Bool

  /// Takes what lines refer to from a store's own tables.
  init(store path: String) async throws {
    let master = try await TableDump.read("sqlite_master", of: path)
    let table = TableDump.text(.text("ATRANSACTIONSTRING"))
    internsStrings = master.rows.contains { $0.contains(table) }
    if internsStrings {
      let dump = try await TableDump.read("ATRANSACTIONSTRING", of: path)
      let name = dump.columns.firstIndex(of: "ZNAME") ?? 0
      for row in dump.rows where row[name].hasPrefix("t:") { strings[row[name]] = row[0] }
    }
    let names = try await TableDump.read("Z_PRIMARYKEY", of: path)
    for row in names.rows where row[1].hasPrefix("t:") {
      let digits = Array(row[1].dropFirst(2))
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
      entities[String(decoding: bytes, as: UTF8.self)] = Int64(row[0].dropFirst(2))
    }
  }

  /// The row of a transaction.
  func row(of transaction: HistoryTransaction, columns: [String]) -> String {
    var values: [String: String] = [
      "Z_PK": "i:\(transaction.number)", "Z_ENT": "i:16002",
      "ZTIMESTAMP": transaction.timestamp.map {
        TableDump.text(.real($0.secondsSinceReferenceDate))
      } ?? "n",
      "ZQUERYGEN": transaction.queryGeneration.map { TableDump.text(.blob($0)) } ?? "n",
    ]
    for role in StringRole.allCases {
      guard let text = transaction.text(role) else { continue }
      let value = TableDump.text(text.storedValue)
      if internsStrings {
        values[role.identifierColumn] = strings[value] ?? "no such text"
      } else {
        values[role.plainColumn] = value
      }
      // Where a line says how a text is stored, nothing is left to be worked out.
      if transaction.extra.contains(where: { $0.column == role.identifierColumn }) {
        values[role.plainColumn] = nil
      }
    }
    for column in transaction.extra { values[column.column] = TableDump.text(column.value) }
    return columns.map { values[$0] ?? "n" }.joined(separator: "|")
  }

  /// The rows of a transaction's changes.
  func rows(of transaction: HistoryTransaction, columns: [String]) -> [String] {
    let places = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
    return transaction.changes.map { change in
      var values = [String](repeating: "n", count: columns.count)
      func put(_ value: String, in column: String) {
        if let place = places[column] { values[place] = value } else { values.append(value) }
      }
      put("i:\(change.number)", in: "Z_PK")
      put("i:16001", in: "Z_ENT")
      put("i:\(transaction.number)", in: "ZTRANSACTIONID")
      put(change.kind.map { "i:\($0.rawValue)" } ?? "no kind", in: "ZCHANGETYPE")
      put(change.primaryKey.map { "i:\($0)" } ?? "no key", in: "ZENTITYPK")
      let number = change.entity.flatMap { entity in
        entity.name.map { entities[$0] } ?? entity.number
      }
      put(number.map { "i:\($0)" } ?? "no entity", in: "ZENTITY")
      if let mask = change.mask { put(TableDump.text(.blob(mask.bytes)), in: "ZCOLUMNS") }
      for (slot, value) in change.tombstone.enumerated() {
        put(TableDump.text(value), in: "ZTOMBSTONE\(slot)")
      }
      for column in change.extra { put(TableDump.text(column.value), in: column.column) }
      return values.joined(separator: "|")
    }
  }
}
