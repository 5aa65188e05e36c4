/// The formats in which other programs receive history.
///
/// Only ``jsonl`` carries everything and can be read back. The others are made for programs that
/// want one record per change; each documents what it cannot carry.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// One JSON line per transaction, lossless both ways; see ``TransactionLineEncoder``.
  ///
  /// With a selection of fields the lines are partial: for reading, rejected by the decoder.
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
  /// History has no values but those that deleted objects left, so without recorded values an event has the key
  /// of its object, the names of what was updated, and no row. It cannot carry transactions without
  /// changes, changes of a kind that no framework writes, and no query generations.
  case debezium
  /// A table with one row per change; see ``CSVEncoder``.
  ///
  /// It carries what ``changes`` does, but not the types of values: a text that looks like a
  /// number, a formula or a wrapped value cannot be distinguished from one.
  case csv

  /// The end of names of files in this format, after a full stop.
  ///
  /// The formats of JSON lines that cannot be read back say so in their names.
  package var fileExtension: String {
    switch self {
    case .jsonl: "jsonl"
    case .csv: "csv"
    case .changes, .cloudevents, .debezium: "\(rawValue).jsonl"
    }
  }

  /// Whether old and new values are a member of their own, apart from all else of a change.
  package var separatesValues: Bool { self != .debezium && self != .csv }

  /// The fields that a record can have, in the order in which they are written.
  var fields: [LineKey] {
    switch self {
    case .jsonl: TransactionLineEncoder.fields
    case .changes: ChangeRecordEncoder.fields
    case .cloudevents: CloudEventEncoder.fields
    case .debezium: DebeziumEncoder.fields
    case .csv: CSVEncoder.fields
    }
  }

  /// The names of the fields that a record can have, in the order in which they are written.
  package var fieldNames: [String] { fields.map(\.name) }

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - fields: The fields that records keep, in any order; `nil` for all.
  ///   - guardsFormulas: Whether texts in a table that a spreadsheet would take for formulas get an
  ///     apostrophe before them.
  /// - Throws: ``ExportFormatError`` if there are none, or the format has no field of a name.
  package func encoder(
    fields: [String]? = nil, guardsFormulas: Bool = false
  ) throws(ExportFormatError) -> any HistoryEncoder {
    switch self {
    case .jsonl:
      // A line with all of its fields is whole.
      guard let fields, !Set(fields).isSuperset(of: fieldNames) else {
        return TransactionLineEncoder()
      }
      return try TransactionLineEncoder(fields: fields)
    case .changes: return try ChangeRecordEncoder(fields: fields)
    case .cloudevents: return try CloudEventEncoder(fields: fields)
    case .debezium: return try DebeziumEncoder(fields: fields)
    case .csv: return try CSVEncoder(fields: fields, guardsFormulas: guardsFormulas)
    }
  }
}

/// Why records cannot be written with the requested fields.
package enum ExportFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The format has no field of this name.
  case unknownField(name: String, format: ExportFormat)
  /// The list of fields is empty.
  case noFields(format: ExportFormat)

  /// What is wrong.
  package var message: String {
    switch self {
    case .unknownField(let name, let format):
      "the format \(format.rawValue) has no field '\(name)'"
    case .noFields(let format):
      "no field is left of the format \(format.rawValue), expected at least one"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .unknownField(_, let format), .noFields(let format):
      "choose among \(format.fieldNames.joined(separator: ", "))"
    }
  }

  /// The message and the remedy as one line.
  package var description: String { "\(message) (\(remedy))" }
}
