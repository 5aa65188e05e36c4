import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// History in one of the formats, and the programs that check it.
enum Envelopes {
  /// The formats of one record per change.
  static let formats = ExportFormat.allCases.filter { $0 != .jsonl && $0.content != .database }

  /// The formats whose fields can be chosen.
  static let formatsOfFields = ExportFormat.allCases.filter { !$0.fieldNames.isEmpty }

  /// What an encoder writes for transactions, with its prologue unless told otherwise.
  static func bytes(
    _ format: ExportFormat, _ transactions: some Sequence<HistoryTransaction>,
    fields: [String]? = nil, hasPrologue: Bool = true
  ) throws -> [UInt8] {
    var encoder = try format.encoder(fields: fields)
    var bytes = hasPrologue ? encoder.prologue : []
    for transaction in transactions {
      encoder.begin(transaction)
      for change in transaction.changes { encoder.append(change) }
      encoder.end()
      #expect(encoder.withUnsafeBytes(\.count) == encoder.byteCount)
      encoder.withUnsafeBytes { bytes += $0 }
      encoder.removeAll()
    }
    return bytes
  }

  /// The same as text.
  static func text(
    _ format: ExportFormat, _ transactions: some Sequence<HistoryTransaction>,
    fields: [String]? = nil, hasPrologue: Bool = true
  ) throws -> String {
    try #require(
      String(
        validating: bytes(format, transactions, fields: fields, hasPrologue: hasPrologue),
        as: UTF8.self))
  }

  /// What an independent reader of a store finds wrong with its export.
  static func problems(
    _ format: ExportFormat, _ lines: StoreLines, store: String, in folder: TemporaryFolder
  ) async throws -> String {
    let file = folder.file("lines.jsonl")
    try FileBytes.write(Array(lines.lines.joined()), to: file)
    let tool = SchemaTool.path.replacing("validate_lines.py", with: "compare_envelopes.py")
    let result = try await #require(Tool("python3")).run(
      [tool, format.rawValue, store, file], input: text(format, lines.transactions))
    return result.status == 0 ? "" : result.text + result.errors
  }

  /// A trip and what it leaves behind.
  static let trip = HistoryEntity(
    name: "Trip", number: 5, slots: TripsModel.slots["Trip"])

  /// A transaction with a change of each kind.
  static let transaction = HistoryTransaction(
    store: "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F", number: 5,
    timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_557.824189), author: "widget",
    bundle: "com.example.Trips", process: "Trips", queryGeneration: [1, 2],
    changes: [
      HistoryChange(number: 8, kind: .insert, entity: trip, primaryKey: 1),
      HistoryChange(
        number: 9, kind: .update, entity: trip, primaryKey: 1, mask: ColumnMask([0x0c, 0])),
      HistoryChange(
        number: 10, kind: .delete, entity: trip, primaryKey: 2,
        tombstone: [.null, .integer(1), .text("Rome")]),
    ])

  /// A code point that stands for no character, which a literal may not have, and others.
  static let strange = String(decoding: [0xef, 0xb7, 0x90] as [UInt8], as: UTF8.self) + ",\u{85}é"

  /// A transaction in which nothing is as it should be.
  static let hostile = HistoryTransaction(
    store: nil, number: -3, timestamp: StoreTimestamp(secondsSinceReferenceDate: .infinity),
    author: RecordedText(malformedBytes: [0xff]), bundle: "", process: "=1+1, \"a\"\r\n",
    context: "a\0b", extra: [ExtraColumn(column: "Z_OPT", value: .integer(3))],
    changes: [
      HistoryChange(
        number: .min, kind: nil, entity: nil, primaryKey: nil, tombstone: [.real(-0.0)],
        extra: [ExtraColumn(column: "ZCHANGETYPE", value: .integer(7))]),
      HistoryChange(
        number: 2, kind: .delete, entity: HistoryEntity(name: nil, number: 99), primaryKey: 4,
        mask: ColumnMask([]), tombstone: [.text("x")]),
      HistoryChange(
        number: 3, kind: .update, entity: HistoryEntity(name: "T%\u{1}" + strange),
        primaryKey: -7, mask: ColumnMask([0xff])),
      HistoryChange(
        number: 4, kind: .delete, entity: trip, primaryKey: nil,
        tombstone: [.null, .null, .null, .null, .text("2024-07-29T00:42:37Z")]),
    ])
}
