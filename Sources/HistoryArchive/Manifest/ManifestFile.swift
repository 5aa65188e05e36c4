import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat

extension SegmentManifest {
  /// Lists the members of a manifest.
  private mutating func code(_ coder: inout MemberCoder) {
    var schemaNumber = ArchiveFormat.schema
    coder.schema(&schemaNumber, in: ArchiveFormat.schema...ArchiveFormat.schema)
    coder.written("type", .string, "manifest")
    coder.required("store", .string, &store)
    coder.separator = ",\n"
    coder.object("first") { first.code(&$0) }
    coder.object("last") { last.code(&$0) }
    coder.optional("after", .integer, &after)
    var (nextNumber, nextTime) = (next?.number, next?.timestamp)
    coder.optional("next", .integer, &nextNumber)
    coder.optional("nextTimestampRaw", .time, &nextTime)
    next = nextNumber.map { TransactionPosition(number: $0, timestamp: nextTime) }
    coder.optional("earliestRaw", .time, &earliest)
    coder.optional("latestRaw", .time, &latest)
    coder.required("transactions", .count, &transactionCount)
    coder.elements("counts", limit: ArchiveFormat.maxCounts, &counts, empty: SegmentCount()) {
      $0.code(&$2)
    }
    coder.required("textBytes", .count, &textByteCount)
    coder.required("bytes", .count, &byteCount)
    coder.required("sha256", .digest, &digest)
    coder.elements("frames", limit: ArchiveFormat.maxFrames, &frames, empty: SegmentFrame()) {
      $0.code(&$2, after: $1)
    }
    schema.code(&coder)
  }

  // MARK: - Writing

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
    withoutActuallyEscaping(output) { output in
      var coder = MemberCoder(capacity: 1 << 15, output: output)
      var manifest = self
      coder.appendRaw("{")
      manifest.code(&coder)
      coder.appendRaw("}\n")
      coder.flush()
    }
  }

  // MARK: - Reading

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
  /// - Parameter path: The file, for messages.
  init(_ bytes: [UInt8], path: String) throws(ArchiveError) {
    self.init()
    try MemberCoder.read(bytes, path: path) { code(&$0) }
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

// MARK: - Parts

extension TransactionPosition {
  fileprivate mutating func code(_ coder: inout MemberCoder) {
    var (number, timestamp) = (number, timestamp)
    coder.required("transaction", .integer, &number)
    coder.written("timestamp", .string, timestamp?.iso8601())
    coder.optional("timestampRaw", .time, &timestamp)
    self = TransactionPosition(number: number, timestamp: timestamp)
  }
}

extension SegmentCount {
  fileprivate mutating func code(_ coder: inout MemberCoder) {
    coder.optional("entity", .string, &entity)
    coder.optional("number", .integer, &number)
    coder.required("inserts", .count, &counts.inserts)
    coder.required("updates", .count, &counts.updates)
    coder.required("deletes", .count, &counts.deletes)
    var others = counts.others == 0 ? nil : counts.others
    coder.optional("others", .count, &others)
    counts.others = others ?? 0
  }
}

extension SegmentFrame {
  fileprivate mutating func code(_ coder: inout MemberCoder, after previous: SegmentFrame?) {
    coder.required("transaction", .integer, &transaction)
    coder.optional("timestampRaw", .time, &timestamp)
    coder.optional("latestRaw", .time, &latest)
    coder.required("transactions", .count, &transactionCount)
    coder.required("offset", .integer, &offset)
    coder.required("bytes", .count, &byteCount)
    coder.required("textBytes", .count, &textByteCount)
    coder.check(
      offset == previous.map { $0.offset + Int64($0.byteCount) } ?? 0, "offset",
      "it is not where the frame before ends")
    coder.check(
      (1...ArchiveFormat.frameLimit).contains(textByteCount)
        && (1...FrameUnpacker.maxPackedBytes).contains(byteCount)
        && transactionCount <= textByteCount, "bytes", "no frame can have this size")
  }
}

extension SegmentSchema {
  /// A digest of the schema: rows sealed under equal schemas are restored without translation.
  package var digest: ArchiveDigest {
    var coder = MemberCoder()
    var schema = self
    coder.separator = ",\n"
    schema.code(&coder)
    return coder.writer.withUnsafeBytes { ArchiveDigest(of: $0) }
  }

  fileprivate mutating func code(_ coder: inout MemberCoder) {
    coder.required("modelVersions", .strings, &versionIdentifiers)
    coder.required("transactionColumns", .strings, &transactionColumns)
    coder.required("changeColumns", .strings, &changeColumns)
    var propertyCount = 0
    coder.elements("entities", limit: .max, &entities, empty: Entity()) { entity, previous, coder in
      entity.code(&coder)
      coder.check(
        previous.map { $0.number < entity.number } ?? true, "number", "the numbers do not ascend")
      // An entity without properties counts as well.
      propertyCount += 1 + (entity.slots?.count ?? 0) + (entity.tombstone?.count ?? 0)
      coder.check(
        propertyCount <= ArchiveFormat.maxProperties, "slots",
        "there are more than \(ArchiveFormat.maxProperties) properties")
    }
  }
}

extension SegmentSchema.Entity {
  fileprivate mutating func code(_ coder: inout MemberCoder) {
    coder.optional("entity", .string, &name)
    coder.required("number", .integer, &number)
    let slotForm = MemberCoder.Form<[EntitySlots.Slot]>.pairs(
      read: { name, role in
        role.text.flatMap(EntitySlots.Role.init(rawValue:)).map {
          EntitySlots.Slot(name: name, role: $0)
        }
      }, write: { [.string($0.name), .string($0.role.rawValue)] })
    coder.optional("slots", slotForm, &slots)
    let tombstoneForm = MemberCoder.Form<[SegmentSchema.PreservedAttribute]>.pairs(
      read: { name, type in
        type.integer.map {
          SegmentSchema.PreservedAttribute(name: name, type: AttributeType(number: $0))
        }
      }, write: { [.string($0.name), .integer($0.type.number)] })
    coder.optional("tombstone", tombstoneForm, &tombstone)
  }
}
