import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing

/// A report of an operation while it works: a warning, or its progress.
///
/// Counts are totals since the operation began. If a signal or an error ends it, the last event has the
/// final counts.
package enum OperationEvent {
  /// A problem that does not end the operation, with its name for scripts, and whether the store or the archive is
  /// damaged.
  case warning(kind: String, String, hint: String?, isDamage: Bool = false)
  /// A save that a program had not finished was rolled back.
  case rolledBackSave(store: String)
  /// Transactions were written; `file` is `nil` for an output other than a file.
  case exporting(ExportSummary, store: String, file: String?)
  /// Histories of a run over several were exported, had nothing new, or failed.
  case exportedHistories(Int64, of: Int64)
  /// Transactions were packed, or compared with the store.
  case sealing(ArchiveSealer.Step, transactions: Int64, total: Int64)
  /// Segments were added to an archive; `nil` at the beginning.
  case sealed(SealedSegments?, store: String, archive: String)
  /// A plan is about to be carried out, which lets bookmarks expire.
  case pruning(PrunePlan, lost: [BookmarkEffect])
  case deleting(DeletedHistory, PrunePlan)
  /// The bytes that the history occupies after a plan was carried out.
  case historyMeasured(bytes: Int64, PrunePlan)
  case readingArchive(changes: Int)
  case restoring(InsertedHistory, RestorePlan)
  /// Rows were written into a scrubbed copy.
  case scrubbing(rows: Int64, total: Int64, copy: String)
  /// Free pages were returned to the file system.
  case freeing(pages: Int64, store: String)
  case rebuilding(store: String)
  /// A part of the work is complete, so there is nothing to report about it if the rest fails.
  case finished
}

/// Receives the events of an operation, one at a time, on any of its threads.
package typealias OperationObserver = (OperationEvent) -> Void
