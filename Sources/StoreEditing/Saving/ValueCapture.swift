import StoreFormat

/// Captures the values of rows that a save updates, before and after it writes them.
///
/// Both are read from the store itself: the recorded values are those of the store, not those that a
/// context believed to be there, and in the form in which SQLite keeps them.
final class ValueCapture {
  private let columns: PropertyColumns
  private let statement: StatementRunner
  private let largeValues: LargeValueWriter
  /// The contents of rows before they were first written, by column; `nil` for one in a file that cannot be
  /// read. Files are removed later.
  private var before: [SaveWriter.Row: [String: RecordedContent?]] = [:]

  init(schema: ObjectSchema, statement: StatementRunner, largeValues: LargeValueWriter) {
    columns = PropertyColumns(schema)
    self.statement = statement
    self.largeValues = largeValues
  }

  /// Captures columns of a row that are about to be written.
  func note(_ names: [String], of row: SaveWriter.Row, in table: EntityTables.Table) throws {
    let known = columns.columns(of: table)
    let wanted = names.filter { before[row]?[$0] == nil }.compactMap { known[$0] }
    for (column, content) in try read(wanted, of: row, in: table) {
      before[row, default: [:]][column.name] = .some(content)
    }
  }

  /// Returns the old and new values of a row, sorted by name.
  func values(of row: SaveWriter.Row) throws -> [RecordedValue] {
    guard let old = before[row] else { return [] }
    let table = try columns.schema.table(of: row.entityName)
    let known = columns.columns(of: table)
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

  private func read(
    _ wanted: [PropertyColumns.Column], of row: SaveWriter.Row, in table: EntityTables.Table
  ) throws -> [(PropertyColumns.Column, RecordedContent?)] {
    guard !wanted.isEmpty else { return [] }
    let names = wanted.flatMap(\.names)
    var values =
      (try statement.columns(names, of: table, row.primaryKey) ?? names.map { _ in .null })[...]
    return wanted.map { column in
      let own = Array(values.prefix(column.names.count))
      values = values.dropFirst(column.names.count)
      return (column, columns.content(column, own) { try? largeValues.bytes(of: $0) })
    }
  }
}
