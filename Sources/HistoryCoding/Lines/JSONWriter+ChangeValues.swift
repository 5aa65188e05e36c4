import PersistentHistory
import StoreFormat

/// The values of records, each without its key, so that a record can have it under any.
extension JSONWriter {
  /// Writes a key with its colon, and a comma before it unless it is the first of its object.
  @inline(__always)
  mutating func appendKey(_ key: StaticString, _ isFirst: inout Bool) {
    if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
    appendRaw(key)
  }

  /// Writes a text of a transaction: a string, or its bytes where it is malformed.
  mutating func appendRecordedText(_ text: RecordedText) {
    if text.malformedBytes == nil {
      appendString(text.string)
    } else {
      append(raw: text.storedValue)
    }
  }

  /// Writes a time for people; nothing, and false, where it has no such form.
  mutating func appendTime(_ timestamp: StoreTimestamp) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoreTimestamp.iso8601ByteCount) {
      let count = timestamp.writeISO8601(into: $0)
      guard count > 0 else { return false }
      appendRaw(UInt8(ascii: "\""))
      appendRaw(UnsafeBufferPointer(rebasing: $0[..<count]))
      appendRaw(UInt8(ascii: "\""))
      return true
    }
  }

  /// Writes a kind as a string.
  @inline(__always)
  mutating func appendKind(_ kind: ChangeKind) {
    switch kind {
    case .insert: appendRaw("\"insert\"")
    case .update: appendRaw("\"update\"")
    case .delete: appendRaw("\"delete\"")
    }
  }

  /// Writes an object as `"Trip/p12"`, given its beginning.
  mutating func appendObject(_ start: [UInt8], _ primaryKey: Int64) {
    appendRaw(start)
    appendInteger(primaryKey)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes the names of the properties that an update touched, in slot order and each once.
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

  /// Writes a mask as hexadecimal digits.
  mutating func appendMask(_ mask: ColumnMask) {
    mask.withBytes { appendHexadecimal($0.bindMemory(to: UInt8.self)) }
  }

  /// Writes the members of a tombstone that have a name and a value, by the types of their
  /// attributes; false where they do not give the stored values back exactly.
  mutating func appendTombstoneMembers(
    _ values: [StoredValue], _ text: EntityText, _ types: [AttributeType], _ isFirst: inout Bool
  ) -> Bool {
    var isExact = values.count <= types.count
    for (index, value) in values.prefix(types.count).enumerated() where !value.isNull {
      if isFirst { isFirst = false } else { appendRaw(UInt8(ascii: ",")) }
      appendRaw(text.tombstoneKeys[index])
      if !TombstoneCoding.append(value, of: types[index], to: &self) { isExact = false }
    }
    return isExact
  }

  /// Writes the values of a tombstone by slot, as they are stored.
  mutating func appendStoredTombstone(_ values: [StoredValue]) {
    appendRaw(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { appendRaw(UInt8(ascii: ",")) }
      append(raw: value)
    }
    appendRaw(UInt8(ascii: "]"))
  }

  /// Writes columns that the other members cannot say.
  mutating func appendExtraColumns(_ columns: [ExtraColumn]) {
    appendRaw(UInt8(ascii: "{"))
    for (index, column) in columns.enumerated() {
      if index > 0 { appendRaw(UInt8(ascii: ",")) }
      appendString(column.column)
      appendRaw(UInt8(ascii: ":"))
      append(raw: column.value)
    }
    appendRaw(UInt8(ascii: "}"))
  }
}

extension HistoryChange {
  /// The mask, where it is that of an update and fits the entity's slots, so that names can be told.
  @inline(__always)
  func namedMask(_ text: EntityText?) -> ColumnMask? {
    guard kind == .update, let mask, let text, text.tombstoneTypes != nil,
      mask.fits(slotCount: text.slotNames.count)
    else { return nil }
    return mask
  }

  /// The types of the attributes whose values the tombstone holds, where they can be told.
  @inline(__always)
  func tombstoneTypes(_ text: EntityText?) -> [AttributeType]? {
    kind == .delete ? text?.tombstoneTypes : nil
  }
}
