/// The keys of all records: the one place that spells them.
///
/// Encoders write ``text``, the decoder recognizes it, and other reports with the same members use
/// ``name``.
package enum LineKey: Int, CaseIterable, Sendable {
  // The keys that the decoder reads come first; see LineMembers.
  case schema, type, store, transaction, timestamp, timestampRaw, author, bundle, process, context
  case queryGenerationRaw, extra, partial, changes
  case change, kind, entity, entityRaw, pk, attributes, columnsRaw, values, valuesFrom, tombstone,
    tombstoneRaw
  case after, oldest
  case old, new
  // Records of changes.
  case object, transactionExtra, current, currentRaw
  // Net changes and objects.
  case path, firstTransaction, lastTransaction, changeCount, columns, unexplained, derived
  case state, inserted, updated, deleted, updateCount, version
  case attribute, value
  // CloudEvents.
  case specversion, source, time, datacontenttype, dataschema, id, subject, sequence, data
  // Debezium.
  case before, op, milliseconds, history
  // Timesketch.
  case message, datetime, timestampDescription, dataType

  /// The texts by number, in memory that is never freed.
  nonisolated(unsafe) private static let texts = allCases.map { key in
    let bytes = Array("\"\(key.name)\":".utf8)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = buffer.initialize(from: bytes)
    return UnsafeBufferPointer(buffer)
  }

  /// The key.
  package var name: String {
    switch self {
    case .milliseconds: "ts_ms"
    case .timestampDescription: "timestamp_desc"
    case .dataType: "data_type"
    default: String(describing: self)
    }
  }

  /// The key in quotes, with its colon.
  @inline(__always)
  var text: UnsafeBufferPointer<UInt8> { Self.texts[rawValue] }
}

/// The keys that a record keeps.
struct FieldSelection: Sendable {
  // There are no more than 128 keys; a test counts them.
  private var bits: UInt128

  init(_ keys: [LineKey]) {
    bits = 0
    for key in keys { insert(key) }
  }

  /// Selects fields of a format by name; `nil` selects all.
  init(_ names: [String]?, of format: ExportFormat) throws(ExportFormatError) {
    self.init(format.fields)
    guard let names else { return }
    guard !names.isEmpty else { throw .noFields(format: format) }
    self.init([])
    for name in names {
      guard let field = format.fields.first(where: { $0.name == name }) else {
        throw .unknownField(name: name, format: format)
      }
      insert(field)
    }
  }

  /// Adds a key.
  mutating func insert(_ key: LineKey) {
    bits |= 1 << UInt128(key.rawValue)
    // Where values come from is no field of its own.
    if key == .values { insert(.valuesFrom) }
  }

  /// The same without a key.
  func without(_ key: LineKey) -> FieldSelection {
    var selection = self
    selection.bits &= ~(1 << UInt128(key.rawValue))
    return selection
  }

  /// Whether records keep a key.
  @inline(__always)
  func contains(_ key: LineKey) -> Bool { bits & (1 << UInt128(key.rawValue)) != 0 }
}
