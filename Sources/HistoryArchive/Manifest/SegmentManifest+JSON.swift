import HistoryCoding
import StoreFormat

extension SegmentManifest {
  /// The manifest as it is written: one object, with a line for each frame and each entity.
  package var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 1 << 15)
    writer.appendRaw("{\"schema\":1,\"type\":\"manifest\",\"store\":")
    writer.appendString(store)
    writer.append(",\n\"first\":", first)
    writer.append(",\n\"last\":", last)
    if let after {
      writer.appendRaw(",\n\"after\":")
      writer.appendInteger(after)
    }
    if let next {
      writer.appendRaw(",\n\"next\":")
      writer.appendInteger(next.number)
      writer.append(",\n\"nextTimestampRaw\":", time: next.timestamp)
    }
    writer.append(",\n\"earliestRaw\":", time: earliest)
    writer.append(",\n\"latestRaw\":", time: latest)
    writer.appendRaw(",\n\"transactions\":")
    writer.appendInteger(transactionCount)
    writer.appendRaw(",\n\"counts\":[")
    for (index, count) in counts.enumerated() {
      writer.appendRaw(index == 0 ? "\n" : ",\n")
      writer.append(.object(count.json))
    }
    writer.appendRaw("],\n\"textBytes\":")
    writer.appendInteger(textByteCount)
    writer.appendRaw(",\n\"bytes\":")
    writer.appendInteger(byteCount)
    writer.appendRaw(",\n\"sha256\":")
    writer.appendString(digest.description)
    writer.appendRaw(",\n\"frames\":[")
    for (index, frame) in frames.enumerated() {
      writer.appendRaw(index == 0 ? "\n" : ",\n")
      writer.append(frame)
    }
    writer.appendRaw("],\n")
    writer.append(schema)
    writer.appendRaw("}\n")
    return Array(writer.bytes)
  }

  /// Reads a manifest and checks that it does not contradict itself.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - path: Where it comes from, for messages.
  /// - Throws: ``ArchiveError/damaged(path:place:detail:)`` or
  ///   ``ArchiveError/unknownFormat(path:schema:)``.
  package init(_ bytes: [UInt8], path: String) throws(ArchiveError) {
    let json: JSONValue
    do {
      json = try JSONReader(valueLimit: ArchiveFormat.manifestValueLimit).read(bytes)
    } catch {
      throw .damaged(path: path, place: "its text", detail: "it is not JSON: \(error)")
    }
    let reader = try ManifestReader(json, "", path: path)
    let schema = try reader.integer("schema")
    guard schema == ArchiveFormat.schema else {
      throw .unknownFormat(path: path, schema: schema)
    }
    var counts: [SegmentCount] = []
    for element in try reader.array("counts") {
      counts.append(try SegmentCount(ManifestReader(element, "counts", path: path)))
    }
    var frames: [SegmentFrame] = []
    for element in try reader.array("frames") {
      let offset = frames.last.map { $0.offset + Int64($0.byteCount) } ?? 0
      frames.append(
        try SegmentFrame(ManifestReader(element, "frames", path: path), offset: offset))
    }
    let next = try reader.optionalInteger("next").map { number throws(ArchiveError) in
      TransactionPosition(number: number, timestamp: try reader.timestamp("nextTimestampRaw"))
    }
    self.init(
      store: try reader.string("store"), first: try reader.position("first"),
      last: try reader.position("last"), after: try reader.optionalInteger("after"),
      next: next,
      earliest: try reader.timestamp("earliestRaw"), latest: try reader.timestamp("latestRaw"),
      transactionCount: try reader.count("transactions"), counts: counts,
      textByteCount: try reader.count("textBytes"), byteCount: try reader.count("bytes"),
      digest: try reader.digest("sha256"), frames: frames, schema: try reader.schema())
    try check(path)
  }

  private func check(_ path: String) throws(ArchiveError) {
    func damaged(_ place: String, _ detail: String) -> ArchiveError {
      .damaged(path: path, place: place, detail: detail)
    }
    guard first.number >= 1, first.number <= last.number,
      after.map({ $0 < first.number }) ?? true, next.map({ $0.number > last.number }) ?? true
    else { throw damaged("first and last", "they contradict each other") }
    guard let start = frames.first, !start.isContinuation, start.transaction == first.number else {
      throw damaged("frames", "the first one does not begin with the first transaction")
    }
    guard frames.count <= ArchiveFormat.mostFrames else {
      throw damaged("frames", "there are more than \(ArchiveFormat.mostFrames)")
    }
    for (frame, next) in zip(frames, frames.dropFirst()) {
      let ascends =
        next.isContinuation
        ? next.transaction == frame.transaction && frame.transactionCount <= 1
        : next.transaction > frame.transaction
      guard ascends, next.transaction <= last.number else {
        throw damaged("frames", "their transactions do not ascend")
      }
    }
    let end = frames.last.map { $0.offset + Int64($0.byteCount) } ?? 0
    guard frames.reduce(0, { $0 + Int64($1.transactionCount) }) == transactionCount,
      frames.reduce(0, { $0 + Int64($1.textByteCount) }) == textByteCount,
      end + Int64(SeekTable.byteCount(frames: frames.count)) == byteCount
    else { throw damaged("frames", "they do not add up to the whole") }
  }
}

extension SegmentFrame {
  fileprivate init(_ reader: ManifestReader, offset: Int64) throws(ArchiveError) {
    let bytes = try reader.count("bytes")
    let text = try reader.count("textBytes")
    let transactions = try reader.count("transactions")
    guard try reader.integer("offset") == offset else {
      throw reader.damaged("frames.offset", "it is not where the frame before ends")
    }
    guard (1...Int64(ArchiveFormat.frameLimit)).contains(text),
      (1...Int64(FrameUnpacker.maxPackedBytes)).contains(bytes), transactions <= text
    else { throw reader.damaged("frames", "the size of one is none that a frame can have") }
    self.init(
      transaction: try reader.integer("transaction"),
      timestamp: try reader.timestamp("timestampRaw"), latest: try reader.timestamp("latestRaw"),
      transactionCount: Int(transactions), offset: offset, byteCount: Int(bytes),
      textByteCount: Int(text))
  }
}

extension SegmentCount {
  fileprivate init(_ reader: ManifestReader) throws(ArchiveError) {
    self.init(
      entity: try reader.optionalString("entity"), number: try reader.optionalInteger("number"),
      inserts: try reader.count("inserts"), updates: try reader.count("updates"),
      deletes: try reader.count("deletes"), others: try reader.optionalInteger("others") ?? 0)
  }

  fileprivate var json: JSONObject {
    var object = JSONObject()
    if let entity { object["entity"] = .string(entity) }
    if let number { object["number"] = .integer(number) }
    object["inserts"] = .integer(inserts)
    object["updates"] = .integer(updates)
    object["deletes"] = .integer(deletes)
    if others != 0 { object["others"] = .integer(others) }
    return object
  }
}

extension ManifestReader {
  fileprivate func position(_ key: String) throws(ArchiveError) -> TransactionPosition {
    let reader = try object(key)
    return TransactionPosition(
      number: try reader.integer("transaction"), timestamp: try reader.timestamp("timestampRaw"))
  }
}

extension JSONWriter {
  fileprivate mutating func append(_ key: StaticString, _ position: TransactionPosition) {
    appendRaw(key)
    appendRaw("{\"transaction\":")
    appendInteger(position.number)
    if let text = position.timestamp?.iso8601() {
      appendRaw(",\"timestamp\":")
      appendString(text)
    }
    append(",\"timestampRaw\":", time: position.timestamp)
    appendRaw("}")
  }

  fileprivate mutating func append(_ key: StaticString, time timestamp: StoreTimestamp?) {
    guard let timestamp else { return }
    appendRaw(key)
    append(raw: timestamp.secondsSinceReferenceDate)
  }

  fileprivate mutating func append(_ frame: SegmentFrame) {
    appendRaw("{\"transaction\":")
    appendInteger(frame.transaction)
    append(",\"timestampRaw\":", time: frame.timestamp)
    append(",\"latestRaw\":", time: frame.latest)
    appendRaw(",\"transactions\":")
    appendInteger(Int64(frame.transactionCount))
    appendRaw(",\"offset\":")
    appendInteger(frame.offset)
    appendRaw(",\"bytes\":")
    appendInteger(Int64(frame.byteCount))
    appendRaw(",\"textBytes\":")
    appendInteger(Int64(frame.textByteCount))
    appendRaw("}")
  }
}
