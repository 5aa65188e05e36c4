/// The formats in which history leaves for other programs.
///
/// Only ``jsonl`` carries everything and can be read back. The others are made for programs that
/// want one record per change; each of them says what it cannot carry.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// One JSON line per transaction, lossless both ways; see ``TransactionLineEncoder``.
  ///
  /// With a selection of fields the lines are partial: for reading, refused by the decoder.
  case jsonl
  /// One flat JSON line per change, for engines that analyse tables; see ``ChangeRecordEncoder``.
  ///
  /// It cannot carry transactions without changes, and no query generations.
  case changes
  /// One CloudEvents 1.0 event per change; see ``CloudEventEncoder``.
  ///
  /// It cannot carry more than ``changes`` does. Without a store identifier its events are unique
  /// only among themselves.
  case cloudevents
  /// One change event per change in Debezium's envelope; see ``DebeziumEncoder``.
  ///
  /// History has no values but those that deleted objects left, so an event has the key of its
  /// object, the names of what was updated, and no row. It cannot carry transactions without
  /// changes, changes of a kind that no framework writes, and no query generations.
  case debezium
  /// A table with one row per change; see ``CSVEncoder``.
  ///
  /// It carries what ``changes`` does, but not the types of values: a text that looks like a
  /// number, a formula or a wrapped value cannot be told from one.
  case csv

  /// What names of files in this format end with, after a full stop.
  ///
  /// The formats of JSON lines that cannot be read back say so in their names.
  package var fileExtension: String {
    switch self {
    case .jsonl: "jsonl"
    case .changes: "changes.jsonl"
    case .cloudevents: "cloudevents.jsonl"
    case .debezium: "debezium.jsonl"
    case .csv: "csv"
    }
  }

  /// The names of the fields that a record can have, in the order in which they are written.
  package var fieldNames: [String] {
    switch self {
    case .jsonl: SelectedFieldsLineEncoder.fieldNames
    case .changes: ChangeRecordEncoder.fieldNames
    case .cloudevents: CloudEventEncoder.fieldNames
    case .debezium: DebeziumEncoder.fieldNames
    case .csv: CSVEncoder.fieldNames
    }
  }

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - fields: The fields that records keep, in any order; nil for all.
  ///   - guardsFormulas: Whether texts in a table that a spreadsheet would take for formulas get an
  ///     apostrophe before them.
  /// - Throws: ``ExportFormatError`` where there are none, or the format has no field of a name.
  package func encoder(
    fields: [String]? = nil, guardsFormulas: Bool = false
  ) throws(ExportFormatError) -> any HistoryEncoder {
    switch self {
    case .jsonl:
      // A line with all of its fields is whole.
      guard let fields, !Set(fields).isSuperset(of: fieldNames) else {
        return TransactionLineEncoder()
      }
      return try SelectedFieldsLineEncoder(fields: fields)
    case .changes: return try ChangeRecordEncoder(fields: fields)
    case .cloudevents: return try CloudEventEncoder(fields: fields)
    case .debezium: return try DebeziumEncoder(fields: fields)
    case .csv: return try CSVEncoder(fields: fields, guardsFormulas: guardsFormulas)
    }
  }
}
