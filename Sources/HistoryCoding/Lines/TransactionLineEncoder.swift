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
  static let fields: [LineKey] = [
    .schema, .type, .store, .transaction, .timestamp, .timestampRaw, .author, .bundle, .process,
    .context, .queryGenerationRaw, .extra, .partial, .changes, .change, .kind, .entity, .entityRaw,
    .pk, .attributes, .columnsRaw, .values, .tombstone, .tombstoneRaw,
  ]

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
    fields = FieldSelection(Self.fields)
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
    var kept = FieldSelection(selected.isEmpty ? Array(ofChanges) : Array(selected))
    if selected.isEmpty || selection.contains(.extra) { kept.insert(.extra) }
    for key in [LineKey.schema, .type, .transaction] { selection.insert(key) }
    fields = selection
    changeFields = kept
    isPartial = true
  }

  /// What has been written since the last ``removeAll()``; it need not end with a line.
  public var bytes: ArraySlice<UInt8> { writer.bytes }

  /// Removes what has been written.
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
  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap) }

  /// Starts the line of a transaction, without its
  /// ``/PersistentHistory/HistoryTransaction/changes``.
  public mutating func begin(_ transaction: HistoryTransaction) {
    writer.appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    writer.append(
      membersOf: transaction, type: "\"transaction\"", fields: fields, extraKey: .extra, &isFirst)
    if isPartial || transaction.isPartial {
      writer.append(.partial)
      writer.appendBoolean(true)
    }
    if hasChanges {
      writer.append(.changes)
      writer.appendRaw(UInt8(ascii: "["))
    }
    isFirstChange = true
  }

  /// Adds a change to the line that was started.
  public mutating func append(_ change: HistoryChange) {
    if !isPartial, change.isPlain, let primaryKey = change.primaryKey, let kind = change.kind,
      let entity = change.entity, let number = entity.number,
      let index = plainIndex(number, entity),
      plainChanges[index].append(
        change.number, kind, primaryKey, change.mask, isFirst: isFirstChange, to: &writer)
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
      membersOf: change, change.entity.map { texts.text(for: $0) }, fields: changeFields, &isFirst)
    if let present { writer.append(present, &isFirst) }
    writer.appendRaw(UInt8(ascii: "}"))
  }

  /// Whether lines have a place for the present state of objects.
  package var carriesPresentObjects: Bool { hasChanges }

  /// Adds the changes that a reader returns, without making a value of most.
  ///
  /// The reader must be of one store through all the encoder's life.
  package mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    if isPartial || reader.readsPresentObjects {
      return try appendChangesAndObjects(of: reader, byteLimit: byteLimit)
    }
    while let row = try reader.nextRow() {
      try append(row, of: reader)
      if writer.count >= byteLimit { return false }
    }
    return true
  }

  /// Adds a change whose row a reader has lent.
  @inline(__always)
  package mutating func append(_ row: ChangeCursor, of reader: HistoryReader) throws {
    if reader.readsRecordedValues, case let values = try reader.recordedValues(of: row),
      !values.isEmpty
    {
      var change = reader.change(at: row)
      change.values = values
      return append(change, present: nil)
    }
    if row.isPlain || row.lendsTombstone, let number = row.entityNumber,
      let primaryKey = row.primaryKey, let kind = row.kind,
      let index = plainIndex(number, nil, reader)
    {
      let isWritten =
        row.isPlain
        ? plainChanges[index].append(
          row.number, kind, primaryKey, row.mask, isFirst: isFirstChange, to: &writer)
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
  /// Whether number, kind, entity, primary key and mask say everything.
  @inline(__always)
  fileprivate var isPlain: Bool { tombstone.isEmpty && extra.isEmpty && values.isEmpty }
}

/// Writes the plain changes of one entity: inserts, deletes that left nothing, and updates with one of
/// the few masks that an app's saves write over and over. Such changes differ only in their two
/// numbers, and the text around those is made once.
private struct PlainChanges: Sendable {
  /// More masks than one entity's saves have.
  private static let maxMasks = 4096

  let text: EntityText
  private let endOfDelete: [UInt8]
  private var endsByMask: [UInt64: [UInt8]] = [:]
  private var lastMask: UInt64?
  private var lastEnd: [UInt8] = []

  init(_ text: EntityText) {
    self.text = text
    var writer = JSONWriter()
    if text.tombstoneTypes != nil {
      writer.append(.tombstone)
      writer.appendRaw("{}")
    }
    writer.appendRaw(UInt8(ascii: "}"))
    endOfDelete = Array(writer.bytes)
  }

  /// Writes a change; returns `false` and writes nothing if it is not plain.
  @inline(__always)
  mutating func append(
    _ number: Int64, _ kind: ChangeKind, _ primaryKey: Int64, _ mask: ColumnMask?, isFirst: Bool,
    to writer: inout JSONWriter
  ) -> Bool {
    switch kind {
    case .insert where mask == nil:
      write(number, text.middles[0], primaryKey, [UInt8(ascii: "}")], isFirst, to: &writer)
    case .delete where mask == nil:
      write(number, text.middles[2], primaryKey, endOfDelete, isFirst, to: &writer)
    case .update:
      guard let mask, let key = mask.shortKey else { return false }
      if key != lastMask {
        lastEnd = endsByMask[key] ?? remember(mask, key)
        lastMask = key
      }
      write(number, text.middles[1], primaryKey, lastEnd, isFirst, to: &writer)
    default: return false
    }
    return true
  }

  /// Writes a delete with the values that it left; returns `false` and writes nothing if they do not
  /// say everything.
  func appendTombstone(
    of row: ChangeCursor, _ kind: ChangeKind, _ primaryKey: Int64, isFirst: Bool,
    to writer: inout JSONWriter
  ) -> Bool {
    guard kind == .delete, row.mask == nil, let types = text.tombstoneTypes else { return false }
    let start = writer.count
    write(row.number, text.middles[2], primaryKey, [], isFirst, to: &writer)
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

  private mutating func remember(_ mask: ColumnMask, _ key: UInt64) -> [UInt8] {
    var writer = JSONWriter()
    if text.names(mask) {
      writer.append(.attributes)
      writer.appendAttributeNames(in: mask, text)
    }
    writer.append(.columnsRaw)
    writer.append(mask)
    writer.appendRaw(UInt8(ascii: "}"))
    if endsByMask.count >= Self.maxMasks { endsByMask.removeAll(keepingCapacity: true) }
    let end = Array(writer.bytes)
    endsByMask[key] = end
    return end
  }

  @inline(__always)
  private func write(
    _ number: Int64, _ middle: [UInt8], _ primaryKey: Int64, _ end: [UInt8], _ isFirst: Bool,
    to writer: inout JSONWriter
  ) {
    let key = LineKey.change.text
    let capacity = 2 + key.count + 20 + middle.count + 20 + end.count
    writer.appendUninitialized(capacity: capacity) { buffer in
      var count = 0
      func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[count...]))
          .copyMemory(from: bytes)
        count &+= bytes.count
      }
      func append(_ number: Int64) {
        count &+= JSONWriter.write(
          number, to: UnsafeMutableBufferPointer(rebasing: buffer[count...]))
      }
      if !isFirst {
        buffer[0] = UInt8(ascii: ",")
        count = 1
      }
      buffer[count] = UInt8(ascii: "{")
      count &+= 1
      append(UnsafeRawBufferPointer(key))
      append(number)
      middle.withUnsafeBytes { append($0) }
      append(primaryKey)
      end.withUnsafeBytes { append($0) }
      return count
    }
  }
}
