import HistoryCoding
import StoreFormat

extension SegmentManifest {
  /// The manifest as a file: one object, with one line for each frame, count and entity.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write { bytes += $0 }
    return bytes
  }

  /// Whether a file is exactly what ``bytes`` would be. Compares piece by piece to save memory.
  func isWritten(as bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    var isSame = true
    write { piece in
      isSame = isSame && rest.starts(with: piece)
      rest = rest.dropFirst(piece.count)
    }
    return isSame && rest.isEmpty
  }

  private func write(to output: (ArraySlice<UInt8>) -> Void) {
    var writer = JSONWriter(capacity: 1 << 15)
    func flush(at size: Int = 0) {
      guard writer.count >= size else { return }
      output(writer.bytes)
      writer.removeAll()
    }
    func appendLines<Element>(
      _ elements: [Element], _ append: (inout JSONWriter, Element) -> Void
    ) {
      for (index, element) in elements.enumerated() {
        writer.appendRaw(index == 0 ? "\n" : ",\n")
        append(&writer, element)
        flush(at: 1 << 14)
      }
    }
    writer.appendRaw("{\"schema\":1,\"type\":\"manifest\",\"store\":")
    writer.appendString(store)
    writer.append(",\n\"first\":", first)
    writer.append(",\n\"last\":", last)
    writer.append(",\n\"after\":", after)
    writer.append(",\n\"next\":", next?.number)
    writer.append(",\n\"nextTimestampRaw\":", time: next?.timestamp)
    writer.append(",\n\"earliestRaw\":", time: earliest)
    writer.append(",\n\"latestRaw\":", time: latest)
    writer.append(",\n\"transactions\":", transactionCount)
    writer.appendRaw(",\n\"counts\":[")
    appendLines(counts) { $0.append(.object($1.json)) }
    writer.append("],\n\"textBytes\":", textByteCount)
    writer.append(",\n\"bytes\":", byteCount)
    writer.appendRaw(",\n\"sha256\":")
    writer.appendString(digest.description)
    writer.appendRaw(",\n\"frames\":[")
    appendLines(frames) { $0.append($1) }
    writer.appendRaw("],\n")
    writer.appendColumns(of: schema)
    appendLines(schema.entities) { $0.append(.object($1.json)) }
    writer.appendRaw("]}\n")
    flush()
  }
}

extension JSONWriter {
  /// Writes the members of a schema, without the brackets of an object.
  mutating func append(_ schema: SegmentSchema) {
    appendColumns(of: schema)
    for (index, entity) in schema.entities.enumerated() {
      appendRaw(index == 0 ? "\n" : ",\n")
      append(.object(entity.json))
    }
    appendRaw("]")
  }

  /// Writes the members of a schema up to the first entity.
  fileprivate mutating func appendColumns(of schema: SegmentSchema) {
    appendRaw("\"modelVersions\":")
    append(.array(schema.versionIdentifiers.map(JSONValue.string)))
    appendRaw(",\n\"transactionColumns\":")
    append(.array(schema.transactionColumns.map(JSONValue.string)))
    appendRaw(",\n\"changeColumns\":")
    append(.array(schema.changeColumns.map(JSONValue.string)))
    appendRaw(",\n\"entities\":[")
  }

  fileprivate mutating func append(_ key: StaticString, _ value: Int64?) {
    guard let value else { return }
    appendRaw(key)
    appendInteger(value)
  }

  fileprivate mutating func append(_ key: StaticString, time timestamp: StoreTimestamp?) {
    guard let timestamp else { return }
    appendRaw(key)
    append(raw: timestamp.secondsSinceReferenceDate)
  }

  fileprivate mutating func append(_ key: StaticString, _ position: TransactionPosition) {
    appendRaw(key)
    append("{\"transaction\":", position.number)
    if let text = position.timestamp?.iso8601() {
      appendRaw(",\"timestamp\":")
      appendString(text)
    }
    append(",\"timestampRaw\":", time: position.timestamp)
    appendRaw("}")
  }

  fileprivate mutating func append(_ frame: SegmentFrame) {
    append("{\"transaction\":", frame.transaction)
    append(",\"timestampRaw\":", time: frame.timestamp)
    append(",\"latestRaw\":", time: frame.latest)
    append(",\"transactions\":", Int64(frame.transactionCount))
    append(",\"offset\":", frame.offset)
    append(",\"bytes\":", Int64(frame.byteCount))
    append(",\"textBytes\":", Int64(frame.textByteCount))
    appendRaw("}")
  }
}

extension SegmentCount {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    if let entity { object["entity"] = .string(entity) }
    if let number { object["number"] = .integer(number) }
    object["inserts"] = .integer(counts.inserts)
    object["updates"] = .integer(counts.updates)
    object["deletes"] = .integer(counts.deletes)
    if counts.others != 0 { object["others"] = .integer(counts.others) }
    return object
  }
}

extension SegmentSchema.Entity {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    if let name { object["entity"] = .string(name) }
    object["number"] = .integer(number)
    if let slots {
      object["slots"] = .array(
        slots.map { .array([.string($0.name), .string($0.role.rawValue)]) })
    }
    if let tombstone {
      object["tombstone"] = .array(
        tombstone.map { .array([.string($0.name), .integer($0.type.number)]) })
    }
    return object
  }
}
