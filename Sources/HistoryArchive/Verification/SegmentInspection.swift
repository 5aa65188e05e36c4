import PersistentHistory
import StoreFormat

/// Verifies one segment and its manifest.
struct SegmentInspection {
  /// The findings.
  private(set) var findings: FindingLog<ArchiveFindingKind>
  /// What was read.
  private(set) var facts = ArchiveFacts()
  /// The first transaction, and the one that followed the last; `nil` if the manifest cannot be read.
  private(set) var neighbors: (first: TransactionPosition, next: TransactionPosition?)?
  private let segmentPath: String
  private let manifestPath: String
  private let archive: Archive
  private let entry: CatalogEntry
  private let catalogByteCount: Int64

  /// Verifies a segment.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - entry: The segment.
  ///   - catalogByteCount: The length of the catalog that listed it.
  ///   - readsContent: Whether to compare the segment with its digest.
  ///   - options: What to verify.
  ///   - longLine: Shared by the threads of one verification.
  ///   - progress: Receives the numbers of transactions that have been read.
  init(
    _ archive: Archive, _ entry: CatalogEntry, catalogByteCount: Int64, readsContent: Bool,
    _ options: ArchiveVerification.Options,
    longLine: LineInspection.LongLine = LineInspection.LongLine(), progress: (Int64) -> Void
  ) {
    self.archive = archive
    self.entry = entry
    self.catalogByteCount = catalogByteCount
    segmentPath = archive.segmentPath(entry)
    manifestPath = archive.manifestPath(entry)
    findings = FindingLog(limit: options.limit)
    let manifest = inspectManifest(of: entry)
    do throws(ArchiveError) {
      guard let manifest else {
        facts.byteCount += try ArchiveFile(archive.segmentFile(entry)).size
        if readsContent { try inspectFrames(nil) }
        return
      }
      let reader = try SegmentReader(archive.segmentFile(entry), manifest: manifest)
      facts.byteCount += manifest.byteCount
      neighbors = (manifest.first, manifest.next)
      guard readsContent else { return }
      facts.readSegmentCount = 1
      let isSealed = try ArchiveFile(archive.segmentFile(entry)).digest() == manifest.digest
      if !isSealed {
        findings.add(
          .damagedSegment, at: .file(segmentPath), "its SHA-256 is not the one in the manifest")
      }
      if options.decodesLines {
        var inspection = LineInspection(reader, limit: options.limit, longLine: longLine)
        add(inspection.run(progress), manifest)
      } else {
        if !isSealed { try inspectFrames(manifest) }
        facts.transactionCount = manifest.transactionCount
        facts.changeCount = manifest.changeCount
        facts.textByteCount = manifest.textByteCount
        progress(manifest.transactionCount)
      }
    } catch {
      add(error, .missingSegment, .damagedSegment, segmentPath)
      // Reading each frame locates the damage.
      if readsContent, case .damaged = error, manifest != nil { try? inspectFrames(nil) }
    }
  }

  private mutating func inspectManifest(of entry: CatalogEntry) -> SegmentManifest? {
    do throws(ArchiveError) {
      let bytes = try ArchiveFile.contents(
        of: archive.manifestFile(entry), limit: ArchiveFormat.manifestLimit)
      facts.byteCount += Int64(bytes.count)
      guard ArchiveDigest(of: bytes) == entry.manifestDigest else {
        findings.add(
          .damagedManifest, at: .file(manifestPath), "its SHA-256 is not the one in the catalog")
        return nil
      }
      let manifest = try SegmentManifest(bytes, path: manifestPath)
      if !manifest.fits(entry) {
        findings.add(
          .contradictedManifest, at: .file(manifestPath),
          "its range is not the one in the catalog")
      }
      if !manifest.isWritten(as: bytes) {
        findings.add(
          .contradictedManifest, at: .file(manifestPath),
          "its text differs from what its content is encoded as")
      }
      return manifest
    } catch {
      add(error, .missingManifest, .damagedManifest, manifestPath)
      return nil
    }
  }

  private mutating func add(
    _ error: ArchiveError, _ missing: ArchiveFindingKind, _ damaged: ArchiveFindingKind,
    _ path: String
  ) {
    switch error {
    // Another program may have merged or forgotten it meanwhile.
    case .missing where (try? archive.lists(entry, since: catalogByteCount)) == false: break
    // A finding of the folder.
    case .linked: break
    case .missing: findings.add(missing, at: .file(path), "there is no such file")
    case .damaged(_, let place, let detail):
      findings.add(damaged, at: .file(path), "\(place): \(detail)")
    case .unknownFormat(_, let schema):
      findings.add(
        damaged, at: .file(path),
        "it follows schema \(schema), expected \(ArchiveFormat.schema)")
    default: findings.add(.unreadableFile, at: .file(path), error.message)
    }
  }

  /// Unpacks every frame to find the damaged ones.
  ///
  /// - Parameter manifest: The frames; `nil` to use the table in the segment.
  private mutating func inspectFrames(_ manifest: SegmentManifest?) throws(ArchiveError) {
    let file = try ArchiveFile(archive.segmentFile(entry))
    let table: SeekTable
    if let manifest { table = SeekTable(manifest.frames) } else { table = try SeekTable(of: file) }
    let unpacker = FrameUnpacker()
    var offset: Int64 = 0
    for (index, entry) in table.entries.enumerated() {
      let place = FindingPlace.frame(index + 1, file: segmentPath)
      let (size, textSize) = (Int(entry.byteCount), Int(entry.textByteCount))
      guard size <= FrameUnpacker.maxPackedBytes, textSize <= ArchiveFormat.frameLimit,
        offset + Int64(size) <= file.size
      else {
        findings.add(
          .damagedFrame, at: place, "the seek table has a size that no frame can have here")
        break
      }
      let (text, problem) = unpacker.unpack(
        try file.read(at: offset, count: size), textByteCount: textSize)
      if text == nil { findings.add(.damagedFrame, at: place, "at byte \(offset): \(problem)") }
      offset += Int64(size)
    }
  }

  /// Adds the content of the lines and compares it with the manifest.
  private mutating func add(_ lines: LineFacts, _ manifest: SegmentManifest) {
    findings.add(lines.findings)
    for problem in SchemaInspection(manifest.schema).problems {
      findings.add(.contradictedManifest, at: .file(manifestPath), problem)
    }
    let counts = lines.tally.counts(manifest.schema)
    facts.transactionCount = lines.transactionCount
    facts.changeCount = counts.reduce(0) { $0 &+ $1.counts.total }
    facts.textByteCount = manifest.textByteCount
    guard lines.isComplete else { return }
    let places = [
      (lines.first == manifest.first, "the first transaction"),
      (lines.last == manifest.last, "the last transaction"),
      (lines.times?.lowerBound == manifest.earliest, "the earliest time"),
      (lines.times?.upperBound == manifest.latest, "the latest time"),
      (lines.transactionCount == manifest.transactionCount, "the number of transactions"),
      (Self.agree(counts, manifest.counts), "the number of changes of each entity"),
    ]
    for (agrees, what) in places where !agrees {
      findings.add(
        .contradictedManifest, at: .file(manifestPath), "\(what) differs from the segment")
    }
  }

  private static func agree(_ counts: [SegmentCount], _ stated: [SegmentCount]) -> Bool {
    // Above the maximum number of entities, their order decides which are counted together.
    guard stated.count >= ChangeTally.maxEntities else { return counts == stated }
    func sums(_ counts: [SegmentCount]) -> ChangeCounts {
      counts.reduce(into: ChangeCounts()) { $0.add($1.counts) }
    }
    return sums(counts) == sums(stated)
  }
}

extension Archive {
  /// Checks a segment and its manifest as ``ArchiveVerification`` does when it decodes lines.
  ///
  /// - Parameter allowsDamagedRows: Whether rows may be such as no framework writes.
  /// - Throws: ``ArchiveError`` for the first damage.
  func checkLines(
    of entry: CatalogEntry, allowsDamagedRows: Bool = false
  ) throws(ArchiveError) {
    // A missing file may have been merged or forgotten meanwhile.
    let reader = try segment(entry)
    var options = ArchiveVerification.Options()
    options.decodesLines = true
    options.limit = 1
    let inspection = SegmentInspection(
      self, entry, catalogByteCount: 0, readsContent: true, options
    ) { _ in }
    for kind in inspection.findings.kinds
    where kind.entry.severity == .damage && !(allowsDamagedRows && kind == .damagedRow) {
      guard let finding = inspection.findings.findings(of: kind).first else { continue }
      switch finding.place {
      case .frame(let number, let file):
        throw .damaged(path: file, place: "frame \(number)", detail: finding.detail)
      case .file(let file):
        throw .damaged(path: file, place: "its content", detail: finding.detail)
      default:
        throw .damaged(path: reader.path, place: "\(finding.place)", detail: finding.detail)
      }
    }
  }
}
