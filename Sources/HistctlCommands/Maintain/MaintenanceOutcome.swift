import HistoryArchive
import PersistentHistory
import StoreEditing
import StoreFormat

/// What maintaining one store has come to, or would: as far as it came.
struct MaintenanceOutcome {
  /// What was exported, or would be.
  struct Export {
    /// The file; nil where none was written.
    let path: String?
    let transactions: Int64
    let first: Int64
    let last: Int64
  }

  /// What was deleted, or would be.
  struct Prune {
    let plan: PrunePlan
    let deleted: DeletedHistory
    /// The bookmarks that expire with it.
    let lost: [BookmarkOutlook]
  }

  /// The section of the config file.
  let section: String
  /// The store, as the config file names it.
  let path: String
  /// Whether nothing was to be changed.
  let isDryRun: Bool
  /// Nil where nothing was new.
  var export: Export?
  /// What was sealed of what was deleted; nil where nothing was to be.
  var sealed: SealedSegments?
  /// What was deleted, or would be; nil where nothing was to be.
  var prune: Prune?
  /// How many bytes were given back, or would be; nil for none.
  var givenBack: Int64?
  /// What went wrong; later steps were left out then.
  var failure: Failure?

  /// Whether anything happened, or would.
  var hasNews: Bool { export != nil || prune != nil || givenBack != nil || hasSealed }

  /// Whether something new was sealed.
  var hasSealed: Bool { sealed.map { !$0.segments.isEmpty } ?? false }
}
