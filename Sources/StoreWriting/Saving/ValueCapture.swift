import StoreFormat
import StoreTransactions

/// Captures the values of rows that a save updates, before and after it writes them.
///
/// Both are read from the store itself: the recorded values are those of the store, not those that a
/// context believed to be there, and in the form in which SQLite keeps them.
final class ValueCapture {
  private let schema: ObjectSchema
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
  func note(_ names: [String], of row: SaveWriter.Row) throws {
    let known = before[row] ?? [:]
    for (property, content) in try read(row, where: { names.contains($0) && known[$0] == nil }) {
      before[row, default: [:]][property.columnName] = .some(content)
    }
  }

  /// Returns the old and new values of a row, sorted by name.
  func values(of row: SaveWriter.Row) throws -> [RecordedValue] {
    guard let old = before[row] else { return [] }
    var values: [RecordedValue] = []
    for (property, new) in try read(row, where: { old[$0] != nil }) {
      // A value whose file cannot be read is not known; the save is more important.
      let old = old[property.columnName] ?? nil
      guard old != nil || new != nil else { continue }
      values.append(RecordedValue(name: property.path, kind: property.kind, old: old, new: new))
    }
    return values.sorted { ordinally($0.name, $1.name) }
  }

  /// Reads the properties whose columns meet a condition; a missing row has no values.
  private func read(
    _ row: SaveWriter.Row, where isWanted: (_ column: String) -> Bool
  ) throws -> [(StoredProperty, RecordedContent?)] {
    let wanted = (schema.columns(of: row.entityName)?.values ?? []).filter {
      isWanted($0.columnName)
    }
    let selection = ObjectSelection(wanted)
    let contents = try selection.read(row.primaryKey, statement) { cursor in
      wanted.indices.map { selection.content(at: $0, of: cursor, schema.numbering) }
    }
    return wanted.enumerated().map { index, property in
      let content =
        contents.map { $0[index] } ?? property.content(.null, nil, schema.numbering)
      return (property, content?.recorded { try? largeValues.bytes(of: $0) })
    }
  }
}

extension RecordedValuesEditor {
  /// Writes the values of a save that is about to be committed.
  ///
  /// - Parameter values: The values by the place of their change.
  func record(
    _ values: [Int: [RecordedValue]], of changes: [RecordedChange],
    at place: HistoryRowWriter.Place, _ schema: ObjectSchema
  ) throws {
    var rows: [RecordedValueRow] = []
    for (offset, change) in changes.enumerated() {
      for value in values[offset] ?? [] {
        rows.append(
          RecordedValueRow(
            transaction: place.position.number, timestamp: place.position.timestamp,
            change: place.firstChange + Int64(offset),
            entityName: change.entityNumber.flatMap(schema.numbering.name(of:)) ?? "",
            primaryKey: change.primaryKey ?? 0, value: value))
      }
    }
    if !rows.isEmpty { try write(rows, removingFrom: place.position.number) }
  }
}
