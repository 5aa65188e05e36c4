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
  /// It cannot carry transactions without changes or query generations.
  case changes
  /// One CloudEvents 1.0 event per change; see ``CloudEventEncoder``.
  ///
  /// It has the same limits as ``changes``. Without a store identifier its events are unique
  /// only among themselves.
  case cloudevents
  /// One change event per change in Debezium's envelope; see ``DebeziumEncoder``.
  ///
  /// History has no values but those that deleted objects left, so without recorded values an event has the key
  /// of its object, the names of updated attributes, and no row. It cannot carry transactions without changes,
  /// changes of a kind that no framework writes, or query generations.
  case debezium
  /// A table with one row per change; see ``CSVEncoder``.
  ///
  /// It carries what ``changes`` does, but not the types of values: a text that looks like a
  /// number, a formula or a wrapped value cannot be distinguished from one.
  case csv
  /// One event of Timesketch per change; see ``TimesketchEncoder``.
  ///
  /// It carries what ``changes`` does, but the values of objects as strings.
  case timesketch
  /// One line of a body file per change, for `mactime`; see ``BodyFileEncoder``.
  ///
  /// It describes each change, its time and its author in words, without values.
  case bodyfile
  /// A database of SQLite, with tables of transactions and changes; see ``TableRowEncoder``.
  ///
  /// It carries all that ``jsonl`` does, but cannot be read back, and only a file can hold it.
  case sqlite

  /// The content of a file, for a program that does not know the format.
  package enum Content: Sendable {
    case jsonLines, text, database
  }

  /// The content of files in this format.
  package var content: Content {
    switch self {
    case .jsonl, .changes, .cloudevents, .debezium, .timesketch: .jsonLines
    case .csv, .bodyfile: .text
    case .sqlite: .database
    }
  }

  /// The default compression of files in a folder. A database is never compressed.
  package var usualCompression: ExportCompression { content == .database ? .none : .zstd }

  /// The end of names of files in this format, after a full stop.
  ///
  /// JSON lines that cannot be read back have the name of the format before `jsonl`.
  package var fileExtension: String {
    switch self {
    case .jsonl: "jsonl"
    case .csv: "csv"
    case .bodyfile: "body"
    case .sqlite: "sqlite"
    case .changes, .cloudevents, .debezium, .timesketch: "\(rawValue).jsonl"
    }
  }

  /// The field that holds the present values of objects, which a selection of fields must keep; `nil`
  /// if records have them with any selection.
  package var fieldOfPresentObjects: String? {
    switch self {
    case .jsonl: LineKey.changes.name
    case .cloudevents: LineKey.data.name
    case .debezium: LineKey.history.name
    case .changes, .timesketch, .csv, .bodyfile, .sqlite: nil
    }
  }

  /// Whether records have a place for the present values of objects.
  package var carriesPresentObjects: Bool { content == .jsonLines }

  /// The fields that a record can have, in the order in which they are written; none if they cannot be
  /// chosen.
  var fields: [LineKey] {
    switch self {
    case .jsonl: TransactionLineEncoder.fields
    case .changes: ChangeRecordEncoder.fields
    case .cloudevents: CloudEventEncoder.fields
    case .debezium: DebeziumEncoder.fields
    case .csv: CSVEncoder.fields
    case .timesketch: TimesketchEncoder.fields
    case .bodyfile, .sqlite: []
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
    if fields != nil, self.fields.isEmpty { throw .fixedFields(format: self) }
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
    case .timesketch: return try TimesketchEncoder(fields: fields)
    case .bodyfile: return BodyFileEncoder()
    case .sqlite: return TableRowEncoder()
    }
  }
}

/// Why records cannot be written with the requested fields.
package enum ExportFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The format has no field of this name.
  case unknownField(name: String, format: ExportFormat)
  /// The list of fields is empty.
  case noFields(format: ExportFormat)
  /// The fields of the format cannot be chosen.
  case fixedFields(format: ExportFormat)
  /// A text that is made of a value is longer than a limit, in bytes; without a change, a value of the
  /// transaction itself.
  case longText(transaction: Int64, change: Int64?, limit: Int)

  /// What is wrong.
  package var message: String {
    switch self {
    case .unknownField(let name, let format):
      "the format \(format.rawValue) has no field '\(name)'"
    case .noFields(let format):
      "no field is left of the format \(format.rawValue), expected at least one"
    case .fixedFields(let format): "the format \(format.rawValue) has fixed fields"
    case .longText(let transaction, let change, let limit):
      "transaction \(transaction)" + (change.map { ", change \($0)" } ?? "")
        + ": the text of a value would be longer than \(limit >> 20) MiB in this format"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .unknownField(_, let format), .noFields(let format):
      "choose among \(format.fieldNames.joined(separator: ", "))"
    case .fixedFields: "choose another format, or leave its fields as they are"
    case .longText: "export in the format jsonl, which has no such limit"
    }
  }

  /// The message and the remedy as one line.
  package var description: String { "\(message) (\(remedy))" }
}
