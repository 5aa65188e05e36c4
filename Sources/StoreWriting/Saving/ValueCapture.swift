import StoreFormat
import StoreTransactions

/// Captures the values of rows that a save updates, before and after it writes them.
///
/// Both are read from the store itself: the recorded values are those of the store, not those that a
/// context believed to be there, and in the form in which SQLite keeps them.
final class ValueCapture {
  private let schema: ObjectSchema
  private var columnsByTable: [String: [String: EntityTables.Column]] = [:]
  private let statement: StatementRunner
  private let largeValues: LargeValueWriter
  /// The contents of rows before they were first written, by column; `nil` for one in a file that cannot be
  /// read. Files are removed later.
  private var before: [SaveWriter.Row: [String: RecordedContent?]] = [:]

  init(schema: ObjectSchema, statement: StatementRunner, largeValues: LargeValueWriter) {
    self.schema = schema
    self.statement = statement
    self.largeValues = largeValues
  }

  /// Captures columns of a row that are about to be written.
  func note(_ names: [String], of row: SaveWriter.Row, in table: EntityTables.Table) throws {
    let known = columns(of: table)
    let wanted = names.filter { before[row]?[$0] == nil }.compactMap { known[$0] }
    for (column, content) in try read(wanted, of: row, in: table) {
      before[row, default: [:]][column.name] = .some(content)
    }
  }

  /// Returns the old and new values of a row, sorted by name.
  func values(of row: SaveWriter.Row) throws -> [RecordedValue] {
    guard let old = before[row] else { return [] }
    let table = try schema.table(of: row.entityName)
    let known = columns(of: table)
    let written = old.keys.sorted(by: ordinally).compactMap { known[$0] }
    var values: [RecordedValue] = []
    for (column, new) in try read(written, of: row, in: table) {
      // A value whose file cannot be read is not known; the save is more important.
      let old = old[column.name] ?? nil
      guard old != nil || new != nil else { continue }
      values.append(RecordedValue(name: column.path, kind: column.kind, old: old, new: new))
    }
    return values.sorted { ordinally($0.name, $1.name) }
  }

  /// Returns the columns of properties by name.
  private func columns(of table: EntityTables.Table) -> [String: EntityTables.Column] {
    if let known = columnsByTable[table.name] { return known }
    let columns = Dictionary(
      keepingFirst: table.columns.filter { $0.isProperty }.map { ($0.name, $0) })
    columnsByTable[table.name] = columns
    return columns
  }

  private func read(
    _ wanted: [EntityTables.Column], of row: SaveWriter.Row, in table: EntityTables.Table
  ) throws -> [(EntityTables.Column, RecordedContent?)] {
    guard !wanted.isEmpty else { return [] }
    let names = wanted.flatMap(\.names)
    let values = try statement.columns(names, of: table, row.primaryKey) ?? names.map { _ in .null }
    return Array(
      zip(wanted, schema.recordedContents(of: wanted, values) { try? largeValues.bytes(of: $0) }))
  }
}

extension RecordedValuesEditor {
  /// Writes the values of a save that is about to be committed.
  func record(
    _ changes: [SavedChange], at place: HistoryRowWriter.Place, _ schema: ObjectSchema
  ) throws {
    var rows: [RecordedValueRow] = []
    for (offset, change) in changes.enumerated() {
      for value in change.values {
        rows.append(
          RecordedValueRow(
            transaction: place.position.number, timestamp: place.position.timestamp,
            change: place.firstChange + Int64(offset),
            entityName: change.row.entityNumber.flatMap(schema.numbering.name(of:)) ?? "",
            primaryKey: change.row.primaryKey ?? 0, value: value))
      }
    }
    if !rows.isEmpty { try write(rows, removingFrom: place.position.number) }
  }
}
