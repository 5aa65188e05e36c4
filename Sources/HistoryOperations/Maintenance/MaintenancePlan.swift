import DurableFiles
import PersistentHistory
import StoreFormat
import SystemPackage

/// The stores that settings name, as they exist now.
package struct MaintenancePlan {
  /// A group of settings with its stores.
  package struct Part {
    package let settings: MaintenanceSettings
    /// The paths of the stores, each once.
    package fileprivate(set) var stores: [String] = []
    /// Those of the stores that only a pattern has: of them, those without history are skipped.
    fileprivate(set) var found: Set<FilePath> = []
    /// Stores that are left out, and why. The other stores are still maintained.
    package fileprivate(set) var failures: [(path: String, error: OperationError)] = []
    /// Links that lead out of the folder of a pattern, with their targets. They are skipped.
    package fileprivate(set) var skippedLinks: [(path: String, target: String)] = []
  }

  package private(set) var parts: [Part] = []
  private let places: ExportPlaces

  /// Finds the stores.
  ///
  /// - Parameters:
  ///   - sections: The settings.
  ///   - configPath: The file that they are from, for messages.
  ///   - only: Names of the sections and paths of the stores to include; empty for all.
  /// - Throws: ``OperationError`` if one of them is neither.
  package init(
    _ sections: [MaintenanceSettings], configPath: String, only: [String]
  ) throws(OperationError) {
    var owners: [FilePath: String] = [:]
    for settings in sections {
      var part = Part(settings: settings)
      for pattern in settings.stores { part.add(pattern, configPath, &owners) }
      part.checkBookmarkFile()
      parts.append(part)
    }
    // Before the limit: a store that is left out keeps its place.
    places = ExportPlaces(parts)
    guard !only.isEmpty else { return }
    for word in only where !parts.contains(where: { $0.isMeant(by: word) }) {
      let names = parts.map(\.settings.section)
      let near = NearNames.of(word, in: names)
      throw OperationError(
        .usage, "\(configPath) has neither a section nor a store '\(word)'",
        hint: near.isEmpty
          ? "its sections are \(names.joined(separator: ", "))"
          : "did you mean \(near.joined(separator: " or "))?")
    }
    let resolved = only.map(Self.resolved)
    for index in parts.indices where !only.contains(parts[index].settings.section) {
      parts[index].stores.removeAll { store in
        !only.contains(store) && !resolved.contains(Self.resolved(store))
      }
      parts[index].found = []
      parts[index].failures.removeAll { !only.contains($0.path) }
    }
    parts.removeAll { $0.stores.isEmpty && $0.failures.isEmpty }
  }

  /// The errors of stores that can be found without maintaining them.
  package var failures: [any Error] {
    parts.flatMap { part in
      part.failures.map(\.error)
        + part.stores.flatMap { store -> [any Error] in
          [failure(ofLocationOf: store), failure(ofPlaceOf: store)].compactMap(\.self)
        }
    }
  }

  /// Errors for stores that two sections name. Nothing may be done then, because their settings can
  /// conflict.
  package var overlaps: [OperationError] {
    parts.flatMap(\.failures).map(\.error).filter { $0.kind == .storeInTwoSections }
  }

  private func failure(ofLocationOf store: String) -> (any Error)? {
    do throws(StoreError) {
      _ = try StoreLocation(path: store)
      return nil
    } catch {
      return error
    }
  }

  /// Returns an error if a store would export to the files of another one.
  func failure(ofPlaceOf store: String) -> OperationError? {
    guard let owner = places.owner(besides: store) else { return nil }
    return OperationError(
      .sharedPlace,
      "\(store) has the identifier of \(owner), so that both would export to the same files",
      hint: "it is a copy of that store; give each a folder of its own: "
        + "export.output-dir = FOLDER/{parent}/{name}",
      details: [("store", .string(store))])
  }

  /// The path without links, so that two paths to one store are noticed.
  fileprivate static func resolved(_ path: String) -> String { FileStatus.resolve(path) ?? path }
}

extension MaintenancePlan.Part {
  fileprivate mutating func add(
    _ pattern: StorePattern, _ configPath: String, _ owners: inout [FilePath: String]
  ) {
    let matches: StorePattern.Matches
    do {
      matches = try pattern.matches(followingLinks: settings.followsLinks)
    } catch {
      return failures.append((pattern.text, error))
    }
    skippedLinks += matches.links
    if matches.paths.isEmpty, matches.links.isEmpty, !settings.missingIsAllowed {
      let error = OperationError(
        .missing, "[\(settings.section)]: no file is there for \(pattern.text)",
        hint: "correct the pattern, or add missing-ok = yes")
      failures.append((pattern.text, error))
    }
    for path in matches.paths {
      if settings.missingIsAllowed, Self.isMissing(path) { continue }
      let resolved = FilePath(MaintenancePlan.resolved(path))
      guard let owner = owners[resolved] else {
        owners[resolved] = settings.section
        stores.append(path)
        if pattern.isPattern { found.insert(FilePath(path)) }
        continue
      }
      guard owner != settings.section else { continue }
      let error = OperationError(
        .storeInTwoSections,
        "\(path) is in [\(owner)] already, and in [\(settings.section)] too",
        hint: "let one section have it in \(configPath)")
      failures.append((path, error))
    }
  }

  /// A file that cannot be examined does not count as missing.
  private static func isMissing(_ path: String) -> Bool {
    do throws(Errno) {
      return try FileStatus(path: path) == nil
    } catch {
      return false
    }
  }

  /// Refuses a bookmark file that is a store, or that several stores would share: their consumers of one
  /// name would replace each other's bookmarks.
  fileprivate mutating func checkBookmarkFile() {
    guard let file = settings.bookmarkFile else { return }
    func refuse(_ store: String, _ message: String, hint: String) {
      let error = OperationError(
        .config, "[\(settings.section)]: bookmark-file \(message)", hint: hint)
      failures.append((store, error))
    }
    if stores.count > 1, !settings.hasPlaceholder(file) {
      refuse(
        file, "is for one store, and there are \(stores.count); they are left as they are",
        hint: "write {parent} or {name} in it, or leave bookmark-file out")
      stores = []
      return
    }
    var owners: [FilePath: String] = [:]
    var kept: [String] = []
    for store in stores {
      // A store that cannot be read fails later, when it is maintained.
      guard let own = try? settings.expanded(for: store).bookmarkFile else {
        kept.append(store)
        continue
      }
      if BookmarkFile.isFile(own, ofStoreAt: store) {
        refuse(
          store, "names \(store) itself, or a file that belongs to it", hint: "name another file")
        continue
      }
      let place = FilePath(FileStatus.resolvedPlace(own))
      if let owner = owners[place] {
        refuse(
          store, "is \(own) for \(owner) already; \(store) is left as it is",
          hint: "write {parent} and {name} in it, so that each store has another")
      } else {
        owners[place] = store
        kept.append(store)
      }
    }
    stores = kept
  }

  /// Whether a word names the section or one of its stores.
  fileprivate func isMeant(by word: String) -> Bool {
    let resolved = FilePath(MaintenancePlan.resolved(word))
    return word == settings.section
      || (stores + failures.map(\.path)).contains {
        FilePath($0) == FilePath(word) || FilePath(MaintenancePlan.resolved($0)) == resolved
      }
  }
}

/// The folder and identifier by which each store names its exported files.
///
/// A copy of a store has its identifier, and so have stores made from one template. In one folder, the
/// files of one would be taken for the other's, and history that was not exported would be pruned.
private struct ExportPlaces {
  private struct Place: Hashable {
    let folder: FilePath
    let identifier: String
  }

  /// The first store with each place, in the order of the config file.
  private var owners: [Place: String] = [:]
  private var places: [FilePath: Place] = [:]

  init(_ parts: [MaintenancePlan.Part]) {
    let exporting = parts.filter { $0.settings.export != nil }
    guard exporting.reduce(0, { $0 + $1.stores.count }) > 1 else { return }
    for part in exporting {
      for path in part.stores {
        // A store that cannot be read fails later, when it is maintained.
        guard let folder = try? part.settings.expanded(for: path).export?.folder,
          let file = try? StoreFile(path: path, busyTimeout: part.settings.busyTimeout),
          let identifier = try? file.read({ $0.metadata.storeIdentifier })
        else { continue }
        let place = Place(
          folder: FilePath(
            MaintenancePlan.resolved(FilePath(folder).lexicallyNormalized().string)),
          identifier: identifier)
        places[FilePath(path)] = place
        if owners[place] == nil { owners[place] = path }
      }
    }
  }

  /// Returns the other store that has a store's place.
  func owner(besides path: String) -> String? {
    places[FilePath(path)].flatMap { owners[$0] }
      .flatMap { FilePath($0) == FilePath(path) ? nil : $0 }
  }
}
