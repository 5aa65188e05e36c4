import PersistentHistory
import StoreFormat

/// Writes transactions as JSON lines, in pieces, so that even one with millions of changes takes no
/// more memory than a small one.
///
/// ```swift
/// var encoder = TransactionLineEncoder()
/// while let transaction = try reader.nextTransaction() {
///   encoder.begin(transaction)
///   while let change = try reader.nextChange() { encoder.append(change) }
///   encoder.end()
///   output.append(contentsOf: encoder.bytes)
///   encoder.removeAll()
/// }
/// ```
public struct TransactionLineEncoder: BufferedEncoder {
  /// The fields of a transaction, then those that only changes have, in order.
  static let fields =
    LineFields.keys(of: LineFields.ofTransactions, except: [.transactionExtra, .path])
    + LineFields.keys(of: LineFields.ofChanges, except: [.object, .valuesFrom, .extra])
  /// The fields of a whole line.
  fileprivate static let whole = FieldSelection(fields + [.path])

  /// The path of the store, written in lines if there are several stores.
  package var path: String?

  var writer = JSONWriter(capacity: 1 << 16)
  private let fields: FieldSelection
  private let changeFields: FieldSelection
  private let isPartial: Bool
  private let hasChanges: Bool
  private var texts = EntityTexts()
  private var plainChanges: [PlainChanges] = []
  /// The index in `plainChanges` of each entity number; -1 for one that was not needed yet.
  private var plainIndices: [Int] = []
  private var isFirstChange = true

  /// Creates an encoder with an empty buffer.
  public init() {
    fields = Self.whole
    changeFields = fields
    isPartial = false
    hasChanges = true
  }

  /// Creates an encoder of lines that keep only some fields.
  ///
  /// `schema`, `type`, `transaction` and `"partial":true` are in every line, so that
  /// ``TransactionLineDecoder`` rejects it. The array of changes is included if `changes` or a field
  /// that only changes have is selected; with such a field, changes keep only what was selected, else
  /// they are whole. `extra` is both a transaction's and a change's.
  ///
  /// - Parameter names: The fields.
  /// - Throws: ``ExportFormatError``.
  package init(fields names: [String]) throws(ExportFormatError) {
    var selection = try FieldSelection(names, of: .jsonl)
    let ofChanges = Self.fields.drop { $0 != .change }
    let selected = ofChanges.filter(selection.contains)
    hasChanges = selection.contains(.changes) || !selected.isEmpty
    var kept = FieldSelection(selected.isEmpty ? Array(ofChanges) : selected)
    if selected.isEmpty || selection.contains(.extra) { kept.insert(.extra) }
    for key in [LineKey.schema, .type, .transaction, .path, .partial] { selection.insert(key) }
    if hasChanges { selection.insert(.changes) }
    fields = selection
    changeFields = kept
    isPartial = true
  }

  /// The bytes written since the last ``removeAll()``, which may end within a line.
  public var bytes: ArraySlice<UInt8> { writer.bytes }

  /// Removes the written bytes.
  public mutating func removeAll() { writer.removeAll() }

  /// Writes a whole line.
  public mutating func encode(_ line: HistoryLine) {
    switch line {
    case .transaction(let transaction):
      begin(transaction)
      for change in transaction.changes { append(change) }
      end()
    case .gap(let gap):
      append(gap)
    }
  }

  /// Writes the line of a gap.
  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap, path: path) }

  /// Starts the line of a transaction, without its
  /// ``/PersistentHistory/HistoryTransaction/changes``.
  public mutating func begin(_ transaction: HistoryTransaction) {
    writer.appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    writer.append(
      LineFields.ofTransactions, of: transaction,
      (type: "\"transaction\"", path: path, isPartial: isPartial || transaction.isPartial), fields,
      &isFirst)
    isFirstChange = true
  }

  /// Adds a change to the line that was started.
  public mutating func append(_ change: HistoryChange) {
    if !isPartial, change.isPlain, let primaryKey = change.primaryKey, let kind = change.kind,
      let entity = change.entity, let number = entity.number,
      let index = plainIndex(number, entity),
      plainChanges[index].append(
        change.number, kind, primaryKey, change.mask?.shortKey, change.mask, isFirst: isFirstChange,
        to: &writer)
    {
      isFirstChange = false
    } else {
      append(change, present: nil)
    }
  }

  /// Adds a change with the present state of its object, which the decoder ignores.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    guard hasChanges else { return }
    if isFirstChange { isFirstChange = false } else { writer.appendRaw(UInt8(ascii: ",")) }
    writer.appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    writer.append(
      LineFields.ofChanges, of: change, change.entity.map { texts.text(for: $0) }, changeFields,
      &isFirst)
    if let present { writer.append(present, &isFirst) }
    writer.appendRaw(UInt8(ascii: "}"))
  }

  /// Whether lines have a place for the present state of objects.
  package var carriesPresentObjects: Bool { hasChanges }

  /// Adds the changes that a reader returns, without creating a value for most of them.
  ///
  /// All readers must be of the same store during the encoder's lifetime.
  package mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    if isPartial || reader.readsPresentObjects {
      return try appendChangesAndObjects(of: reader, byteLimit: byteLimit)
    }
    let rows = try reader.rows()
    while try reader.next(rows) {
      try append(rows, of: reader)
      if writer.count >= byteLimit { return false }
    }
    return true
  }

  /// Adds a change whose row a reader has lent.
  @inline(__always)
  package mutating func append(_ row: ChangeCursor, of reader: HistoryReader) throws {
    if reader.readsRecordedValues, case let found = try reader.recordedValues(of: row),
      !found.values.isEmpty
    {
      var change = reader.change(at: row)
      (change.values, change.valueSource) = found
      return append(change, present: nil)
    }
    if row.isPlain || row.lendsTombstone, let number = row.entityNumber,
      let primaryKey = row.primaryKey, let kind = row.kind,
      let index = plainIndex(number, nil, reader)
    {
      let isWritten =
        row.isPlain
        ? plainChanges[index].append(
          row.number, kind, primaryKey, row.maskKey, row.hasMask ? row.mask : nil,
          isFirst: isFirstChange, to: &writer)
        : plainChanges[index].appendTombstone(
          of: row, kind, primaryKey, isFirst: isFirstChange, to: &writer)
      if isWritten {
        isFirstChange = false
        return
      }
    }
    append(reader.change(at: row), present: nil)
  }

  /// Ends the line that was started.
  public mutating func end() {
    if hasChanges { writer.appendRaw("]}\n") } else { writer.appendRaw("}\n") }
  }

  /// The index of an entity's plain changes; `nil` for a number that models do not have.
  @inline(__always)
  private mutating func plainIndex(
    _ number: Int64, _ entity: HistoryEntity?, _ reader: HistoryReader? = nil
  ) -> Int? {
    guard number >= 0, number < 4096 else { return nil }
    let place = Int(truncatingIfNeeded: number)
    if place < plainIndices.count, plainIndices[place] >= 0 {
      let index = plainIndices[place]
      return entity == nil || plainChanges[index].text.entity === entity ? index : nil
    }
    guard let entity = entity ?? reader?.entity(number) else { return nil }
    while plainIndices.count <= place { plainIndices.append(-1) }
    plainIndices[place] = plainChanges.count
    plainChanges.append(PlainChanges(texts.text(for: entity)))
    return plainChanges.count - 1
  }
}

extension HistoryChange {
  /// Whether a change has nothing but number, kind, entity, primary key and mask.
  @inline(__always)
  fileprivate var isPlain: Bool { tombstone.isEmpty && extra.isEmpty && values.isEmpty }
}

/// Writes the plain changes of one entity: inserts, deletes that left nothing, and updates with one of
/// the few masks that an app's saves repeat. Such changes differ only in their two numbers, and the
/// text around these is created once.
private struct PlainChanges: Sendable {
  /// The maximum number of masks, more than one entity's saves have.
  private static let maxMasks = 4096

  /// The text around the two numbers of a change.
  private struct Pattern {
    let bytes: [UInt8]
    /// The number of bytes before the first number, after the comma between two changes.
    let first: Int
    /// The number of bytes before the second number.
    let second: Int

    /// - Parameter end: The member before which the text ends; `nil` for the end of the change.
    init(
      _ kind: ChangeKind, _ text: EntityText, _ mask: ColumnMask? = nil, before end: LineKey? = nil
    ) {
      let change = HistoryChange(
        number: 0, kind: kind, entity: text.entity, primaryKey: 0, mask: mask)
      var writer = JSONWriter()
      writer.appendRaw(",{")
      var isFirst = true
      var places: [Int] = []
      let fields = LineFields.ofChanges.filter { TransactionLineEncoder.whole.contains($0.key) }
      for field in fields.prefix(while: { $0.key != end }) {
        if field.key == .change || field.key == .pk {
          writer.append(field.key, &isFirst)
          places.append(writer.count)
        } else {
          field.write(&writer, field.key, change, text, &isFirst)
        }
      }
      if end == nil { writer.appendRaw(UInt8(ascii: "}")) }
      bytes = Array(writer.bytes)
      (first, second) = (places[0], places[1])
    }
  }

  let text: EntityText
  private let insert: Pattern
  private let delete: Pattern
  private let deleteWithTombstone: Pattern
  private var updates: [UInt64: Pattern] = [:]
  private var lastMask: UInt64?
  private var lastUpdate: Pattern

  init(_ text: EntityText) {
    self.text = text
    insert = Pattern(.insert, text)
    delete = Pattern(.delete, text)
    deleteWithTombstone = Pattern(.delete, text, before: .tombstone)
    lastUpdate = insert
  }

  /// Writes a change; returns `false` and writes nothing if it is not plain.
  @inline(__always)
  mutating func append(
    _ number: Int64, _ kind: ChangeKind, _ primaryKey: Int64, _ key: UInt64?,
    _ mask: @autoclosure () -> ColumnMask?, isFirst: Bool, to writer: inout JSONWriter
  ) -> Bool {
    switch kind {
    case .insert where mask() == nil: Self.write(number, primaryKey, insert, isFirst, to: &writer)
    case .delete where mask() == nil: Self.write(number, primaryKey, delete, isFirst, to: &writer)
    case .update:
      guard let key else { return false }
      if key != lastMask {
        guard let mask = mask() else { return false }
        lastUpdate = updates[key] ?? remember(mask, key)
        lastMask = key
      }
      Self.write(number, primaryKey, lastUpdate, isFirst, to: &writer)
    default: return false
    }
    return true
  }

  /// Writes a delete with the values that it left; returns `false` and writes nothing if they do not
  /// say everything.
  ///
  /// It is mutating only so that a call in place copies no element of an array.
  mutating func appendTombstone(
    of row: ChangeCursor, _ kind: ChangeKind, _ primaryKey: Int64, isFirst: Bool,
    to writer: inout JSONWriter
  ) -> Bool {
    guard kind == .delete, row.mask == nil, let types = text.tombstoneTypes else { return false }
    let start = writer.count
    Self.write(row.number, primaryKey, deleteWithTombstone, isFirst, to: &writer)
    writer.append(.tombstone)
    writer.appendRaw(UInt8(ascii: "{"))
    var next = 0
    let isExact = row.forEachTombstoneValue { slot, value in
      // Members come in the order of the slots.
      guard slot >= next, slot < types.count else { return false }
      if next > 0 { writer.appendRaw(UInt8(ascii: ",")) }
      next = slot + 1
      writer.appendRaw(text.tombstoneKeys[slot])
      return writer.append(value, of: types[slot])
    }
    if isExact { writer.appendRaw("}}") } else { writer.truncate(to: start) }
    return isExact
  }

  private mutating func remember(_ mask: ColumnMask, _ key: UInt64) -> Pattern {
    if updates.count >= Self.maxMasks { updates.removeAll(keepingCapacity: true) }
    let update = Pattern(.update, text, mask)
    updates[key] = update
    return update
  }

  @inline(__always)
  private static func write(
    _ number: Int64, _ primaryKey: Int64, _ pattern: Pattern, _ isFirst: Bool,
    to writer: inout JSONWriter
  ) {
    let capacity = pattern.bytes.count + 40
    writer.appendUninitialized(capacity: capacity) { buffer in
      var rest = UnsafeMutableBufferPointer(rebasing: buffer[...])
      pattern.bytes.withUnsafeBufferPointer { bytes in
        rest.put(UnsafeBufferPointer(rebasing: bytes[(isFirst ? 1 : 0)..<pattern.first]))
        rest.put(number)
        rest.put(UnsafeBufferPointer(rebasing: bytes[pattern.first..<pattern.second]))
        rest.put(primaryKey)
        rest.put(UnsafeBufferPointer(rebasing: bytes[pattern.second...]))
      }
      return capacity - rest.count
    }
  }
}

/// The rest of a buffer, which becomes shorter with everything that is written.
extension UnsafeMutableBufferPointer<UInt8> {
  @inline(__always)
  fileprivate mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    UnsafeMutableRawBufferPointer(self).copyMemory(from: UnsafeRawBufferPointer(bytes))
    self = UnsafeMutableBufferPointer(rebasing: self[bytes.count...])
  }

  @inline(__always)
  fileprivate mutating func put(_ number: Int64) {
    let count = JSONWriter.write(number, to: self)
    self = UnsafeMutableBufferPointer(rebasing: self[count...])
  }
}
