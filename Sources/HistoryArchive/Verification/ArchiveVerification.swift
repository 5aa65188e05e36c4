import Dispatch
import DurableFiles
import PersistentHistory
import StoreFormat
import Synchronization

/// Verifies an archive: every byte has a digest that leads to the catalog, and the catalog is chained to
/// an anchor that is kept elsewhere.
///
/// Catalog and manifests are encoded again from their content and compared, and segments are compared
/// with their digests, so that every flipped byte is found. With ``Options/decodesLines``, every line is
/// also decoded, encoded again, and compared with its text and the manifest. That also finds archives
/// with forged digests. Nothing is changed, and memory is limited.
///
/// ```swift
/// let verification = try ArchiveVerification(path: "history-archive")
/// print(verification.findings.isEmpty, verification.facts.transactionCount)
/// ```
package struct ArchiveVerification: Sendable {
  /// What to verify.
  package struct Options: Hashable, Sendable {
    /// A head of the chain that was kept elsewhere.
    package var anchor: ArchiveAnchor?
    /// The part of the segments to read; `nil` for all.
    package var subset: VerificationSubset?
    /// Whether to decode every line of these segments, encode it again and compare.
    package var decodesLines = false
    /// The maximum number of findings of each kind.
    package var limit = 10
    /// The time to wait for a program that is sealing there, in seconds.
    package var lockWait: Double = 0

    /// Creates options that read all segments.
    package init() {}
  }

  /// The folder.
  let path: String
  /// What was found.
  package private(set) var findings: FindingLog<ArchiveFindingKind>
  /// What was read.
  package private(set) var facts = ArchiveFacts()

  /// The number of segments that are verified before their results are added up.
  private static let batchSize = 64

  /// Verifies an archive, on all processors.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - options: What to verify.
  ///   - progress: Receives the number of transactions that have been read; one call at a time, but on
  ///     any thread.
  /// - Throws: ``ArchiveError`` if there is no archive, its catalog cannot be read, or another program
  ///   is sealing there; damage is a finding.
  package init(
    path: String, options: Options = Options(),
    progress: @Sendable (Int64) -> Void = { _ in }
  ) throws(ArchiveError) {
    self.path = path
    findings = FindingLog(limit: options.limit)
    let archive = try Archive(path: path)
    let lock = try Self.lock(path, wait: options.lockWait)
    var catalog = CatalogInspection(try archive.catalogFile(), limit: options.limit)
    do throws(ArchiveError) {
      try catalog.run()
    } catch {
      guard case .damaged(let path, let place, let detail) = error else { throw error }
      findings.add(.damagedCatalog, at: .file(path), "\(place): \(detail)")
    }
    if let anchor = options.anchor { catalog.compare(with: anchor) }
    findings.add(catalog.findings)
    var folders = FolderInspection(archive, limit: options.limit)
    folders.run(catalog.listed)
    findings.add(folders.findings)
    // Segments do not change, so other programs may work on the archive from here on. Segments that are
    // merged or forgotten meanwhile are not findings.
    lock?.end()
    facts.head = catalog.head
    facts.catalogLineCount = catalog.digests.count
    facts.segmentCount = catalog.listed.entries.count
    inspectStores(of: catalog.listed.entries)
    inspectSegments(archive, catalog, options, progress)
  }

  /// Prevents sealing while the catalog is compared with the files. A folder that cannot be opened for
  /// locking is verified without a lock.
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

  /// Adds what was found by comparing the archive with a store.
  package mutating func add(_ continuity: StoreContinuity) {
    findings.add(continuity.findings)
    facts.comparedCount = continuity.comparedCount
  }

  /// Looks for gaps between the segments of each store.
  private mutating func inspectStores(of entries: [CatalogEntry]) {
    let stores = ArchivedStore.stores(of: entries)
    facts.storeCount = stores.count
    for store in stores {
      facts.overlapCount += store.overlapping.count
      let runs = store.runs
      for (run, next) in zip(runs, runs.dropFirst()) {
        findings.add(
          .archiveGap, at: .transactions(run.last + 1...max(run.last + 1, next.first - 1)),
          "they are in no segment of the store \(store.identifier)")
      }
    }
  }

  private mutating func inspectSegments(
    _ archive: Archive, _ catalog: CatalogInspection, _ options: Options,
    _ progress: @Sendable (Int64) -> Void
  ) {
    let entries = catalog.listed.entries
    var chosen: Set<Int>?
    if let subset = options.subset {
      var generator = SystemRandomNumberGenerator()
      let sizes = entries.map {
        (try? archive.segmentFile($0).status()).map { Int64($0.st_size) } ?? 0
      }
      chosen = subset.choose(among: sizes, using: &generator)
    }
    let done = Mutex<Int64>(0)
    let longLine = LineInspection.LongLine()
    let scope = ReadingScope()
    var continuity = SegmentContinuity()
    // In batches, so that memory does not grow with the number of segments or the size of manifests.
    for batch in Self.batches(of: entries, archive) {
      let results = Mutex<[Int: SegmentInspection]>([:])
      DispatchQueue.concurrentPerform(iterations: batch.count) { [chosen] iteration in
        let index = batch.lowerBound + iteration
        let inspection = scope.run {
          SegmentInspection(
            archive, entries[index], catalogByteCount: catalog.byteCount,
            readsContent: chosen?.contains(index) ?? true, options, longLine: longLine
          ) { count in
            done.withLock {
              $0 &+= count
              progress($0)
            }
          }
        }
        results.withLock { $0[index] = inspection }
      }
      for (index, inspection) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
        findings.add(inspection.findings)
        if options.decodesLines, let neighbors = inspection.neighbors {
          continuity.add(entries[index], first: neighbors.first, next: neighbors.next)
        }
        facts.add(inspection.facts)
      }
    }
    for (entry, detail) in continuity.contradictions {
      findings.add(.contradictedManifest, at: .file(archive.manifestPath(entry)), detail)
    }
  }

  /// Groups segments that are verified together, so that their manifests take no more memory than the
  /// largest one may.
  private static func batches(
    of entries: [CatalogEntry], _ archive: Archive
  ) -> [Range<Int>] {
    var batches: [Range<Int>] = []
    var start = 0
    var size: Int64 = 0
    for (index, entry) in entries.enumerated() {
      // A manifest whose size is unknown is a finding when it is read.
      let next = (try? archive.manifestFile(entry).status()).map { Int64($0.st_size) } ?? 0
      if index > start, index - start == batchSize || size + next > ArchiveFormat.manifestLimit {
        batches.append(start..<index)
        (start, size) = (index, 0)
      }
      size += next
    }
    return start < entries.count ? batches + [start..<entries.count] : batches
  }
}

/// What a verification of an archive has read.
package struct ArchiveFacts: Hashable, Sendable {
  /// The number of lines of the catalog.
  var catalogLineCount = 0
  /// The number of stores.
  package internal(set) var storeCount = 0
  /// The number of segments.
  package internal(set) var segmentCount = 0
  /// The number of segments that were read.
  package internal(set) var readSegmentCount = 0
  /// The number of transactions in these.
  package internal(set) var transactionCount: Int64 = 0
  /// The number of changes in these.
  package internal(set) var changeCount: Int64 = 0
  /// The size of all manifests and segments, in bytes.
  package internal(set) var byteCount: Int64 = 0
  /// The size of the text of the segments that were read, in bytes.
  package internal(set) var textByteCount: Int64 = 0
  /// The number of segments that overlap those before them, as a crash may leave them; nothing is lost.
  package internal(set) var overlapCount = 0
  /// The number of transactions that were compared with those of a store; `nil` if none was given.
  package internal(set) var comparedCount: Int64?
  /// The head of the catalog's chain, to be kept elsewhere; `nil` if the catalog is damaged.
  package internal(set) var head: ArchiveAnchor?

  /// Adds the facts of a segment.
  mutating func add(_ segment: ArchiveFacts) {
    readSegmentCount += segment.readSegmentCount
    transactionCount &+= segment.transactionCount
    changeCount &+= segment.changeCount
    byteCount &+= segment.byteCount
    textByteCount &+= segment.textByteCount
  }
}

/// The part of an archive's segments that is read; of the others only names, sizes and manifests are
/// verified.
package enum VerificationSubset: Hashable, Sendable {
  /// The n-th of a number of parts: with one part a day, all are read in that number of days.
  case part(Int, of: Int)
  /// A random percentage of the segments.
  case percent(Double)
  /// Random segments of about this size in bytes; at least one.
  case bytes(Int64)

  /// Chooses among segments.
  ///
  /// - Parameters:
  ///   - sizes: The size of each in bytes.
  ///   - generator: The source of randomness.
  /// - Returns: The indices of those to read.
  func choose(
    among sizes: [Int64], using generator: inout some RandomNumberGenerator
  ) -> Set<Int> {
    switch self {
    case .part(let number, let count):
      return Set(sizes.indices.filter { $0 % max(count, 1) == number - 1 })
    case .percent(let percent):
      let count = (Double(sizes.count) * min(max(percent, 0), 100) / 100).rounded(.up)
      return Set(sizes.indices.shuffled(using: &generator).prefix(Int(count)))
    case .bytes(let limit):
      var chosen: Set<Int> = []
      var left = limit
      for index in sizes.indices.shuffled(using: &generator) {
        guard chosen.isEmpty || sizes[index] <= left else { continue }
        chosen.insert(index)
        left -= min(left, sizes[index])
      }
      return chosen
    }
  }
}

/// Compares the transaction that followed each segment with the first one of the next segment.
private struct SegmentContinuity {
  private struct Place: Hashable {
    let store: String
    let last: Int64
  }

  private var nexts: [Place: (entry: CatalogEntry, next: TransactionPosition)] = [:]
  private var firsts: [(after: Place, first: TransactionPosition)] = []

  mutating func add(
    _ entry: CatalogEntry, first: TransactionPosition, next: TransactionPosition?
  ) {
    if let next { nexts[Place(store: entry.store, last: entry.last)] = (entry, next) }
    if let after = entry.after { firsts.append((Place(store: entry.store, last: after), first)) }
  }

  /// The segments whose successor is another one than their manifest says.
  var contradictions: [(entry: CatalogEntry, detail: String)] {
    firsts.compactMap { place, first in
      guard let (entry, next) = nexts[place],
        next.number != first.number || next.timestamp.map({ $0 != first.timestamp }) ?? false
      else { return nil }
      return (
        entry,
        "next is transaction \(next.number), and the next segment begins with \(first.number)"
          + (next.number == first.number ? " of another time" : "")
      )
    }
  }
}
