import PersistentHistory

/// A key of the config file: what a command is told, by the name of the command and of its option.
enum MaintenanceKey: String, CaseIterable {
  case store
  case missingOK = "missing-ok"
  case followLinks = "follow-links"
  case bookmarkFile = "bookmark-file"
  case busyTimeout = "busy-timeout"
  case exportOutputDir = "export.output-dir"
  case exportBookmark = "export.bookmark"
  case exportFormat = "export.format"
  case exportCompress = "export.compress"
  case pruneKeepWithin = "prune.keep-within"
  case pruneKeepLast = "prune.keep-last"
  case pruneMaxSize = "prune.max-size"
  case pruneIfLarger = "prune.if-larger"
  case pruneMaxBehind = "prune.max-behind"
  case pruneIgnoreGuard = "prune.ignore-guard"
  case pruneArchive = "prune.archive"
  case compact

  /// Whether it may stand more than once in a section.
  var isList: Bool { self == .store || self == .pruneIgnoreGuard }

  /// Whether it belongs to one section and cannot be a default.
  var isOfOneSection: Bool { self == .store || self == .bookmarkFile }

  /// The command that it tells something, where that takes more than this key.
  var command: String? {
    rawValue.firstIndex(of: ".").map { String(rawValue[..<$0]) }
  }

  /// The keys that somebody may have meant by a name that is none.
  static func near(_ name: String) -> [String] {
    let option = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
    // The option's name alone, or with a dash behind the command.
    let meant = allCases.map(\.rawValue).filter {
      $0.split(separator: ".").last.map(String.init) == option
        || $0.replacing(".", with: "-") == option
    }
    return meant.isEmpty ? NearNames.of(option, in: allCases.map(\.rawValue)) : meant
  }
}
