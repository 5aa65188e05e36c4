import PersistentHistory
import StoreFormat

/// Members of records; ``LineFields`` has their order.
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

  /// Writes a member with an integer; nothing for `nil`.
  @inline(__always)
  mutating func append(_ key: LineKey, integer value: Int64?, _ isFirst: inout Bool) {
    guard let value else { return }
    append(key, &isFirst)
    appendInteger(value)
  }

  /// Writes a member with a string; nothing for `nil`.
  @inline(__always)
  mutating func append(_ key: LineKey, string value: String?, _ isFirst: inout Bool) {
    guard let value else { return }
    append(key, &isFirst)
    appendString(value)
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

  /// Writes what a deleted object left, by attribute; nothing if the names are not known.
  mutating func append(
    _ key: LineKey, tombstone: [StoredValue], _ text: EntityText?, _ isFirst: inout Bool
  ) {
    guard let text, text.tombstoneTypes != nil else { return }
    append(key, &isFirst)
    appendRaw(UInt8(ascii: "{"))
    var isFirstValue = true
    appendTombstoneMembers(tombstone, text, &isFirstValue)
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes what a deleted object left as it is stored, if that says more than the values by attribute.
  mutating func append(
    _ key: LineKey, storedTombstone: [StoredValue], _ text: EntityText?, _ isFirst: inout Bool
  ) {
    guard TypedValue.needsStoredForm(storedTombstone, text?.tombstoneTypes) else { return }
    append(key, &isFirst)
    appendStoredTombstone(storedTombstone)
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

  /// Writes a member with columns that the other members cannot express; nothing without any.
  @inline(__always)
  mutating func append(_ key: LineKey, extra columns: [ExtraColumn], _ isFirst: inout Bool) {
    guard !columns.isEmpty else { return }
    append(key, &isFirst)
    appendExtraColumns(columns)
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
}
