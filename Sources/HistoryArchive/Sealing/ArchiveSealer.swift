import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Seals the history of a store in an archive.
///
/// What is sealed is safe on the disk, was read back and compared with a second reading of the store,
/// and only then entered into the catalog. Interrupted at any place, it leaves a sound archive, and
/// the next run goes on. One program at a time seals in an archive: the folder is locked for as long
/// as this lives.
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
  /// What is being done with a segment.
  package enum Step: Hashable, Sendable {
    /// The history is read, packed and written.
    case packing
    /// What was written is read back and compared with the store.
    case comparing
  }

  /// How much text a segment has unless told otherwise, in bytes.
  package static let defaultSegmentSize: Int64 = 64 << 20
  /// How much text a segment can be told to have, in bytes.
  package static let segmentSizes: ClosedRange<Int64> = 1 << 16...1 << 34

  /// About how much text a segment has, in bytes, before it is packed.
  package var segmentSize = ArchiveSealer.defaultSegmentSize
  /// Whether history may be missing between what is sealed and what the store has.
  package var allowsGap = false
  /// The old and new values of updates that were recorded beside the store, which are sealed with their
  /// changes; nil for none.
  package var recordedValues: RecordedValues?
  /// Is called with what was added to the archive so far, after each segment.
  package var onSegment: (SealedSegments) -> Void = { _ in }

  let folder: ArchiveFolder
  private let permissions: FilePermissions

  /// Makes an archive where there is none, and locks it.
  ///
  /// - Parameters:
  ///   - archivePath: The folder.
  ///   - store: The store; nobody may read the archive who may not read it.
  ///   - lockWait: How long to wait for another program that is at work there, in seconds.
  /// - Throws: ``ArchiveError``.
  package init(
    archivePath: String, store: StoreLocation, lockWait: Double = 0
  ) throws(ArchiveError) {
    permissions = store.filePermissions()
    folder = try ArchiveFolder(path: archivePath, permissions: permissions, lockWait: lockWait)
  }

  private var archive: Archive { folder.archive }

  /// Seals what is not sealed yet.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - helpers: Threads that read the same snapshot.
  ///   - cut: Only transactions before it; nil for all but the newest.
  ///   - progress: Is told how many transactions are packed, or compared, and of how many; one call at
  ///     a time, but on any of the threads.
  /// - Returns: What was added to the archive.
  /// - Throws: ``ArchiveError``, ``/HistoryCoding/CompressionError``, ``/StoreFormat/StoreError``.
  package func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, before cut: HistoryCut? = nil,
    progress: @escaping @Sendable (_ step: Step, _ count: Int64, _ total: Int64) -> Void = {
      _, _, _ in
    }
  ) throws -> SealedSegments {
    guard let recordedValues else { return try seal(snapshot, helpers, nil, before: cut, progress) }
    // They are read twice, to compare, and others may erase some of them in between.
    return try recordedValues.inOneState {
      try seal(snapshot, helpers, $0, before: cut, progress)
    }
  }

  private func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ recordedValues: RecordedValues?,
    before cut: HistoryCut?,
    _ progress: @escaping @Sendable (_ step: Step, _ count: Int64, _ total: Int64) -> Void
  ) throws -> SealedSegments {
    var catalog = try folder.repairedCatalog()
    let adopted = try adoptOrphans(snapshot, &catalog)
    let plan = try SealingPlan(
      archive: archive, catalog: catalog, snapshot: snapshot, before: cut, allowsGap: allowsGap)
    var result = SealedSegments(
      archivePath: archive.path, store: plan.store, segments: adopted, last: plan.sealed,
      head: catalog.head)
    guard let first = plan.first, let last = plan.last else { return result }
    try folder.expectRoom(in: catalog)
    do throws(Errno) {
      try snapshot.location.synchronizeLog()
    } catch {
      throw StoreError.unreadable(path: snapshot.location.path, reason: error.description)
    }
    let storePath = archive.storePath(plan.store)
    try ArchiveFolder.make(
      storePath, permissions: ArchiveFolder.folderPermissions(permissions))
    let run = SegmentSealing(
      archive: archive, store: plan.store, permissions: permissions, segmentSize: segmentSize,
      schema: try SegmentSchema(snapshot), recordedValues: recordedValues)
    var after = plan.after
    var start = first.number - 1
    var count: Int64 = 0
    while start < last.number,
      let manifest = try run.seal(
        snapshot, helpers, after: start, until: last.number, goingOnBehind: after,
        progress: { [count] in progress($0, count + $1, plan.transactionCount) })
    {
      let entry = CatalogEntry(
        store: plan.store, first: manifest.first.number, last: manifest.last.number, after: after,
        manifestDigest: ArchiveDigest(of: manifest.bytes), previousDigest: catalog.head.digest)
      try folder.append(entry, to: &catalog, permissions: permissions)
      result.segments.append(.init(entry: entry, manifest: manifest, isAdopted: false))
      result.last = manifest.last
      onSegment(result)
      start = manifest.last.number
      if start < last.number { try folder.expectRoom(in: catalog) }
      after = start
      count += manifest.transactionCount
    }
    result.head = catalog.head
    return result
  }

  /// Enters segments into the catalog that an interrupted run has sealed, and removes what it left of
  /// others.
  private func adoptOrphans(
    _ snapshot: StoreSnapshot, _ catalog: inout ArchiveCatalog
  ) throws -> [SealedSegments.Segment] {
    guard let store = snapshot.metadata.storeIdentifier, SegmentName.isStoreFolder(store) else {
      throw ArchiveError.unnamedStore(path: snapshot.location.path)
    }
    let orphans = OrphanedSegments(archive: archive, store: store)
    let adopted = try orphans.adoptable(catalog, snapshot, allowsGap: allowsGap)
    for segment in adopted {
      try folder.append(segment.entry, to: &catalog, permissions: permissions)
    }
    orphans.removeRemains(exceptOf: catalog)
    return adopted
  }
}
