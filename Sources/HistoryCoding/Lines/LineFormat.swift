import PersistentHistory
import StoreFormat

/// The members of records, each written in one place for all formats.
///
/// `isFirst` says whether the object that is being written has no member yet, and is updated.
extension JSONWriter {
  /// Writes a comma and a key.
  @inline(__always)
  mutating func append(_ key: LineKey) {
    appendRaw(UInt8(ascii: ","))
    appendRaw(key.text)
  }

  /// Writes a key, after a comma unless it is the first of its object.
  @inline(__always)
  mutating func append(_ key: LineKey, _ isFirst: inout Bool) {
    if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
    appendRaw(key.text)
  }

  /// Writes the name of a member that comes from the record's data.
  mutating func appendName(_ name: String, _ isFirst: inout Bool) {
    if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
    appendString(name)
    appendRaw(UInt8(ascii: ":"))
  }

  // MARK: - Transactions

  /// Writes the members of a transaction, without its changes.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - extraKey: The key of columns that the other members cannot express.
  mutating func append(
    membersOf transaction: HistoryTransaction, type: StaticString, fields: FieldSelection,
    extraKey: LineKey, _ isFirst: inout Bool
  ) {
    if fields.contains(.schema) {
      append(.schema, &isFirst)
      appendInteger(HistoryLine.schema)
    }
    if fields.contains(.type) {
      append(.type, &isFirst)
      appendRaw(type)
    }
    if fields.contains(.store), let store = transaction.store {
      append(.store, &isFirst)
      appendString(store)
    }
    if fields.contains(.transaction) {
      append(.transaction, &isFirst)
      appendInteger(transaction.number)
    }
    if let timestamp = transaction.timestamp {
      if fields.contains(.timestamp) { append(.timestamp, timestamp, &isFirst) }
      if fields.contains(.timestampRaw) {
        append(.timestampRaw, &isFirst)
        append(raw: timestamp.secondsSinceReferenceDate)
      }
    }
    if fields.contains(.author) { append(.author, transaction.author, &isFirst) }
    if fields.contains(.bundle) { append(.bundle, transaction.bundle, &isFirst) }
    if fields.contains(.process) { append(.process, transaction.process, &isFirst) }
    if fields.contains(.context) { append(.context, transaction.context, &isFirst) }
    if fields.contains(.queryGenerationRaw), let bytes = transaction.queryGeneration {
      append(.queryGenerationRaw, &isFirst)
      append(raw: .blob(bytes))
    }
    if fields.contains(extraKey), !transaction.extra.isEmpty {
      append(extraKey, &isFirst)
      appendExtraColumns(transaction.extra)
    }
  }

  /// Writes a time in ISO 8601; nothing for one outside the years 1 to 9999.
  mutating func append(_ key: LineKey, _ timestamp: StoreTimestamp, _ isFirst: inout Bool) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoreTimestamp.iso8601ByteCount) {
      let count = timestamp.writeISO8601(into: $0)
      guard count > 0 else { return }
      append(key, &isFirst)
      appendRaw(UInt8(ascii: "\""))
      appendRaw(UnsafeBufferPointer(rebasing: $0[..<count]))
      appendRaw(UInt8(ascii: "\""))
    }
  }

  /// Writes a text of a transaction: a string, or its bytes if it is malformed.
  mutating func append(_ key: LineKey, _ text: RecordedText?, _ isFirst: inout Bool) {
    guard let text else { return }
    append(key, &isFirst)
    if text.malformedBytes == nil {
      appendString(text.string)
    } else {
      append(raw: text.storedValue)
    }
  }

  // MARK: - Changes

  /// Writes the members of a change.
  mutating func append(
    membersOf change: HistoryChange, _ text: EntityText?, fields: FieldSelection,
    _ isFirst: inout Bool
  ) {
    if fields.contains(.change) {
      append(.change, &isFirst)
      appendInteger(change.number)
    }
    if fields.contains(.kind), let kind = change.kind {
      append(.kind, &isFirst)
      append(kind)
    }
    if fields.contains(.entity), let name = text?.name {
      append(.entity, &isFirst)
      appendRaw(name)
    }
    if fields.contains(.entityRaw), let number = text?.number {
      append(.entityRaw, &isFirst)
      appendInteger(number)
    }
    if let primaryKey = change.primaryKey {
      if fields.contains(.pk) {
        append(.pk, &isFirst)
        appendInteger(primaryKey)
      }
      if fields.contains(.object), let start = text?.objectStart {
        append(.object, &isFirst)
        append(objectStart: start, primaryKey)
      }
    }
    if let mask = change.mask {
      if fields.contains(.attributes), change.kind == .update, let text, text.names(mask) {
        append(.attributes, &isFirst)
        appendAttributeNames(in: mask, text)
      }
      if fields.contains(.columnsRaw) {
        append(.columnsRaw, &isFirst)
        append(mask)
      }
    }
    append(valuesOf: change, text, fields: fields, &isFirst)
  }

  /// Writes the values that a change set, preserved or is not expected to have.
  private mutating func append(
    valuesOf change: HistoryChange, _ text: EntityText?, fields: FieldSelection,
    _ isFirst: inout Bool
  ) {
    if fields.contains(.values), !change.values.isEmpty {
      append(.values, &isFirst)
      appendRecordedValues(change.values)
      if change.valueSource != .program {
        append(.valuesFrom)
        appendString(change.valueSource.rawValue)
      }
    }
    if change.kind == .delete || !change.tombstone.isEmpty {
      append(
        tombstone: change.tombstone, change.kind == .delete ? text : nil, fields: fields, &isFirst)
    }
    if fields.contains(.extra), !change.extra.isEmpty {
      append(.extra, &isFirst)
      appendExtraColumns(change.extra)
    }
  }

  @inline(__always)
  mutating func append(_ kind: ChangeKind) {
    switch kind {
    case .insert: appendRaw("\"insert\"")
    case .update: appendRaw("\"update\"")
    case .delete: appendRaw("\"delete\"")
    }
  }

  /// Writes an object as `"Trip/p12"`, given the text before its primary key.
  mutating func append(objectStart: [UInt8], _ primaryKey: Int64) {
    appendRaw(objectStart)
    appendInteger(primaryKey)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes the names of the properties in a mask, in slot order and each once.
  mutating func appendAttributeNames(in mask: ColumnMask, _ text: EntityText) {
    appendRaw(UInt8(ascii: "["))
    var isFirst = true
    mask.forEachSetSlot { slot in
      var previous = text.previousSlots[slot]
      while let earlier = previous {
        if mask.contains(earlier) { return }
        previous = text.previousSlots[earlier]
      }
      if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
      appendRaw(text.slotNames[slot])
    }
    appendRaw(UInt8(ascii: "]"))
  }

  mutating func append(_ mask: ColumnMask) {
    mask.withBytes { appendHexadecimal($0.bindMemory(to: UInt8.self)) }
  }

  /// Writes what a deleted object left: by attribute if the names are known, and as it is stored if
  /// that says more.
  mutating func append(
    tombstone: [StoredValue], _ text: EntityText?, fields: FieldSelection = .all,
    _ isFirst: inout Bool
  ) {
    let types = text?.tombstoneTypes
    if fields.contains(.tombstone), let text, types != nil {
      append(.tombstone, &isFirst)
      appendRaw(UInt8(ascii: "{"))
      var isFirstValue = true
      appendTombstoneMembers(tombstone, text, &isFirstValue)
      appendRaw(UInt8(ascii: "}"))
    }
    guard fields.contains(.tombstoneRaw), TypedValue.needsStoredForm(tombstone, types) else {
      return
    }
    append(.tombstoneRaw, &isFirst)
    appendStoredTombstone(tombstone)
  }

  /// Writes the values of a tombstone as they are stored, by slot.
  mutating func appendStoredTombstone(_ values: [StoredValue]) {
    appendRaw(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { appendRaw(UInt8(ascii: ",")) }
      append(raw: value)
    }
    appendRaw(UInt8(ascii: "]"))
  }

  /// Writes the values of a tombstone that have a name, by the types of their attributes.
  mutating func appendTombstoneMembers(
    _ values: [StoredValue], _ text: EntityText, _ isFirst: inout Bool
  ) {
    for (index, type) in (text.tombstoneTypes ?? []).prefix(values.count).enumerated()
    where !values[index].isNull {
      if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
      appendRaw(text.tombstoneKeys[index])
      append(values[index], of: type)
    }
  }

  /// Writes columns that the other members cannot express.
  mutating func appendExtraColumns(_ columns: [ExtraColumn]) {
    appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    for column in columns {
      appendName(column.column, &isFirst)
      append(raw: column.value)
    }
    appendRaw(UInt8(ascii: "}"))
  }

  // MARK: - Other lines

  /// Writes the beginning of a line that is not a transaction's.
  mutating func begin(line type: StaticString) {
    appendRaw(UInt8(ascii: "{"))
    appendRaw(LineKey.schema.text)
    appendInteger(HistoryLine.schema)
    append(.type)
    appendRaw(type)
  }

  /// Writes the line of a gap.
  mutating func append(line gap: HistoryGap, path: String? = nil) {
    begin(line: "\"gap\"")
    if let path {
      append(.path)
      appendString(path)
    }
    if let store = gap.store {
      append(.store)
      appendString(store)
    }
    append(.after)
    appendInteger(gap.after)
    if let oldest = gap.oldest {
      append(.oldest)
      appendInteger(oldest)
    }
    appendRaw("}\n")
  }
}
