import HistoryCoding
import PersistentHistory
import StoreFormat
import Synchronization

/// Verifies one segment and its manifest: first what is known before the content is read, then what
/// the threads find that read it, and what that amounts to.
final class SegmentInspection: Sendable {
  /// The approximate text of a run of frames, in bytes.
  private static let runSize = 2 << 20

  private struct State {
    var findings: FindingLog<ArchiveFindingKind>
    var runs: [Int: FrameRunFacts] = [:]
  }

  /// The size of the two files together, in bytes.
  let byteCount: Int64
  /// Whether the segment is compared with its digest.
  let readsContent: Bool
  /// The runs of frames to decode; empty if lines are not decoded.
  let runs: [Range<Int>]
  /// The number of transactions according to the manifest.
  var transactionCount: Int64 { manifest?.transactionCount ?? 0 }
  private let segmentPath: String
  private let manifestPath: String
  private let manifest: SegmentManifest?
  private let limit: Int
  private let state: Mutex<State>

  /// Verifies everything but the content.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - entry: The segment.
  ///   - readsContent: Whether the content is to be read.
  ///   - decodesLines: Whether the content is to be decoded.
  ///   - limit: The maximum number of findings of each kind.
  init(
    _ archive: Archive, _ entry: CatalogEntry, readsContent: Bool, decodesLines: Bool, limit: Int
  ) {
    segmentPath = archive.segmentPath(entry)
    manifestPath = archive.manifestPath(entry)
    self.limit = limit
    var findings = FindingLog<ArchiveFindingKind>(limit: limit)
    let (manifest, size) = Self.manifest(of: entry, at: manifestPath, &findings)
    self.manifest = manifest
    var byteCount = size
    var isReadable = false
    do throws(ArchiveError) {
      if let manifest {
        _ = try SegmentReader(path: segmentPath, manifest: manifest)
        byteCount += manifest.byteCount
        isReadable = true
      } else {
        byteCount += try ArchiveFile(path: segmentPath).size
        if readsContent { try Self.inspectFrames(of: segmentPath, nil, &findings) }
      }
    } catch {
      Self.add(error, .missingSegment, .damagedSegment, segmentPath, &findings)
      // The frames that can be read tell where it is damaged.
      if readsContent, case .damaged = error, manifest != nil {
        try? Self.inspectFrames(of: segmentPath, nil, &findings)
      }
    }
    self.byteCount = byteCount
    self.readsContent = readsContent && isReadable
    runs =
      readsContent && isReadable && decodesLines
      ? manifest?.runs(ofAbout: Self.runSize) ?? [] : []
    state = Mutex(State(findings: findings))
  }

  // MARK: - The manifest

  private static func manifest(
    of entry: CatalogEntry, at path: String, _ findings: inout FindingLog<ArchiveFindingKind>
  ) -> (SegmentManifest?, Int64) {
    var size: Int64 = 0
    do throws(ArchiveError) {
      let bytes = try ArchiveFile.contents(of: path, limit: ArchiveFormat.manifestLimit)
      size = Int64(bytes.count)
      guard ArchiveDigest(of: bytes) == entry.manifestDigest else {
        findings.add(
          .damagedManifest, at: .file(path), "its SHA-256 is not the one in the catalog")
        return (nil, size)
      }
      let manifest = try SegmentManifest(bytes, path: path)
      if !manifest.fits(entry) {
        findings.add(
          .contradictedManifest, at: .file(path), "its range is not the one in the catalog")
      }
      if manifest.bytes != bytes {
        findings.add(
          .contradictedManifest, at: .file(path),
          "its text differs from what its content is encoded as")
      }
      return (manifest, size)
    } catch {
      add(error, .missingManifest, .damagedManifest, path, &findings)
      return (nil, size)
    }
  }

  private static func add(
    _ error: ArchiveError, _ missing: ArchiveFindingKind, _ damaged: ArchiveFindingKind,
    _ path: String, _ findings: inout FindingLog<ArchiveFindingKind>
  ) {
    switch error {
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

  // MARK: - The content

  /// Compares the bytes of the file with their digest. If they differ, unpacks every frame to find the
  /// damaged ones.
  func inspectBytes() {
    guard let manifest else { return }
    var findings = FindingLog<ArchiveFindingKind>(limit: limit)
    do throws(ArchiveError) {
      guard try ArchiveFile(path: segmentPath).digest() != manifest.digest else { return }
      findings.add(
        .damagedSegment, at: .file(segmentPath), "its SHA-256 is not the one in the manifest")
      if runs.isEmpty { try Self.inspectFrames(of: segmentPath, manifest, &findings) }
    } catch {
      Self.add(error, .missingSegment, .damagedSegment, segmentPath, &findings)
    }
    state.withLock { [findings] in $0.findings.add(findings) }
  }

  /// Unpacks the frames of a segment.
  ///
  /// - Parameter manifest: The frames; `nil` to use the table in the segment.
  private static func inspectFrames(
    of path: String, _ manifest: SegmentManifest?,
    _ findings: inout FindingLog<ArchiveFindingKind>
  ) throws(ArchiveError) {
    let file = try ArchiveFile(path: path)
    let table: SeekTable
    if let manifest { table = SeekTable(manifest.frames) } else { table = try SeekTable(of: file) }
    let unpacker = FrameUnpacker()
    var offset: Int64 = 0
    for (index, entry) in table.entries.enumerated() {
      let (size, textSize) = (Int(entry.byteCount), Int(entry.textByteCount))
      guard size <= FrameUnpacker.maxPackedBytes, textSize <= ArchiveFormat.frameLimit,
        offset + Int64(size) <= file.size
      else {
        findings.add(
          .damagedFrame, at: .frame(index + 1, file: path),
          "the seek table has a size that no frame can have here")
        break
      }
      let (text, problem) = unpacker.unpack(
        try file.read(at: offset, count: size), textByteCount: textSize)
      if text == nil {
        findings.add(
          .damagedFrame, at: .frame(index + 1, file: path), "at byte \(offset): \(problem)")
      }
      offset += Int64(size)
    }
  }

  /// Decodes a run of frames and returns the number of its transactions.
  func inspect(run index: Int) -> Int64 {
    guard let manifest else { return 0 }
    do throws(ArchiveError) {
      var inspection = try FrameRunInspection(
        path: segmentPath, manifest: manifest, limit: limit)
      let facts = inspection.inspect(runs[index])
      state.withLock { $0.runs[index] = facts }
      return facts.transactionCount
    } catch {
      state.withLock {
        Self.add(error, .missingSegment, .damagedSegment, segmentPath, &$0.findings)
      }
      return 0
    }
  }

  /// Compares what the runs hold with the manifest, and adds everything up.
  func finish(into findings: inout FindingLog<ArchiveFindingKind>, _ facts: inout ArchiveFacts) {
    let (own, found) = state.withLock { ($0.findings, $0.runs) }
    facts.byteCount += byteCount
    findings.add(own)
    guard let manifest, readsContent else { return }
    facts.readSegmentCount += 1
    guard !runs.isEmpty else {
      facts.transactionCount &+= manifest.transactionCount
      facts.changeCount &+= manifest.changeCount
      facts.textByteCount &+= manifest.textByteCount
      return
    }
    var whole = FrameRunFacts(limit: limit)
    whole.isComplete = found.count == runs.count
    for index in runs.indices {
      guard let run = found[index] else { continue }
      whole.add(run, at: .frame(runs[index].lowerBound + 1, file: segmentPath))
    }
    findings.add(whole.findings)
    let counts = whole.tally.counts(manifest.schema)
    facts.transactionCount += whole.transactionCount
    facts.changeCount += counts.reduce(0) { $0 + $1.changes }
    facts.textByteCount += whole.textByteCount
    guard whole.isComplete else { return }
    let places = [
      (whole.first == manifest.first, "the first transaction"),
      (whole.last == manifest.last, "the last transaction"),
      (whole.times?.lowerBound == manifest.earliest, "the earliest time"),
      (whole.times?.upperBound == manifest.latest, "the latest time"),
      (whole.transactionCount == manifest.transactionCount, "the number of transactions"),
      (Self.agree(counts, manifest.counts), "the number of changes of each entity"),
    ]
    for (agrees, what) in places where !agrees {
      findings.add(
        .contradictedManifest, at: .file(manifestPath), "\(what) differs from the segment")
    }
  }

  private static func agree(_ counts: [SegmentCount], _ stated: [SegmentCount]) -> Bool {
    // With very many entities it depends on the order which of them are counted together.
    guard stated.count >= ChangeTally.maxEntities else { return counts == stated }
    func sums(_ counts: [SegmentCount]) -> [Int64] {
      [\SegmentCount.inserts, \.updates, \.deletes, \.others].map { kind in
        counts.reduce(0) { $0 &+ $1[keyPath: kind] }
      }
    }
    return sums(counts) == sums(stated)
  }
}
