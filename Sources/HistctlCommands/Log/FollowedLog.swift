import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the newest transactions of a store and then every one that is saved, as it is saved.
struct FollowedLog {
  /// How many transactions are shown first, unless told otherwise.
  static let usualStart = 10

  let session: Session
  let store: StoreOptions
  let archive: ArchiveOptions

  /// Writes until the program is ended.
  ///
  /// - Parameters:
  ///   - start: Which transactions to show first.
  ///   - table: How to show transactions as text; nil for JSON lines.
  func write(
    start: (TokenResolver, HistoryTimeline) throws -> HistoryQuery,
    table: (OutputWriter, HistoryTimeline) throws -> TransactionTable?
  ) throws {
    let input = session.input(store, archive)
    guard try input.archiveAlone() == nil else {
      throw Failure(
        status: .usage, kind: "usage", message: "--follow waits for saves, which only a store has",
        hint: "leave out --follow, or give the store")
    }
    try session.write(usesPager: false) { writer in
      writer.flushesEachLine = true
      var query = HistoryQuery()
      var position: Int64 = 0
      var text: TransactionTable?
      let file = try session.open(store.store, busyTimeout: store.busyTimeout)
      try file.read { snapshot in
        _ = try snapshot.historyTables()
        let timeline = try input.timeline(of: snapshot)
        query = try start(input.resolver(timeline), timeline)
        text = try table(writer, timeline)
        position = try snapshot.newestTransaction()?.number ?? 0
        try write(
          TimelineReader(timeline, query: query, schema: session.schema(of: timeline)), writer,
          text,
          GapReport(session: session, timeline: timeline))
      }
      query.after = nil
      let follower = try HistoryFollower(
        path: store.store, busyTimeout: store.busyTimeout, query: query, after: position)
      try follower.run { event in
        switch event {
        case .transactions(let reader): try write(TimelineReader(reader), writer, text)
        case .gap(let after, let oldest):
          if let text {
            try text.writeGap(after: after, oldest: oldest)
          } else {
            try TransactionLines(writer: writer).write(
              HistoryGap(store: follower.storeIdentifier, after: after, oldest: oldest))
          }
        }
      }
    }
  }

  private func write(
    _ reader: TimelineReader, _ writer: OutputWriter, _ text: TransactionTable?,
    _ gaps: GapReport? = nil
  ) throws {
    if let text {
      _ = try text.write(reader)
    } else {
      try TransactionLines(writer: writer, gaps: gaps).write(reader)
    }
    try writer.flush()
  }
}
