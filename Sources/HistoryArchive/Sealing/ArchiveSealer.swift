import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Seals the history of a store in an archive.
///
/// A segment is written, synchronized, read back and compared with a second reading of the store, and
/// only then listed in the catalog. An interruption at any point leaves a sound archive, and the next
/// run continues. The folder is locked until this object is released.
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// let sealer = try ArchiveSealer(archivePath: "history-archive", store: store.location)
/// let sealed = try store.read(withHelpers: 1) { snapshot, helpers in
///   try sealer.seal(snapshot, helpers)
/// }
/// print(sealed.head)
/// ```
package final class ArchiveSealer {
  package enum Step: Hashable, Sendable {
    /// Reading, packing and writing history.
    case packing
    /// Reading it back and comparing it with the store.
    case comparing
  }

  /// Receives the number of transactions that are packed or compared, and their total. Calls come one at
  /// a time, but on any thread.
  package typealias Progress =
    @Sendable (_ step: Step, _ count: Int64, _ total: Int64) -> Void

  package static let defaultSegmentSize: Int64 = 64 << 20
  package static let segmentSizes: ClosedRange<Int64> = 1 << 16...1 << 34

  /// The approximate text of a segment in bytes, before compression.
  package var segmentSize = ArchiveSealer.defaultSegmentSize
  /// Whether history may be missing between the last sealed transaction and the store's oldest.
  package var allowsGap = false
  /// The recorded values to seal with their changes, or `nil` for none.
  package var recordedValues: RecordedValues?
  /// Receives what has been added to the archive, after each segment.
  package var onSegment: (SealedSegments) -> Void = { _ in }

  let folder: ArchiveFolder
  let permissions: FilePermissions

  /// Creates an archive if there is none, and locks it.
  ///
  /// - Parameters:
  ///   - archivePath: The folder.
  ///   - store: The store; files of the archive are not more widely readable than it.
  ///   - lockWait: Seconds to wait for another program that uses the archive.
  package init(
    archivePath: String, store: StoreLocation, lockWait: Double = 0
  ) throws(ArchiveError) {
    permissions = store.filePermissions()
    folder = try ArchiveFolder(path: archivePath, permissions: permissions, lockWait: lockWait)
  }

  /// Seals the transactions that are not sealed yet.
  ///
  /// - Parameters:
  ///   - helpers: Threads that read the same snapshot.
  ///   - cut: Only transactions before it; `nil` for all but the newest.
  /// - Returns: What was added to the archive.
  package func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, before cut: HistoryCut? = nil,
    progress: @escaping Progress = { _, _, _ in }
  ) throws -> SealedSegments {
    guard let recordedValues else { return try seal(snapshot, helpers, nil, before: cut, progress) }
    // Recorded values are read twice, and another program may erase some in between.
    return try recordedValues.inOneState {
      try seal(snapshot, helpers, $0, before: cut, progress)
    }
  }

  private func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ recordedValues: RecordedValues?,
    before cut: HistoryCut?, _ progress: @escaping Progress
  ) throws -> SealedSegments {
    let archive = folder.archive
    var catalog = try folder.repairedCatalog()
    let adopted = try adoptOrphans(snapshot, &catalog)
    let plan = try SealingPlan(
      archive: archive, catalog: catalog, snapshot: snapshot, before: cut, allowsGap: allowsGap)
    var result = SealedSegments(
      archivePath: archive.path, store: plan.store, segments: adopted, last: plan.sealed,
      head: catalog.head)
    guard let first = plan.first, let last = plan.last else { return result }
    try folder.checkSpace(in: catalog)
    do throws(Errno) {
      try snapshot.location.synchronizeLog()
    } catch {
      throw StoreError.unreadable(path: snapshot.location.path, reason: error.description)
    }
    try folder.makeFolder(ofStore: plan.store)
    let schema = try SegmentSchema(snapshot)
    var query = HistoryQuery(after: first.number - 1, until: last.number)
    query.recordedValues = recordedValues
    var after = plan.after
    var count: Int64 = 0
    while query.range != nil,
      let (manifest, digest) = try sealSegment(
        snapshot, helpers, query, of: plan.store, schema: schema, following: after,
        progress: { [count] in progress($0, count + $1, plan.transactionCount) })
    {
      let entry = CatalogEntry(.segment, manifest, digest, in: catalog)
      try folder.append(entry, to: &catalog)
      result.segments.append(.init(entry: entry, manifest: manifest, isAdopted: false))
      result.last = manifest.last
      result.head = catalog.head
      onSegment(result)
      query.after = manifest.last.number
      if query.range != nil { try folder.checkSpace(in: catalog) }
      after = manifest.last.number
      count += manifest.transactionCount
    }
    return result
  }

  /// Lists segments in the catalog that an interrupted run has sealed, and removes other remains of it.
  private func adoptOrphans(
    _ snapshot: StoreSnapshot, _ catalog: inout ArchiveCatalog
  ) throws -> [SealedSegments.Segment] {
    let store = try SealingPlan.identifier(of: snapshot)
    let orphans = OrphanedSegments(archive: folder.archive, store: store)
    let adopted = try orphans.adoptable(catalog, snapshot, allowsGap: allowsGap)
    for segment in adopted { try folder.append(segment.entry, to: &catalog) }
    try orphans.removeRemains(except: catalog)
    return adopted
  }
}

/// What one run of sealing has added to an archive.
package struct SealedSegments: Hashable, Sendable {
  package struct Segment: Hashable, Sendable {
    package let entry: CatalogEntry
    package let manifest: SegmentManifest
    /// Whether an interrupted run had sealed it and not listed it in the catalog.
    package let isAdopted: Bool
  }

  package let archivePath: String
  package let store: String
  /// The segments that were added to the catalog, oldest first.
  package internal(set) var segments: [Segment] = []
  /// The last transaction that is sealed, or `nil` if there is none.
  package internal(set) var last: TransactionPosition?
  /// The head of the catalog's chain.
  package internal(set) var head: ArchiveAnchor

  package var transactionCount: Int64 { sum { $0.transactionCount } }
  package var changeCount: Int64 { sum { $0.changeCount } }
  package var byteCount: Int64 { sum { $0.byteCount } }
  package var textByteCount: Int64 { sum { $0.textByteCount } }

  // The manifest of an adopted segment may have any numbers, so that sums may overflow.
  private func sum(_ value: (SegmentManifest) -> Int64) -> Int64 {
    segments.reduce(0) { $0 &+ value($1.manifest) }
  }
}
