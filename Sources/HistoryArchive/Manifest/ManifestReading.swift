import DurableFiles
import HistoryCoding
import StoreFormat

extension SegmentManifest {
  /// Reads a manifest file.
  ///
  /// - Parameter expected: The digest that the catalog names; `nil` for any.
  /// - Returns: The manifest and the digest of the file.
  static func read(
    _ place: FilePlace, expecting expected: ArchiveDigest? = nil
  ) throws(ArchiveError) -> (manifest: SegmentManifest, digest: ArchiveDigest) {
    let bytes = try ArchiveFile.contents(of: place, limit: ArchiveFormat.manifestLimit)
    let digest = ArchiveDigest(of: bytes)
    guard expected == nil || digest == expected else {
      throw .damaged(
        path: place.path, place: "its bytes", detail: "its SHA-256 is not the one in the catalog")
    }
    return (try SegmentManifest(bytes, path: place.path), digest)
  }

  /// Reads the text of a manifest and checks that it does not contradict itself.
  ///
  /// Frames, counts and entities are read one by one, so that memory is bounded whatever the text holds.
  ///
  /// - Parameter path: The file, for messages.
  init(_ bytes: [UInt8], path: String) throws(ArchiveError) {
    var parts = ManifestParts(path: path)
    parts.frames.reserveCapacity(min(bytes.count / 64, ArchiveFormat.maxFrames))
    try parts.read(bytes)
    let members = ManifestObject(parts.members, "", path: path)
    _ = try members.integer("schema")
    let nextTime = try members.timestamp("nextTimestampRaw")
    let next = try members.optionalInteger("next").map {
      TransactionPosition(number: $0, timestamp: nextTime)
    }
    self.init(
      store: try members.string("store"), first: try members.position("first"),
      last: try members.position("last"), after: try members.optionalInteger("after"), next: next,
      earliest: try members.timestamp("earliestRaw"), latest: try members.timestamp("latestRaw"),
      transactionCount: try members.count("transactions"), counts: parts.counts,
      textByteCount: try members.count("textBytes"), byteCount: try members.count("bytes"),
      digest: try members.digest("sha256"), frames: parts.frames,
      schema: SegmentSchema(
        versionIdentifiers: try members.strings("modelVersions"),
        transactionColumns: try members.strings("transactionColumns"),
        changeColumns: try members.strings("changeColumns"), entities: parts.entities))
    try check(path)
  }

  private func check(_ path: String) throws(ArchiveError) {
    func damaged(_ place: String, _ detail: String) -> ArchiveError {
      .damaged(path: path, place: place, detail: detail)
    }
    guard first.number >= 1, first.number <= last.number,
      after.map({ $0 < first.number }) ?? true, next.map({ $0.number > last.number }) ?? true,
      transactionCount - 1 <= last.number - first.number
    else { throw damaged("first and last", "they contradict each other") }
    guard let start = frames.first, !start.isContinuation, start.transaction == first.number else {
      throw damaged("frames", "the first frame does not begin with the first transaction")
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
    else { throw damaged("frames", "they do not add up to the segment") }
  }
}

/// The parts of a manifest, as they are read.
private struct ManifestParts {
  let path: String
  var members = JSONObject()
  var counts: [SegmentCount] = []
  var frames: [SegmentFrame] = []
  var entities: [SegmentSchema.Entity] = []
  private var propertyCount = 0

  private static let arrays: Set<String> = ["counts", "frames", "entities"]
  private static let single: Set<String> = [
    "schema", "store", "first", "last", "after", "next", "nextTimestampRaw", "earliestRaw",
    "latestRaw", "transactions", "textBytes", "bytes", "sha256", "modelVersions",
    "transactionColumns", "changeColumns",
  ]

  init(path: String) { self.path = path }

  mutating func read(_ bytes: [UInt8]) throws(ArchiveError) {
    do {
      try bytes.withUnsafeBufferPointer { buffer in
        var parser = JSONParser(buffer, depthLimit: 16)
        try read(&parser)
        try parser.expectEnd()
      }
    } catch let error as ArchiveError {
      throw error
    } catch {
      throw damaged("its text", "it is not JSON: \(error)")
    }
  }

  private mutating func read(_ parser: inout JSONParser) throws {
    var keys: Set<String> = []
    let limit = ArchiveFormat.manifestValueLimit
    guard try parser.enter(JSONParser.object) else { throw damaged("schema", "it is missing") }
    repeat {
      let key = try parser.key()
      guard Self.arrays.contains(key) || Self.single.contains(key) else {
        try parser.skipValue()
        continue
      }
      guard keys.insert(key).inserted else { throw damaged(key, "it is repeated") }
      if Self.single.contains(key) {
        members[key] = try parser.value(limit: limit)
        if key == "schema", case .integer(let schema)? = members[key],
          schema != ArchiveFormat.schema
        {
          throw ArchiveError.unknownFormat(path: path, schema: schema)
        }
      } else if try parser.enter(JSONParser.array) {
        repeat {
          try add(parser.value(limit: limit), to: key)
        } while try parser.hasNext(in: JSONParser.array)
      }
    } while try parser.hasNext(in: JSONParser.object)
    for key in ["schema"] + Self.arrays.sorted() where !keys.contains(key) {
      throw damaged(key, "it is missing")
    }
  }

  private mutating func add(_ value: JSONValue, to key: String) throws(ArchiveError) {
    guard let value = value.object else { throw damaged(key, "one is not an object") }
    let object = ManifestObject(value, key, path: path)
    switch key {
    case "counts": try add(SegmentCount(object), to: \.counts, key, ArchiveFormat.maxCounts)
    case "frames":
      try add(
        SegmentFrame(object, after: frames.last), to: \.frames, key, ArchiveFormat.maxFrames)
    default: try add(object)
    }
  }

  private mutating func add<Element>(
    _ element: Element, to parts: WritableKeyPath<ManifestParts, [Element]>, _ key: String,
    _ limit: Int
  ) throws(ArchiveError) {
    guard self[keyPath: parts].count < limit else {
      throw damaged(key, "there are more than \(limit)")
    }
    self[keyPath: parts].append(element)
  }

  private mutating func add(_ object: ManifestObject) throws(ArchiveError) {
    let entity = try SegmentSchema.Entity(object)
    if let last = entities.last, last.number >= entity.number {
      throw damaged("entities", "their numbers do not ascend")
    }
    // An entity without properties counts as well.
    propertyCount += 1 + (entity.slots?.count ?? 0) + (entity.tombstone?.count ?? 0)
    guard propertyCount <= ArchiveFormat.maxProperties else {
      throw damaged("entities", "they have more than \(ArchiveFormat.maxProperties) properties")
    }
    entities.append(entity)
  }

  private func damaged(_ place: String, _ detail: String) -> ArchiveError {
    .damaged(path: path, place: place, detail: detail)
  }
}

/// An object of a manifest. A member that violates the format is damage.
private struct ManifestObject {
  let path: String
  private let object: JSONObject
  private let place: String

  init(_ object: JSONObject, _ place: String, path: String) {
    self.object = object
    self.place = place
    self.path = path
  }

  func damaged(_ key: String, _ detail: String) -> ArchiveError {
    .damaged(path: path, place: place.isEmpty ? key : "\(place).\(key)", detail: detail)
  }

  private func optional<Value>(
    _ key: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(ArchiveError) -> Value? {
    guard let json = object[key] else { return nil }
    guard let value = read(json) else { throw damaged(key, "it is not \(expected)") }
    return value
  }

  private func required<Value>(
    _ key: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(ArchiveError) -> Value {
    guard let value = try optional(key, expected, read) else { throw damaged(key, "it is missing") }
    return value
  }

  func integer(_ key: String) throws(ArchiveError) -> Int64 {
    try required(key, "an integer", \.integer)
  }

  func optionalInteger(_ key: String) throws(ArchiveError) -> Int64? {
    try optional(key, "an integer", \.integer)
  }

  func count(_ key: String) throws(ArchiveError) -> Int64 {
    try required(key, Self.countText, Self.count)
  }

  func optionalCount(_ key: String) throws(ArchiveError) -> Int64? {
    try optional(key, Self.countText, Self.count)
  }

  /// The maximum count, so low that the sum of all counts in a manifest cannot overflow.
  private static let countLimit: Int64 = 1 << 44
  private static let countText = "an integer from 0 to \(countLimit)"

  private static func count(_ json: JSONValue) -> Int64? {
    json.integer.flatMap { (0...countLimit).contains($0) ? $0 : nil }
  }

  func string(_ key: String) throws(ArchiveError) -> String {
    try required(key, "a string", \.string)
  }

  func optionalString(_ key: String) throws(ArchiveError) -> String? {
    try optional(key, "a string", \.string)
  }

  func digest(_ key: String) throws(ArchiveError) -> ArchiveDigest {
    try required(key, "a SHA-256 digest") { $0.string.flatMap(ArchiveDigest.init(hexadecimal:)) }
  }

  func timestamp(_ key: String) throws(ArchiveError) -> StoreTimestamp? {
    try optional(key, "a number") { StoreTimestamp(raw: $0) }
  }

  func position(_ key: String) throws(ArchiveError) -> TransactionPosition {
    let position = ManifestObject(
      try required(key, "an object", \.object), key, path: path)
    return TransactionPosition(
      number: try position.integer("transaction"),
      timestamp: try position.timestamp("timestampRaw"))
  }

  func strings(_ key: String) throws(ArchiveError) -> [String] {
    try required(key, Self.elements("strings")) { Self.elements(of: $0, \.string) }
  }

  /// Reads pairs of a name and a value, or returns `nil` if the key is missing.
  func pairs<Element>(
    _ key: String, _ make: (String, JSONValue) -> Element?
  ) throws(ArchiveError) -> [Element]? {
    try optional(key, Self.elements("pairs")) { json in
      Self.elements(of: json) { element in
        guard case .array(let pair) = element, pair.count == 2, let name = pair[0].string else {
          return nil
        }
        return make(name, pair[1])
      }
    }
  }

  private static func elements(_ kind: String) -> String {
    "an array of at most \(ArchiveFormat.maxSlots) \(kind)"
  }

  private static func elements<Element>(
    of json: JSONValue, _ make: (JSONValue) -> Element?
  ) -> [Element]? {
    guard case .array(let values) = json, values.count <= ArchiveFormat.maxSlots else { return nil }
    let elements = values.compactMap(make)
    return elements.count == values.count ? elements : nil
  }
}

extension JSONValue {
  fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  fileprivate var string: String? { if case .string(let value) = self { value } else { nil } }
  fileprivate var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
}

extension SegmentFrame {
  fileprivate init(
    _ object: ManifestObject, after previous: SegmentFrame?
  ) throws(ArchiveError) {
    let bytes = try object.count("bytes")
    let text = try object.count("textBytes")
    let transactions = try object.count("transactions")
    let offset = previous.map { $0.offset + Int64($0.byteCount) } ?? 0
    guard try object.integer("offset") == offset else {
      throw object.damaged("offset", "it is not where the frame before ends")
    }
    guard (1...Int64(ArchiveFormat.frameLimit)).contains(text),
      (1...Int64(FrameUnpacker.maxPackedBytes)).contains(bytes), transactions <= text
    else { throw object.damaged("bytes", "no frame can have this size") }
    self.init(
      transaction: try object.integer("transaction"),
      timestamp: try object.timestamp("timestampRaw"), latest: try object.timestamp("latestRaw"),
      transactionCount: Int(transactions), offset: offset, byteCount: Int(bytes),
      textByteCount: Int(text))
  }
}

extension SegmentCount {
  fileprivate init(_ object: ManifestObject) throws(ArchiveError) {
    var counts = ChangeCounts()
    counts.inserts = try object.count("inserts")
    counts.updates = try object.count("updates")
    counts.deletes = try object.count("deletes")
    counts.others = try object.optionalCount("others") ?? 0
    self.init(
      entity: try object.optionalString("entity"), number: try object.optionalInteger("number"),
      counts: counts)
  }
}

extension SegmentSchema.Entity {
  fileprivate init(_ object: ManifestObject) throws(ArchiveError) {
    self.init(
      name: try object.optionalString("entity"), number: try object.integer("number"),
      slots: try object.pairs("slots") { name, value in
        value.string.flatMap(EntitySlots.Role.init).map { EntitySlots.Slot(name: name, role: $0) }
      },
      tombstone: try object.pairs("tombstone") { name, value in
        value.integer.map {
          SegmentSchema.PreservedAttribute(name: name, type: AttributeType(number: $0))
        }
      })
  }
}
