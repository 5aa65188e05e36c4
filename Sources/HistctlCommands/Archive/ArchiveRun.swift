import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Seals the history of stores in one archive.
struct ArchiveRun {
  let session: Session
  let archivePath: String
  let busyTimeout: Double
  /// How long to wait for another program at work on the archive, in seconds.
  var lockWait: Double = 0
  /// How much text a segment has before it is packed, in bytes.
  var segmentSize = ArchiveSealer.defaultSegmentSize
  /// Whether history may be missing between the archive and the store.
  var allowsGap = false
  /// Whether recorded values are sealed with their changes.
  var values = ValuesOptions.usual
  /// The names of guards that are not asked.
  var ignoredGuards: Set<String> = []

  /// What sealing would add.
  ///
  /// - Parameter cut: What is to be sealed: all before it, or with nil all but the newest.
  func plan(
    _ path: String, before cut: (StoreSnapshot) throws -> HistoryCut?
  ) throws -> SealingPlan {
    let file =
      ignoredGuards.contains(RetentionGuard.damageName)
      ? try session.open(path, busyTimeout: busyTimeout)
      : try StoreFile(path: path, busyTimeout: busyTimeout)
    return try file.read { snapshot in
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: ignoredGuards)
      return try SealingPlan(
        archivePath: archivePath, snapshot: snapshot, before: try cut(snapshot),
        allowsGap: allowsGap)
    }
  }

  /// Seals.
  func seal(
    _ path: String, before cut: (StoreSnapshot) throws -> HistoryCut?
  ) throws -> SealedSegments {
    let file = try StoreFile(path: path, busyTimeout: busyTimeout)
    // What is no store must not leave a folder behind, nor a token that is none.
    _ = try plan(path, before: cut)
    let sealer = try ArchiveSealer(
      archivePath: archivePath, store: file.location, lockWait: lockWait)
    sealer.segmentSize = segmentSize
    sealer.allowsGap = allowsGap
    return try file.read(withHelpers: Session.helperCount) { snapshot, helpers in
      _ = try session.schema(of: snapshot)
      // What cannot be read now would be missing for ever.
      sealer.recordedValues = try values.values(snapshot)
      let progress = SealingProgress(session)
      defer { progress.finish() }
      note(nil, of: path)
      sealer.onSegment = { note($0, of: path) }
      let sealed = try sealer.seal(snapshot, helpers, before: try cut(snapshot)) {
        progress.update($0, $1, of: $2)
      }
      session.console.workDone.clear()
      return sealed
    }
  }

  private func note(_ sealed: SealedSegments?, of path: String) {
    let last = sealed?.segments.last?.entry.last
    session.console.workDone.note(
      sealed.map {
        "\($0.transactionCount.grouped) transactions of \(path), up to \(last ?? 0), were sealed in "
          + "\(archivePath); the command goes on when run again"
      } ?? "nothing of \(path) was sealed in \(archivePath)",
      [
        ("path", .string(path)), ("archive", .string(archivePath)),
        ("sealedTransactions", .integer(sealed?.transactionCount ?? 0)),
      ] + (last.map { [("last", .integer($0))] } ?? []), isBegun: last != nil,
      in: session)
  }

  /// Up to where the archive has what a store still has, everything read anew.
  func verifiedReach(_ path: String) throws -> SealedHistory {
    try StoreFile(path: path, busyTimeout: busyTimeout).read { snapshot in
      SealedHistory(
        archivePath: archivePath, last: try Archive(path: archivePath).verifiedReach(of: snapshot))
    }
  }
}

extension ArchiveRun {
  /// A run as the options of a command want it.
  init(
    session: Session, archivePath: String, busyTimeout: Double, options: SealingOptions,
    values: ValuesOptions, ignoredGuards: Set<String>
  ) {
    self.init(
      session: session, archivePath: archivePath, busyTimeout: busyTimeout,
      lockWait: options.lockWait?.seconds(before: session.now) ?? 0,
      segmentSize: options.segmentSize?.bytes ?? ArchiveSealer.defaultSegmentSize,
      allowsGap: options.allowGap, values: values, ignoredGuards: ignoredGuards)
  }
}

/// Tells a person how far the sealing is, step by step.
///
/// It is told from one thread at a time.
private final class SealingProgress: @unchecked Sendable {
  private let session: Session
  private var current: (step: ArchiveSealer.Step, line: Progress)?

  init(_ session: Session) { self.session = session }

  func update(_ step: ArchiveSealer.Step, _ count: Int64, of total: Int64) {
    if current?.step != step {
      finish()
      current = session.diagnostics.wordWriter.map {
        (
          step,
          Progress(
            label: step == .packing ? "sealing" : "comparing", unit: "transactions", total: total,
            environment: session.environment, diagnostics: $0)
        )
      }
    }
    current?.line.update(count)
  }

  func finish() { current?.line.finish() }
}
