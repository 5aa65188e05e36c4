import HistoryArchive
import PersistentHistory
import StoreFormat

/// How history is to be sealed in an archive.
package struct SealingRequest {
  package let archivePath: String
  /// Seconds to wait for a locked store.
  package var busyTimeout: Double
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
  package var ignoredGuards: Set<String>

  package init(archivePath: String, busyTimeout: Double, ignoredGuards: Set<String> = []) {
    self.archivePath = archivePath
    self.busyTimeout = busyTimeout
    self.ignoredGuards = ignoredGuards
  }
}

/// Seals the beginning of a store's history in an archive.
package struct SealingOperation {
  /// Chooses what to seal: all transactions before a cut, or with `nil` all but the newest.
  package typealias Selection = (StoreSnapshot) throws -> HistoryCut?

  package let request: SealingRequest
  private let observer: OperationObserver

  package init(_ request: SealingRequest, observer: @escaping OperationObserver) {
    self.request = request
    self.observer = observer
  }

  /// Works out what sealing would add.
  package func plan(_ path: String, before cut: Selection) throws -> SealingPlan {
    // Otherwise a damaged log is an error, not a warning.
    let file =
      request.ignoredGuards.contains(RetentionGuard.damageName)
      ? try StoreReading.open(path, busyTimeout: request.busyTimeout, observer: observer)
      : try StoreFile(path: path, busyTimeout: request.busyTimeout)
    guard !file.location.owns(request.archivePath) else {
      throw OperationError.ontoItself(
        "an archive at \(request.archivePath)", of: path, hint: "name another folder")
    }
    return try file.read { snapshot in
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      return try SealingPlan(
        archivePath: request.archivePath, snapshot: snapshot, before: try cut(snapshot),
        allowsGap: request.allowsGap)
    }
  }

  /// Seals.
  package func seal(_ path: String, before cut: Selection) throws -> SealedSegments {
    let file = try StoreFile(path: path, busyTimeout: request.busyTimeout)
    // Check first, so that a wrong path or token creates no folder.
    _ = try plan(path, before: cut)
    let archive = request.archivePath
    let sealer = try ArchiveSealer(
      archivePath: archive, store: file.location, lockWait: request.lockWait)
    sealer.segmentSize = request.segmentSize
    sealer.allowsGap = request.allowsGap
    return try file.read(withHelpers: StoreReading.helperCount) { snapshot, helpers in
      try StoreReading.warnOfModel(in: snapshot, observer: observer)
      // A value that cannot be read now would be lost permanently, so this must not fail silently.
      if !request.omitsValues {
        sealer.recordedValues = try RecordedValues(beside: snapshot, path: request.valuesPath)
      }
      // One call at a time, whichever thread it comes from.
      nonisolated(unsafe) let observer = observer
      observer(.sealed(nil, store: path, archive: archive))
      sealer.onSegment = { observer(.sealed($0, store: path, archive: archive)) }
      let sealed = try sealer.seal(snapshot, helpers, before: try cut(snapshot)) {
        observer(.sealing($0, transactions: $1, total: $2))
      }
      observer(.finished)
      return sealed
    }
  }
}
