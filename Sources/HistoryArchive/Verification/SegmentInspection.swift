import HistoryCoding
import PersistentHistory
import StoreFormat
import Synchronization

/// Looks at one segment and its manifest: what is known before its content is read, what the threads
/// find that read it, and what that comes to.
final class SegmentInspection: Sendable {
  /// How much text a run of frames has, about.
  private static let runSize = 2 << 20
  /// More entities than any model has: beyond, sealing counts changes without theirs.
  private static let mostEntities = 1000

  private struct State {
    var findings: FindingLog<ArchiveFindingKind>
    var runs: [Int: FrameRunFacts] = [:]
  }

  /// What one thread at a time reads frames with; it learns what most lines look like.
  private final class Desk: Sendable {
    let worker: Mutex<FrameRunInspection?>

    init(_ worker: sending FrameRunInspection?) { self.worker = Mutex(worker) }
  }

  /// How many bytes the two files have together.
  let byteCount: Int64
  /// The frames that are to be read, in runs; empty where none is.
  let runs: [Range<Int>]
  private let segmentPath: String
  private let manifestPath: String
  private let manifest: SegmentManifest?
  private let limit: Int
  private let state: Mutex<State>
  private let desks: [Desk]

  /// Looks at all but the content.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - entry: The segment.
  ///   - readsContent: Whether the content is to be read.
  ///   - limit: How many findings of each kind are kept.
  ///   - threadCount: How many threads may read at a time.
  init(
    _ archive: Archive, _ entry: CatalogEntry, readsContent: Bool, limit: Int, threadCount: Int
  ) {
    segmentPath = archive.segmentPath(entry)
    manifestPath = archive.manifestPath(entry)
    self.limit = limit
    var findings = FindingLog<ArchiveFindingKind>(limit: limit)
    let (manifest, size) = Self.manifest(of: entry, at: manifestPath, &findings)
    self.manifest = manifest
    var runs: [Range<Int>] = []
    var byteCount = size
    var first: Desk?
    do throws(ArchiveError) {
      if let manifest {
        first = Desk(
          try FrameRunInspection(path: segmentPath, manifest: manifest, limit: limit))
        byteCount += manifest.byteCount
        if readsContent { runs = manifest.runs(ofAbout: Self.runSize) }
      } else {
        byteCount += try Self.inspectAlone(segmentPath, readsContent: readsContent, &findings)
      }
    } catch {
      Self.add(error, .missingSegment, .damagedSegment, segmentPath, &findings)
      // What can be read of it tells where it is damaged.
      if readsContent, case .damaged = error, manifest != nil {
        _ = try? Self.inspectAlone(segmentPath, readsContent: true, &findings)
      }
    }
    desks = (0..<max(1, min(threadCount, runs.count))).map { index in
      index == 0 ? first ?? Desk(nil) : Desk(nil)
    }
    self.runs = runs
    self.byteCount = byteCount
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
          .contradictedManifest, at: .file(path), "its range is not the one that the catalog says")
      }
      if manifest.bytes != bytes {
        findings.add(
          .contradictedManifest, at: .file(path),
          "its text is not the one that is written of what it says")
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

  /// Looks at a segment whose manifest is of no use, by the table of its frames.
  private static func inspectAlone(
    _ path: String, readsContent: Bool, _ findings: inout FindingLog<ArchiveFindingKind>
  ) throws(ArchiveError) -> Int64 {
    let file = try ArchiveFile(path: path)
    guard readsContent else { return file.size }
    let table = try SeekTable(of: file)
    let unpacker = FrameUnpacker()
    var offset: Int64 = 0
    for (index, entry) in table.entries.enumerated() {
      let (size, textSize) = (Int(entry.byteCount), Int(entry.textByteCount))
      guard size <= FrameUnpacker.mostPackedBytes, textSize <= ArchiveFormat.frameLimit,
        offset + Int64(size) <= file.size
      else {
        findings.add(
          .damagedFrame, at: .frame(index + 1, file: path),
          "the table says a size of it that no frame can have here")
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
    return file.size
  }

  // MARK: - The content

  /// Compares the bytes of the file with their digest.
  func inspectBytes() {
    do throws(ArchiveError) {
      guard let manifest, try ArchiveFile(path: segmentPath).digest() != manifest.digest else {
        return
      }
      state.withLock {
        $0.findings.add(
          .damagedSegment, at: .file(segmentPath), "its SHA-256 is not the one in the manifest")
      }
    } catch {
      state.withLock {
        Self.add(error, .missingSegment, .damagedSegment, segmentPath, &$0.findings)
      }
    }
  }

  /// Reads a run of frames and gives the number of its transactions.
  func inspect(run index: Int) -> Int64 {
    for desk in desks {
      if let count = desk.worker.withLockIfAvailable({ inspect(run: index, &$0) }) { return count }
    }
    return desks[index % desks.count].worker.withLock { inspect(run: index, &$0) }
  }

  private func inspect(run index: Int, _ worker: inout FrameRunInspection?) -> Int64 {
    guard let manifest else { return 0 }
    do throws(ArchiveError) {
      if worker == nil {
        worker = try FrameRunInspection(path: segmentPath, manifest: manifest, limit: limit)
      }
      guard let facts = worker?.inspect(runs[index]) else { return 0 }
      state.withLock { $0.runs[index] = facts }
      return facts.transactionCount
    } catch {
      state.withLock {
        Self.add(error, .missingSegment, .damagedSegment, segmentPath, &$0.findings)
      }
      return 0
    }
  }

  /// Compares what the runs have found with the manifest, and adds it all up.
  func finish(into findings: inout FindingLog<ArchiveFindingKind>, _ facts: inout ArchiveFacts) {
    let (own, found) = state.withLock { ($0.findings, $0.runs) }
    for desk in desks { desk.worker.withLock { $0 = nil } }
    facts.byteCount += byteCount
    findings.add(own)
    guard let manifest, !runs.isEmpty else { return }
    var whole = FrameRunFacts(findings: FindingLog(limit: limit))
    whole.isComplete = found.count == runs.count
    for index in runs.indices {
      guard let run = found[index] else { continue }
      whole.findings.add(run.findings)
      whole.isComplete = whole.isComplete && run.isComplete
      whole.transactionCount += run.transactionCount
      whole.textByteCount += run.textByteCount
      whole.counts.merge(run.counts, uniquingKeysWith: +)
      if let first = run.first, let last = whole.last, first.number <= last.number {
        findings.add(
          .damagedLine, at: .frame(runs[index].lowerBound + 1, file: segmentPath),
          "transaction \(first.number) stands behind transaction \(last.number)")
      }
      if whole.first == nil { whole.first = run.first }
      whole.last = run.last ?? whole.last
      for time in [run.times?.lowerBound, run.times?.upperBound] {
        guard let time else { continue }
        whole.times =
          whole.times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
      }
    }
    findings.add(whole.findings)
    facts.readSegmentCount += 1
    facts.transactionCount += whole.transactionCount
    facts.changeCount += whole.counts.values.reduce(0, +)
    facts.textByteCount += whole.textByteCount
    if whole.isComplete { compare(whole, with: manifest, &findings) }
  }

  private func compare(
    _ whole: FrameRunFacts, with manifest: SegmentManifest,
    _ findings: inout FindingLog<ArchiveFindingKind>
  ) {
    let path = manifestPath
    func add(_ what: String) {
      findings.add(
        .contradictedManifest, at: .file(path), "the segment says otherwise of \(what)")
    }
    if whole.first != manifest.first { add("its first transaction") }
    if whole.last != manifest.last { add("its last transaction") }
    if whole.times?.lowerBound != manifest.earliest { add("its earliest time") }
    if whole.times?.upperBound != manifest.latest { add("its latest time") }
    if whole.transactionCount != manifest.transactionCount { add("how many transactions it has") }
    if !Self.agree(whole.counts, manifest) { add("how many changes it has of each entity") }
  }

  private static func agree(
    _ counts: [CanonicalLineCheck.Count: Int64], _ manifest: SegmentManifest
  ) -> Bool {
    var stated: [CanonicalLineCheck.Count: Int64] = [:]
    // Beyond so many entities it depends on the order which of them are counted together.
    let countsEntities = manifest.counts.count < mostEntities
    func add(
      _ kind: ChangeKind?, _ number: Int64?, _ count: Int64,
      to counts: inout [CanonicalLineCheck.Count: Int64]
    ) {
      guard count != 0 else { return }
      let key = CanonicalLineCheck.Count(kind: kind, entityNumber: countsEntities ? number : nil)
      counts[key] = (counts[key] ?? 0) &+ count
    }
    let names = Dictionary(
      manifest.schema.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first }
    )
    for count in manifest.counts {
      guard count.entity == count.number.flatMap({ names[$0] ?? nil }) else { return false }
      add(.insert, count.number, count.inserts, to: &stated)
      add(.update, count.number, count.updates, to: &stated)
      add(.delete, count.number, count.deletes, to: &stated)
      add(nil, count.number, count.others, to: &stated)
    }
    var found: [CanonicalLineCheck.Count: Int64] = [:]
    for (key, count) in counts { add(key.kind, key.entityNumber, count, to: &found) }
    return stated == found
  }
}
