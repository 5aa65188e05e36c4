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
public struct TransactionLineEncoder: HistoryEncoder {
  private var writer = JSONWriter(capacity: 1 << 16)
  private var texts: [ObjectIdentifier: (entity: HistoryEntity, text: EntityText)] = [:]
  private var lastText: (entity: HistoryEntity, text: EntityText)?
  private var isFirstChange = true

  /// More entities than stores have; see ``entityText(for:)``.
  private static let mostTexts = 10_000

  /// An encoder with an empty buffer.
  public init() {}

  /// What has been written since the last ``removeAll()``; it need not end with a line.
  public var bytes: ArraySlice<UInt8> { writer.bytes }

  /// How many bytes have been written since the last ``removeAll()``.
  public var byteCount: Int { writer.count }

  /// Lends what has been written.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Forgets what has been written, for the caller has put it elsewhere.
  public mutating func removeAll() { writer.removeAll() }

  /// Writes a whole line.
  public mutating func encode(_ line: HistoryLine) {
    switch line {
    case .transaction(let transaction):
      begin(transaction)
      for change in transaction.changes { append(change) }
      end()
    case .gap(let gap):
      encode(gap)
    }
  }

  /// Starts the line of a transaction; its ``PersistentHistory/HistoryTransaction/changes`` are not
  /// looked at.
  public mutating func begin(_ transaction: HistoryTransaction) {
    writer.appendRaw("{\"schema\":1,\"type\":\"transaction\"")
    if let store = transaction.store {
      writer.appendRaw(",\"store\":")
      writer.appendString(store)
    }
    writer.appendRaw(",\"transaction\":")
    writer.appendInteger(transaction.number)
    if let timestamp = transaction.timestamp { append(timestamp) }
    append(",\"author\":", transaction.author)
    append(",\"bundle\":", transaction.bundle)
    append(",\"process\":", transaction.process)
    append(",\"context\":", transaction.context)
    if let bytes = transaction.queryGeneration {
      writer.appendRaw(",\"queryGenerationRaw\":")
      writer.append(blob: bytes)
    }
    if !transaction.extra.isEmpty { append(transaction.extra) }
    if transaction.isPartial { writer.appendRaw(",\"partial\":true") }
    writer.appendRaw(",\"changes\":[")
    isFirstChange = true
  }

  /// Adds a change to the line that was started.
  public mutating func append(_ change: HistoryChange) {
    if isFirstChange {
      isFirstChange = false
      writer.appendRaw("{\"change\":")
    } else {
      writer.appendRaw(",{\"change\":")
    }
    writer.appendInteger(change.number)
    switch change.kind {
    case .insert: writer.appendRaw(",\"kind\":\"insert\"")
    case .update: writer.appendRaw(",\"kind\":\"update\"")
    case .delete: writer.appendRaw(",\"kind\":\"delete\"")
    case nil: break
    }
    let text = change.entity.map { entityText(for: $0) }
    if let text { writer.appendRaw(text.member) }
    if let primaryKey = change.primaryKey {
      writer.appendRaw(",\"pk\":")
      writer.appendInteger(primaryKey)
    }
    if let mask = change.mask {
      if change.kind == .update, let text, text.tombstoneTypes != nil,
        mask.fits(slotCount: text.slotNames.count)
      {
        append(mask, text)
      }
      writer.appendRaw(",\"columnsRaw\":")
      mask.withBytes { writer.appendHexadecimal($0.bindMemory(to: UInt8.self)) }
    }
    if change.kind == .delete || !change.tombstone.isEmpty { appendTombstone(of: change, text) }
    if !change.extra.isEmpty { append(change.extra) }
    writer.appendRaw("}")
  }

  /// Ends the line that was started.
  public mutating func end() { writer.appendRaw("]}\n") }

  // MARK: - Parts of a line

  private mutating func encode(_ gap: HistoryGap) {
    writer.appendRaw("{\"schema\":1,\"type\":\"gap\"")
    if let store = gap.store {
      writer.appendRaw(",\"store\":")
      writer.appendString(store)
    }
    writer.appendRaw(",\"after\":")
    writer.appendInteger(gap.after)
    if let oldest = gap.oldest {
      writer.appendRaw(",\"oldest\":")
      writer.appendInteger(oldest)
    }
    writer.appendRaw("}\n")
  }

  private mutating func append(_ timestamp: StoreTimestamp) {
    // A time outside the years 1 to 9999 has no form for people.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoreTimestamp.iso8601ByteCount) {
      let count = timestamp.writeISO8601(into: $0)
      guard count > 0 else { return }
      writer.appendRaw(",\"timestamp\":\"")
      writer.appendRaw(UnsafeBufferPointer(rebasing: $0[..<count]))
      writer.appendRaw("\"")
    }
    writer.appendRaw(",\"timestampRaw\":")
    writer.append(raw: timestamp.secondsSinceReferenceDate)
  }

  private mutating func append(_ key: StaticString, _ text: RecordedText?) {
    guard let text else { return }
    writer.appendRaw(key)
    if text.malformedBytes == nil {
      writer.appendString(text.string)
    } else {
      writer.append(raw: text.storedValue)
    }
  }

  private mutating func append(_ extra: [ExtraColumn]) {
    writer.appendRaw(",\"extra\":{")
    for (index, column) in extra.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.appendString(column.column)
      writer.appendRaw(":")
      writer.append(raw: column.value)
    }
    writer.appendRaw("}")
  }

  private mutating func append(_ mask: ColumnMask, _ text: EntityText) {
    writer.appendRaw(",\"attributes\":[")
    var isFirst = true
    mask.forEachSetSlot { slot in
      var previous = text.previousSlots[slot]
      while let earlier = previous {
        if mask.contains(earlier) { return }
        previous = text.previousSlots[earlier]
      }
      if !isFirst { writer.appendRaw(",") }
      isFirst = false
      writer.appendRaw(text.slotNames[slot])
    }
    writer.appendRaw("]")
  }

  private mutating func appendTombstone(of change: HistoryChange, _ text: EntityText?) {
    var isExact = false
    if change.kind == .delete, let text, let types = text.tombstoneTypes {
      isExact = change.tombstone.count <= types.count
      writer.appendRaw(",\"tombstone\":{")
      var isFirst = true
      for (index, value) in change.tombstone.prefix(types.count).enumerated()
      where !value.isNull {
        if !isFirst { writer.appendRaw(",") }
        isFirst = false
        writer.appendRaw(text.tombstoneKeys[index])
        if !TombstoneCoding.append(value, of: types[index], to: &writer) {
          isExact = false
        }
      }
      writer.appendRaw("}")
    }
    guard !isExact, !change.tombstone.isEmpty else { return }
    writer.appendRaw(",\"tombstoneRaw\":[")
    for (index, value) in change.tombstone.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.append(raw: value)
    }
    writer.appendRaw("]")
  }

  /// The entity's texts; those of the last entity and of every named one are kept.
  private mutating func entityText(for entity: HistoryEntity) -> EntityText {
    if let lastText, lastText.entity === entity { return lastText.text }
    let known = texts[ObjectIdentifier(entity)]?.text
    let text = known ?? EntityText(entity)
    // An entity without a name is made anew for each change, and so is, by the decoder, one that its
    // schema does not know; keeping all of those would fill memory.
    if known == nil, entity.name != nil {
      if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
      texts[ObjectIdentifier(entity)] = (entity, text)
    }
    lastText = (entity, text)
    return text
  }
}
