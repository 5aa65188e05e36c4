import HistoryCoding
import PersistentHistory

/// What is to be done with the stores of one section of the config file.
struct MaintenanceSettings {
  /// Where new lines go.
  struct Export {
    let folder: String
    let bookmark: String
    let format: ExportFormat
    let compression: ExportCompression
  }

  /// The section's name.
  let section: String
  /// The line in which the section begins.
  let line: Int
  /// The stores, each a path or a pattern of paths.
  let stores: [StorePattern]
  /// Whether it is no mistake that a store is not there.
  let missingIsAllowed: Bool
  /// Whether links are followed that lead out of the folder of a pattern.
  let followsLinks: Bool
  /// The file that keeps the bookmarks; nil for those beside the stores.
  let bookmarkFile: String?
  /// How long to wait for a store that is locked, in seconds.
  let busyTimeout: Double
  /// The first step; nil where nothing is exported.
  let export: Export?
  /// The second step; nil where nothing is pruned.
  let prune: PruneRequest?
  /// The archive in which is sealed what is pruned; nil for none.
  let archive: String?
  /// Whether free pages are given back in the end.
  let compacts: Bool
}
