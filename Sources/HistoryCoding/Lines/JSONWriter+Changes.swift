import PersistentHistory
import StoreFormat

/// The parts that lines about changes have in common; each begins with a comma.
extension JSONWriter {
  /// Writes what a change did to which object, and what is known of it.
  ///
  /// - Parameter includesObject: Whether the object is also written as a person would write it.
  mutating func append(
    membersOf change: HistoryChange, _ text: EntityText?, includesObject: Bool = false
  ) {
    switch change.kind {
    case .insert: appendRaw(",\"kind\":\"insert\"")
    case .update: appendRaw(",\"kind\":\"update\"")
    case .delete: appendRaw(",\"kind\":\"delete\"")
    case nil: break
    }
    if let text { appendRaw(text.member) }
    if let primaryKey = change.primaryKey {
      appendRaw(",\"pk\":")
      appendInteger(primaryKey)
    }
    if includesObject { append(change.object) }
    if let mask = change.mask {
      if change.kind == .update, let text { append(attributesIn: mask, text) }
      append(columns: mask)
    }
    if !change.values.isEmpty {
      appendRaw(",\"values\":")
      appendRecordedValues(change.values)
    }
    if change.kind == .delete || !change.tombstone.isEmpty {
      append(tombstone: change.tombstone, change.kind == .delete ? text : nil)
    }
    if !change.extra.isEmpty { append(change.extra) }
  }

  /// Writes the object as `Trip/p12`, where its entity has a name.
  mutating func append(_ object: HistoryObject?) {
    guard let object else { return }
    appendRaw(",\"object\":")
    appendString(object.description)
  }

  /// Writes the properties that a mask marks, in slot order and each once; nothing where their names
  /// cannot be known.
  mutating func append(attributesIn mask: ColumnMask, _ text: EntityText) {
    guard text.tombstoneTypes != nil, mask.fits(slotCount: text.slotNames.count) else { return }
    appendRaw(",\"attributes\":")
    appendAttributeNames(in: mask, text)
  }

  /// Writes a mask as it is stored.
  mutating func append(columns mask: ColumnMask) {
    appendRaw(",\"columnsRaw\":")
    appendMask(mask)
  }

  /// Writes what a deleted object left behind: by attribute where the names are known, and as it is
  /// stored where that says more.
  mutating func append(tombstone: [StoredValue], _ text: EntityText?) {
    var isExact = false
    if let text, let types = text.tombstoneTypes {
      var isFirst = true
      appendRaw(",\"tombstone\":{")
      isExact = appendTombstoneMembers(tombstone, text, types, &isFirst)
      appendRaw("}")
    }
    guard !isExact, !tombstone.isEmpty else { return }
    appendRaw(",\"tombstoneRaw\":")
    appendStoredTombstone(tombstone)
  }

  /// Writes columns that the other members cannot say.
  mutating func append(_ extra: [ExtraColumn]) {
    appendRaw(",\"extra\":")
    appendExtraColumns(extra)
  }

  /// Writes a time for people, where it has a form for them, and the number that is stored.
  mutating func append(_ timestamp: StoreTimestamp, withStored: Bool) {
    // A time outside the years 1 to 9999 has no form for people.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoreTimestamp.iso8601ByteCount) {
      let count = timestamp.writeISO8601(into: $0)
      guard count > 0 else { return }
      appendRaw(",\"timestamp\":\"")
      appendRaw(UnsafeBufferPointer(rebasing: $0[..<count]))
      appendRaw("\"")
    }
    guard withStored else { return }
    appendRaw(",\"timestampRaw\":")
    append(raw: timestamp.secondsSinceReferenceDate)
  }

  /// Writes a text of a transaction under a key; nothing where there is none.
  mutating func append(_ key: StaticString, _ text: RecordedText?) {
    guard let text else { return }
    appendRaw(key)
    appendRecordedText(text)
  }

  /// Writes the line of a gap.
  mutating func append(line gap: HistoryGap) {
    appendRaw("{\"schema\":1,\"type\":\"gap\"")
    if let store = gap.store {
      appendRaw(",\"store\":")
      appendString(store)
    }
    appendRaw(",\"after\":")
    appendInteger(gap.after)
    if let oldest = gap.oldest {
      appendRaw(",\"oldest\":")
      appendInteger(oldest)
    }
    appendRaw("}\n")
  }
}
