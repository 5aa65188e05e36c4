import HistoryArchive
import PersistentHistory
import StoreFormat

/// How history is to be sealed in an archive.
package struct SealingRequest {
  package internal(set) var archivePath: String
  /// Seconds to wait for another program that uses the archive.
  package var lockWait: Double = 0
  /// Bytes of text in a segment, before compression.
  package var segmentSize = ArchiveSealer.defaultSegmentSize
  /// Whether history may be missing between the archive and the store.
  package var allowsGap = false
  /// Whether to leave out recorded values.
  package var omitsValues = false
  /// The file of recorded values; `nil` for the one beside the store.
  package var valuesPath: String?
  /// The names of guards to ignore.
  var ignoredGuards: Set<String>

  package init(archivePath: String, ignoredGuards: Set<String> = []) {
    self.archivePath = archivePath
    self.ignoredGuards = ignoredGuards
  }
}

/// Seals the beginning of a store's history in an archive.
package struct SealingOperation {
  /// Chooses what to seal: all transactions before a cut, or with `nil` all but the newest.
  package typealias Selection = (StoreSnapshot) throws -> HistoryCut?

  package let request: SealingRequest
  private let context: StoreContext

  package init(_ context: StoreContext, _ request: SealingRequest) {
    self.context = context
    self.request = request
  }

  /// Opens the store to seal it.
  ///
  /// If the guard against damage is ignored, a damaged log is a warning; otherwise it is an error of the plan.
  package func open() throws -> StoreFile {
    let location = try StoreLocation(path: context.path)
    if request.ignoredGuards.contains(RetentionGuard.damageName) {
      try context.warnOfIgnoredSaves(in: location)
    }
    return try StoreFile(location: location, busyTimeout: context.busyTimeout)
  }

  /// Works out what sealing would add.
  package func plan(_ store: StoreFile, before cut: Selection) throws -> SealingPlan {
    try store.read { snapshot in
      try checkPlace(beside: snapshot)
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      return try plan(snapshot, before: try cut(snapshot))
    }
  }

  /// Works out what sealing would add, from a snapshot that was checked for damage.
  func plan(_ snapshot: StoreSnapshot, before cut: HistoryCut?) throws -> SealingPlan {
    try checkPlace(beside: snapshot)
    return try SealingPlan(
      archivePath: request.archivePath, snapshot: snapshot, before: cut,
      allowsGap: request.allowsGap)
  }

  private func checkPlace(beside snapshot: StoreSnapshot) throws {
    guard !snapshot.location.owns(request.archivePath) else {
      throw OperationError.ontoItself(
        "an archive at \(request.archivePath)", of: snapshot.location.path,
        hint: "name another folder")
    }
  }

  /// Seals what a plan says.
  ///
  /// Other programs may have saved since, so the store is checked for damage again, and the archive, as soon as it
  /// is locked, for what it has of the store.
  package func seal(_ plan: SealingPlan, of store: StoreFile) throws -> SealedSegments {
    let archive = request.archivePath
    let path = context.path
    let sealer = try ArchiveSealer(
      archivePath: archive, store: store.location, lockWait: request.lockWait)
    sealer.segmentSize = request.segmentSize
    sealer.allowsGap = request.allowsGap
    return try store.read(withHelpers: StoreReading.helperCount) { snapshot, helpers in
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      try StoreReading.warnOfModel(in: snapshot, observer: context.observer)
      // A value that cannot be read now would be lost permanently, so this must not fail silently.
      if !request.omitsValues {
        sealer.recordedValues = try RecordedValues(beside: snapshot, path: request.valuesPath)
      }
      // One call at a time, whichever thread it comes from.
      nonisolated(unsafe) let observer = context.observer
      observer(.sealed(nil, store: path, archive: archive))
      sealer.onSegment = { observer(.sealed($0, store: path, archive: archive)) }
      let sealed = try sealer.seal(snapshot, helpers, before: plan.cut) {
        observer(.sealing($0, transactions: $1, total: $2))
      }
      observer(.finished)
      return sealed
    }
  }
}
