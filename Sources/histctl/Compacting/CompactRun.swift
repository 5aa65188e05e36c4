import PersistentHistory
import StoreFormat

/// One run of `compact` over one store.
struct CompactRun {
  let session: Session
  let store: StoreOptions

  /// Gives back what there is and tells of it.
  func run(isFull: Bool, _ writer: OutputWriter) throws {
    let compactor = try StoreCompactor(path: store.store, busyTimeout: store.busyTimeout)
    let result = isFull ? try compactor.rebuild() : try giveBack(compactor)
    let report = CompactReport(result, path: store.store, isFull: isFull)
    try report.write(session, writer)
    if let obstacle = result.obstacle {
      session.diagnostics.report(Failure(obstacle, path: store.store))
      session.end(with: .partlyDone)
    }
  }

  private func giveBack(_ compactor: StoreCompactor) throws -> CompactionResult {
    let progress = session.diagnostics.wordWriter.map {
      Progress(
        label: "giving back", unit: "pages", environment: session.environment, diagnostics: $0)
    }
    defer { progress?.finish() }
    return try compactor.giveBackFreePages { progress?.update($0) }
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
