import HistoryCoding
import PersistentHistory

/// What to do with a group of stores.
package struct MaintenanceSettings {
  /// The destination of new transactions.
  package struct Export {
    package let folder: String
    package let bookmark: String
    package let format: ExportFormat
    package let compression: ExportCompression

    package init(
      folder: String, bookmark: String, format: ExportFormat, compression: ExportCompression
    ) {
      self.folder = folder
      self.bookmark = bookmark
      self.format = format
      self.compression = compression
    }
  }

  /// The name of the group.
  package let section: String
  package let stores: [StorePattern]
  /// Whether stores may be missing.
  package var missingIsAllowed = false
  /// Whether a pattern may lead out of its folder by links.
  package var followsLinks = false
  /// The file that keeps the bookmarks; `nil` for the one beside each store.
  package var bookmarkFile: String?
  /// Seconds to wait for a locked store.
  package var busyTimeout = 5.0
  /// The first step; `nil` to export nothing.
  package var export: Export?
  /// The second step; `nil` to prune nothing.
  package var prune: PruneRequest?
  /// The archive for pruned history; `nil` to seal nothing.
  package var archive: String?
  /// The step after pruning: what to forget and merge in the archive; `nil` for nothing.
  package var forget: ForgetRequest?
  /// The last step: whether to free pages.
  package var compacts = false

  package init(section: String, stores: [StorePattern]) {
    self.section = section
    self.stores = stores
  }
}
