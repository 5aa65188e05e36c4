import PersistentHistory
import StoreFormat

/// Writes history as rows of tables, for a database.
///
/// The bytes are for ``TableRowReader`` in the same process, not for files. Values are those of SQLite
/// where it has them: a date is ISO 8601, a UUID a text, and an array or an object of several values in a
/// transaction's line is a text of that JSON. A text that is not clean UTF-8 or holds a NUL is the text
/// `{"$text":base64}`, because many programs that read databases fail at such texts.
///
/// A long value is lent to the reader instead of copied, if there is a drain: the drain takes the row before the
/// value is released. Long values that become texts of JSON or digits have a limit, because SQLite needs such
/// a text as a whole.
package struct TableRowEncoder: BufferedEncoder {
  static let integer: UInt8 = 1
  static let real: UInt8 = 2
  static let text: UInt8 = 3
  static let blob: UInt8 = 4
  static let lentText: UInt8 = 5
  static let lentBlob: UInt8 = 6
  /// The maximum length of a text that is made of a value, in bytes.
  static let maxText = 16 << 20
  /// The maximum number of shapes, more than one store's saves have.
  private static let maxShapes = 4096

  private struct ShapeKey: Hashable {
    let entity: ObjectIdentifier
    let mask: UInt64
  }

  var writer = JSONWriter(capacity: 1 << 16)
  private var json = JSONWriter(capacity: 1024)
  private var texts = EntityTexts()
  private var transactionNumber: Int64 = 0
  /// The number of the change that is being written; `nil` before the first one of a transaction.
  private var changeNumber: Int64?
  /// The values that are lent to the reader of the rows so far.
  private var lent: [StoredValue] = []
  /// The fields of entities and masks that updates repeat.
  private var shapes: [ShapeKey: (owner: EntityText, bytes: [UInt8])] = [:]

  /// Creates an encoder with an empty buffer.
  init() {}

  package mutating func begin(_ transaction: HistoryTransaction) {
    transactionNumber = transaction.number
    changeNumber = nil
    append(.transaction)
    append(transaction.number)
    append(transaction.store)
    append(transaction.timestamp?.iso8601())
    append(transaction.timestamp.map { StoredValue.real($0.secondsSinceReferenceDate) } ?? .null)
    append(transaction.author?.storedValue ?? .null)
    append(transaction.bundle?.storedValue ?? .null)
    append(transaction.process?.storedValue ?? .null)
    append(transaction.context?.storedValue ?? .null)
    append(transaction.queryGeneration.map(StoredValue.blob) ?? .null)
    append(extra: transaction.extra)
    append(transaction.isPartial ? 1 : nil)
    endRow()
  }

  package mutating func append(_ change: HistoryChange) {
    let entity = change.entity.map { texts.text(for: $0) }
    changeNumber = change.number
    append(.change)
    append(change.number)
    append(transactionNumber)
    append(change.kind?.name)
    appendShape(of: change, entity)
    append(change.primaryKey)
    let types = change.kind == .delete ? entity?.tombstoneTypes : nil
    if TypedValue.needsStoredForm(change.tombstone, types) {
      appendMadeText { $0.appendStoredTombstone(change.tombstone) }
    } else {
      appendNull()
    }
    append(extra: change.extra)
    endRow()
    for (attribute, value) in change.preservedValues ?? [] {
      append(.tombstone)
      append(change.number)
      append(nameOf: entity)
      append(attribute.name)
      append(value, of: attribute.type)
      endRow()
    }
    for value in change.values {
      append(.value)
      append(change.number)
      append(nameOf: entity)
      append(value, change.valueSource)
      endRow()
    }
  }

  package mutating func append(_ gap: HistoryGap) {
    append(.gap)
    append(gap.after)
    append(gap.store)
    append(gap.oldest)
  }

  // MARK: - Parts of rows

  /// Writes the fields that updates of the same attributes of an entity share.
  private mutating func appendShape(of change: HistoryChange, _ entity: EntityText?) {
    let key =
      change.kind == .update
      ? entity.flatMap { entity in
        change.mask?.shortKey.map { ShapeKey(entity: ObjectIdentifier(entity), mask: $0) }
      } : nil
    if let key, let shape = shapes[key] { return writer.appendRaw(shape.bytes) }
    let start = writer.count
    append(nameOf: entity)
    if let mask = change.mask {
      appendMadeText { json in
        mask.withBytes { json.appendDigits($0.bindMemory(to: UInt8.self)) }
      }
      if change.kind == .update, let entity, entity.names(mask) {
        appendMadeText { $0.appendAttributeNames(in: mask, entity) }
      } else {
        appendNull()
      }
    } else {
      appendNull()
      appendNull()
    }
    guard let key, let entity, entity.name != nil else { return }
    if shapes.count >= Self.maxShapes { shapes.removeAll(keepingCapacity: true) }
    // While the owner is kept, no other takes its place in memory.
    shapes[key] = (entity, Array(writer.bytes[start...]))
  }

  private mutating func append(nameOf entity: EntityText?) {
    if let name = entity?.nameUTF8 {
      name.withUnsafeBytes { append(Self.text, bytes: $0) }
    } else {
      appendNull()
    }
    append(entity?.number)
  }

  private mutating func append(_ value: RecordedValue, _ source: ValueSource) {
    append(value.name)
    append(value.kind.rawValue)
    append(source.rawValue)
    append(value.old == nil ? "new" : value.new == nil ? "old" : "both")
    append(value.old, value.kind)
    append(value.new, value.kind)
  }

  /// Writes a value, or a digest and the number of bytes that it stands for.
  private mutating func append(_ content: RecordedContent?, _ kind: RecordedValue.Kind) {
    switch content {
    case nil:
      appendNull()
      appendNull()
    case .value(.text) where kind.attributeType.hasTextForm:
      // It would look like a date or a UUID.
      appendMadeText { $0.append(content ?? .value(.null), kind) }
      appendNull()
    case .value(let value):
      append(value, of: kind.attributeType)
      appendNull()
    case .digest(let bytes, let byteCount):
      append(.blob(bytes))
      append(byteCount)
    }
  }

  // MARK: - Fields

  private mutating func append(_ row: TableRow) { writer.appendRaw(row.rawValue) }

  private mutating func appendNull() { writer.appendRaw(0) }

  /// Passes on the row if it has lent values.
  private mutating func endRow() {
    guard !lent.isEmpty else { return }
    writer.drainText()
    lent = []
  }

  private mutating func append(_ number: Int64?) {
    if let number { append(Self.integer, bits: number) } else { appendNull() }
  }

  private mutating func append(_ text: String?) {
    append(text.map(StoredValue.text) ?? .null)
  }

  private mutating func append(_ value: StoredValue) {
    let isLent = writer.drain != nil && value.isLong
    switch value {
    case .null: appendNull()
    case .integer(let number): append(Self.integer, bits: number)
    case .real(let number): append(Self.real, bits: number.bitPattern)
    case .text where isLent, .blob where isLent: append(lending: value)
    case .text(var text):
      text.withUTF8 { append(Self.text, bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let bytes): bytes.withUnsafeBytes { append(Self.blob, bytes: $0) }
    case .malformedText: appendMadeText { $0.append(raw: value) }
    }
  }

  /// Writes where the bytes of a long value are. They stay there while the value is kept: it is neither changed
  /// nor short enough to be within its variable.
  private mutating func append(lending value: StoredValue) {
    func place(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) {
      append(kind, bits: UInt(bitPattern: bytes.baseAddress))
      Swift.withUnsafeBytes(of: bytes.count) { writer.appendRaw($0.bindMemory(to: UInt8.self)) }
    }
    lent.append(value)
    switch value {
    case .text(var text): text.withUTF8 { place(Self.lentText, UnsafeRawBufferPointer($0)) }
    case .malformedText(let bytes): bytes.withUnsafeBytes { place(Self.lentText, $0) }
    case .blob(let bytes): bytes.withUnsafeBytes { place(Self.lentBlob, $0) }
    case .null, .integer, .real: appendNull()
    }
  }

  /// Writes a value in the form that its attribute's type suggests.
  private mutating func append(_ value: StoredValue, of type: AttributeType) {
    switch value.meaning(as: type) {
    case .time(let time):
      withUnsafeTemporaryAllocation(
        of: UInt8.self, capacity: StoreTimestamp.exactISO8601ByteCount
      ) { buffer in
        let count = time.writeExactISO8601(into: buffer)
        guard count > 0 else { return append(value) }
        append(
          Self.text, bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])))
      }
    case .uuid(let bytes): append(UUIDText.text(of: bytes))
    // SQLite has no other form of a boolean.
    case .boolean, .plain: append(value)
    }
  }

  private mutating func append(extra columns: [ExtraColumn]) {
    if columns.isEmpty { appendNull() } else { appendMadeText { $0.appendExtraColumns(columns) } }
  }

  /// Writes a text that is made of values, up to ``maxText``.
  private mutating func appendMadeText(_ write: (inout JSONWriter) -> Void) {
    json.removeAll()
    if let drain = writer.drain {
      let error = ExportFormatError.longText(
        transaction: transactionNumber, change: changeNumber, limit: Self.maxText)
      json.drain = TextDrain(capacity: Self.maxText) { _ in drain.fail(error) }
    }
    write(&json)
    json.drain = nil
    guard writer.drain != nil, json.count > TextDrain.longValue else {
      return json.withUnsafeBytes { append(Self.text, bytes: $0) }
    }
    let text = StoredValue.malformedText(Array(json.bytes))
    json.removeAll(keepingCapacity: false)
    append(lending: text)
  }

  private mutating func append(_ kind: UInt8, bits: some FixedWidthInteger) {
    writer.appendRaw(kind)
    Swift.withUnsafeBytes(of: bits) { writer.appendRaw($0.bindMemory(to: UInt8.self)) }
  }

  private mutating func append(_ kind: UInt8, bytes: UnsafeRawBufferPointer) {
    append(kind, bits: bytes.count)
    writer.appendRaw(bytes.bindMemory(to: UInt8.self))
  }
}
