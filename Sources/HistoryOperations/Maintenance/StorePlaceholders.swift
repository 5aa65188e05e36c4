import DurableFiles
import StoreFormat
import SystemPackage

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
