import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// One run of `compact` over one store.
struct CompactRun {
  let session: Session
  let store: StoreOptions
  let ignoredGuards: Set<String>

  /// Gives back what there is and tells of it.
  func run(isFull: Bool, _ writer: OutputWriter) throws {
    let compactor = try StoreCompactor(
      guarded: store.store, busyTimeout: store.busyTimeout, ignoredGuards: ignoredGuards)
    let result = isFull ? try rebuild(compactor) : try giveBack(compactor)
    let report = CompactReport(result, path: store.store, isFull: isFull)
    try report.write(session, writer)
    if let obstacle = result.obstacle {
      session.diagnostics.report(Failure(obstacle, path: store.store))
      session.end(with: .partlyDone)
    }
  }

  private func rebuild(_ compactor: StoreCompactor) throws -> CompactionResult {
    session.console.workDone.note(
      "\(store.store) was not rebuilt, and is as it was", [("path", .string(store.store))],
      isBegun: false, in: session)
    let result = try compactor.rebuild()
    session.console.workDone.clear()
    return result
  }

  private func giveBack(_ compactor: StoreCompactor) throws -> CompactionResult {
    let progress = session.diagnostics.wordWriter.map {
      Progress(
        label: "giving back", unit: "pages", environment: session.environment, diagnostics: $0)
    }
    defer { progress?.finish() }
    session.noteGivenBack(pages: 0, of: store.store)
    let result = try compactor.giveBackFreePages {
      progress?.update($0)
      session.noteGivenBack(pages: $0, of: store.store)
    }
    session.console.workDone.clear()
    return result
  }
}

extension Session {
  /// Notes how far giving back the free pages of a store is.
  func noteGivenBack(pages: Int64, of path: String) {
    console.workDone.note(
      "\(pages.grouped) pages of \(path) were given back; the command goes on when run again",
      [("path", .string(path)), ("givenBackPages", .integer(pages))],
      isBegun: pages > 0, in: self)
  }
}

extension StoreCompactor {
  /// Chooses a store that shows no damage, unless that guard is ignored.
  convenience init(guarded path: String, busyTimeout: Double, ignoredGuards: Set<String>) throws {
    let ignoresDamage = ignoredGuards.contains(RetentionGuard.damageName)
    if !ignoresDamage {
      do {
        try StoreFile(path: path, busyTimeout: busyTimeout).read { _ in }
      } catch StoreError.unfinishedSave {
        try StoreFile.rollBackUnfinishedSave(at: path, busyTimeout: busyTimeout)
      }
      try StoreFile(path: path, busyTimeout: busyTimeout).read { try EvidentDamage.check($0) }
    }
    try self.init(path: path, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
  }
}

extension Failure {
  /// What kept a store from giving back all its free pages.
  init(_ obstacle: CompactionResult.Obstacle, path: String) {
    let reason =
      switch obstacle {
      case .busy: "another program held the store"
      case .pinnedLog: "a reader kept the log from being moved into the store"
      }
    self.init(
      status: .partlyDone, kind: "partlyDone",
      message: "\(path): not all free pages could be given back: \(reason)",
      hint: "run the command again, which goes on where it ended",
      details: [("store", .string(path))])
  }
}
