import HistoryCoding
import PersistentHistory

/// What to do with a group of stores.
package struct MaintenanceSettings {
  /// The destination of new transactions.
  package struct Export {
    package internal(set) var folder: String
    package let bookmark: String
    package let layout: ExportFolder.Layout
    package let format: ExportFormat
    package let compression: ExportCompression
    package let encoder: any HistoryEncoder
    /// Whether old and new values are left out.
    let omitsValues: Bool
    /// Returns which transactions and changes to export.
    package let query: (TokenResolver) throws -> HistoryQuery

    package init(
      folder: String, bookmark: String, layout: ExportFolder.Layout, format: ExportFormat,
      compression: ExportCompression, encoder: any HistoryEncoder, omitsValues: Bool,
      query: @escaping (TokenResolver) throws -> HistoryQuery
    ) {
      (self.folder, self.bookmark, self.layout) = (folder, bookmark, layout)
      (self.format, self.compression, self.encoder) = (format, compression, encoder)
      (self.omitsValues, self.query) = (omitsValues, query)
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
  /// How pruned history is sealed; `nil` to seal nothing.
  package var sealing: SealingRequest?
  /// Whether values in the log are lost when pruning or compacting empties it.
  package var omitsLogValues = false
  /// The step after pruning: what to forget and merge in the archive; `nil` for nothing.
  package var forget: ForgetRequest?
  /// The last step: whether to free pages.
  package var compacts = false
  /// Whether the store is rebuilt instead.
  package var compactsFully = false
  /// The names of guards that the last step ignores.
  package var compactGuards: Set<String> = []
  /// The options that no other property has, as the keys and values of the config file.
  package var otherOptions: [String] = []

  package init(section: String, stores: [StorePattern]) {
    self.section = section
    self.stores = stores
  }
}
