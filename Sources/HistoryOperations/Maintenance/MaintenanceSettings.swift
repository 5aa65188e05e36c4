import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

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

/// The words in braces that stand for a store in the paths of settings, so that each of many stores has paths of its
/// own.
package enum StorePlaceholder: String, CaseIterable, Sendable {
  /// The name of the store's file without its ending.
  case name
  /// The name of the folder that the store is in.
  case parent
  /// The identifier of the store.
  case identifier

  package var text: String { "{\(rawValue)}" }

  /// Returns the first word in braces that is none of them; words have lower-case letters only.
  package static func unknown(in path: String) -> String? {
    path.matches(of: /\{[a-z]+\}/).map { String($0.output) }
      .first { word in !allCases.contains { $0.text == word } }
  }

  /// Returns a path with what stands for a store.
  ///
  /// - Throws: ``OperationError`` where the store has nothing that can be a part of a path, and ``StoreError``.
  static func expand(_ path: String, for store: String, busyTimeout: Double) throws -> String {
    var expanded = path
    for placeholder in allCases where path.contains(placeholder.text) {
      let value = try placeholder.value(of: store, busyTimeout)
      guard let value, !["", ".", ".."].contains(value), !value.contains("/") else {
        throw OperationError(
          .config,
          "\(store) has no \(placeholder.rawValue) that can stand for \(placeholder.text) in \(path)",
          hint: "give the store a section of its own")
      }
      expanded = expanded.replacing(placeholder.text, with: value)
    }
    return expanded
  }

  private func value(of store: String, _ busyTimeout: Double) throws -> String? {
    let path = FilePath(FileStatus.resolvedPlace(store))
    switch self {
    case .name: return path.stem
    case .parent: return path.removingLastComponent().lastComponent?.string
    case .identifier:
      return try StoreFile(path: store, busyTimeout: busyTimeout).read {
        $0.metadata.storeIdentifier
      }
    }
  }
}

extension MaintenanceSettings {
  /// Whether paths differ from store to store.
  func hasPlaceholder(_ path: String?) -> Bool {
    path.map { path in StorePlaceholder.allCases.contains { path.contains($0.text) } } ?? false
  }

  /// Returns the settings for one of the stores, with its own paths.
  ///
  /// - Throws: As ``StorePlaceholder/expand(_:for:busyTimeout:)``.
  func expanded(for store: String) throws -> MaintenanceSettings {
    func expand(_ path: String) throws -> String {
      try StorePlaceholder.expand(path, for: store, busyTimeout: busyTimeout)
    }
    var settings = self
    settings.bookmarkFile = try bookmarkFile.map(expand)
    settings.sealing?.archivePath = try sealing.map { try expand($0.archivePath) } ?? ""
    settings.export?.folder = try export.map { try expand($0.folder) } ?? ""
    settings.forget?.archivePath = try forget.map { try expand($0.archivePath) } ?? ""
    return settings
  }
}
