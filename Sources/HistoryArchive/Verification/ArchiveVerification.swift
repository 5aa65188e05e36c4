import Dispatch
import PersistentHistory
import StoreFormat
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A look at everything in an archive: every byte has a digest or a checksum that leads to the catalog,
/// and the catalog is chained to the anchor that was kept elsewhere.
///
/// All is worked out anew: catalog and manifests are written again from what they say and compared,
/// segments are digested, unpacked and read line by line, and what they hold is compared with what
/// their manifests say. Nothing is trusted, nothing is changed, and memory stays small.
///
/// ```swift
/// let verification = try ArchiveVerification(path: "history-archive")
/// print(verification.findings.isEmpty, verification.facts.transactionCount)
/// ```
package struct ArchiveVerification: Sendable {
  /// What to look at.
  package struct Options: Hashable, Sendable {
    /// A head of the chain that was kept elsewhere.
    package var anchor: ArchiveAnchor?
    /// Which part of the segments is read in full; nil for all.
    package var subset: VerificationSubset?
    /// How many findings of each kind are kept.
    package var limit = 10
    /// How long to wait for a program that is sealing there, in seconds.
    package var lockWait: Double = 0

    /// All of it, ten findings of each kind.
    package init() {}
  }

  /// The folder.
  package let path: String
  /// What was found.
  package private(set) var findings: FindingLog<ArchiveFindingKind>
  /// What was looked at.
  package private(set) var facts = ArchiveFacts()

  /// How many threads there are at most.
  private static let threadCount = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 64)
  /// How many segments are looked at together.
  private static let batchSize = 16

  /// Looks at an archive, on all processors.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - options: What to look at.
  ///   - progress: Is told how many transactions have been read; one call at a time, but on any
  ///     thread.
  /// - Throws: ``ArchiveError`` where there is no archive, where its catalog cannot be read, or where
  ///   somebody is sealing there; damage is a finding.
  package init(
    path: String, options: Options = Options(),
    progress: @Sendable (Int64) -> Void = { _ in }
  ) throws(ArchiveError) {
    self.path = path
    findings = FindingLog(limit: options.limit)
    let archive = try Archive(path: path)
    let lock = try Self.lock(path, wait: options.lockWait)
    var catalog = CatalogInspection(path: archive.catalogPath, limit: options.limit)
    do throws(ArchiveError) {
      try catalog.run()
    } catch {
      guard case .damaged(let path, let place, let detail) = error else { throw error }
      findings.add(.damagedCatalog, at: .file(path), "\(place): \(detail)")
    }
    if let anchor = options.anchor { catalog.compare(with: anchor) }
    findings.add(catalog.findings)
    var folders = FolderInspection(archive, limit: options.limit)
    folders.run(catalog.entries)
    findings.add(folders.findings)
    // What is sealed stays as it is, so that nobody need wait who wants to add to it.
    lock?.end()
    facts.head = catalog.head
    facts.catalogLineCount = catalog.digests.count
    facts.segmentCount = catalog.entries.count
    inspectStores(of: catalog.entries)
    inspectSegments(archive, catalog.entries, options, progress)
  }

  /// Keeps others from sealing while the catalog is compared with what is there: it would have things
  /// that it does not have, and the other way round.
  ///
  /// What cannot be opened for that can be looked at all the same.
  private static func lock(
    _ path: String, wait: Double
  ) throws(ArchiveError) -> ArchiveLock? {
    do {
      return try ArchiveLock(reading: path, wait: wait)
    } catch {
      guard case .busy = error else { return nil }
      throw error
    }
  }

  /// Adds what was found between the archive and a store.
  package mutating func add(_ continuity: StoreContinuity) {
    findings.add(continuity.findings)
    facts.comparedCount = continuity.comparedCount
  }

  /// Looks for gaps between the segments of each store.
  private mutating func inspectStores(of entries: [CatalogEntry]) {
    let stores = Dictionary(grouping: entries, by: \.store).sorted { $0.key < $1.key }
    facts.storeCount = stores.count
    for (identifier, entries) in stores {
      let store = ArchivedStore(identifier: identifier, entries: entries)
      facts.overlapCount += store.overlapping.count
      for (run, next) in zip(store.runs, store.runs.dropFirst()) {
        findings.add(
          .archiveGap, at: .transactions(run.last + 1...max(run.last + 1, next.first - 1)),
          "they are in no segment of the store \(identifier)")
      }
    }
  }

  private mutating func inspectSegments(
    _ archive: Archive, _ entries: [CatalogEntry], _ options: Options,
    _ progress: @Sendable (Int64) -> Void
  ) {
    var chosen: Set<Int>?
    if let subset = options.subset {
      var generator = SystemRandomNumberGenerator()
      let sizes = entries.map {
        (try? ArchiveFile(path: archive.segmentPath($0)))?.size ?? 0
      }
      chosen = subset.choose(among: sizes, using: &generator)
    }
    let done = Mutex<Int64>(0)
    for start in stride(from: 0, to: entries.count, by: Self.batchSize) {
      let batch = start..<min(start + Self.batchSize, entries.count)
      let segments = Self.concurrently(batch.count) { [chosen] index in
        let place = batch.lowerBound + index
        return SegmentInspection(
          archive, entries[place], readsContent: chosen?.contains(place) ?? true,
          limit: options.limit, threadCount: Self.threadCount)
      }
      // The digests take longest in one piece, so they come first.
      var works: [(segment: Int, run: Int?)] = []
      for (index, segment) in segments.enumerated() where !segment.runs.isEmpty {
        works.append((index, nil))
      }
      for (index, segment) in segments.enumerated() {
        works += segment.runs.indices.map { (index, $0) }
      }
      _ = Self.concurrently(works.count) { [works] index in
        let work = works[index]
        guard let run = work.run else { return segments[work.segment].inspectBytes() }
        let count = segments[work.segment].inspect(run: run)
        done.withLock {
          $0 += count
          progress($0)
        }
      }
      for segment in segments { segment.finish(into: &findings, &facts) }
    }
  }

  /// Does pieces of work on all processors and gives the results in their order.
  private static func concurrently<Result: Sendable>(
    _ count: Int, _ body: @Sendable (Int) -> Result
  ) -> [Result] {
    let results = Mutex<[Int: Result]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = body(index)
      results.withLock { $0[index] = result }
    }
    return results.withLock { results in (0..<count).compactMap { results[$0] } }
  }
}
