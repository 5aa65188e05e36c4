import PersistentHistory
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The stores that a config file means, as they are found now.
struct MaintenancePlan {
  /// A section with its stores.
  struct Part {
    let settings: MaintenanceSettings
    /// The paths of its stores, each once.
    var stores: [String] = []
    /// What is wrong with the section as the stores are now; its other stores are maintained all
    /// the same.
    var failures: [(path: String, failure: Failure)] = []
    /// Links that lead out of the folder of a pattern, and where they lead to; they are left alone.
    var skippedLinks: [(path: String, target: String)] = []
  }

  /// What a store in two sections is called: nothing is done then, for what one of them says is not
  /// what the other wants.
  static let kindOfOverlap = "storeInTwoSections"

  private(set) var parts: [Part] = []
  /// Which stores would export to the same place, those that are left out included.
  private(set) var places = ExportPlaces()

  /// Finds the stores.
  ///
  /// - Parameters:
  ///   - config: The config file.
  ///   - only: Names of sections or paths of stores, to which it is limited; empty for all.
  /// - Throws: `Failure` where one of them is neither.
  init(_ config: MaintenanceConfig, only: [String]) throws(Failure) {
    var owners: [String: String] = [:]
    for settings in config.sections {
      var part = Part(settings: settings)
      for pattern in settings.stores { part.add(pattern, config: config, owners: &owners) }
      part.checkBookmarkFile()
      parts.append(part)
    }
    places = ExportPlaces(parts)
    guard !only.isEmpty else { return }
    let resolved = only.map(Self.resolved)
    for word in only where !parts.contains(where: { $0.isMeant(by: word) }) {
      let names = parts.map(\.settings.section)
      let near = NearNames.of(word, in: names)
      throw Failure(
        status: .usage, kind: "usage",
        message: "\(config.path) has neither a section nor a store '\(word)'",
        hint: near.isEmpty
          ? "its sections are \(names.joined(separator: ", "))"
          : "did you mean \(near.joined(separator: " or "))?")
    }
    for index in parts.indices where !only.contains(parts[index].settings.section) {
      parts[index].stores.removeAll { store in
        !only.contains(store) && !resolved.contains(Self.resolved(store))
      }
      parts[index].failures.removeAll { !only.contains($0.path) }
    }
    parts.removeAll { $0.stores.isEmpty && $0.failures.isEmpty }
  }

  /// What is wrong with the stores as they are now, as far as it can be seen without working on them.
  var failures: [Failure] {
    var failures: [Failure] = []
    for part in parts {
      failures += part.failures.map(\.failure)
      for store in part.stores {
        do throws(StoreError) {
          _ = try StoreLocation(path: store)
        } catch {
          failures.append(Failure(error))
        }
        if let failure = places.failure(store) { failures.append(failure) }
      }
    }
    return failures
  }

  /// A path without links, so that two ways to a store are noticed; as it is where there is nothing.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension MaintenancePlan.Part {
  /// Adds the stores of a pattern.
  fileprivate mutating func add(
    _ pattern: StorePattern, config: MaintenanceConfig, owners: inout [String: String]
  ) {
    do {
      let matches = try pattern.matches(followingLinks: settings.followsLinks)
      let paths = matches.paths
      skippedLinks += matches.links
      if paths.isEmpty, matches.links.isEmpty, !settings.missingIsAllowed {
        failures.append(
          (
            pattern.text,
            Failure(
              status: .cannotReadOrWrite, kind: "missing",
              message: "[\(settings.section)]: no file is there for \(pattern.text)",
              hint: "correct the pattern, or add missing-ok = yes")
          ))
      }
      for path in paths {
        if settings.missingIsAllowed, access(path, F_OK) != 0, errno == ENOENT { continue }
        let resolved = MaintenancePlan.resolved(path)
        if let owner = owners[resolved] {
          guard owner != settings.section else { continue }
          failures.append(
            (
              path,
              Failure(
                status: .usage, kind: MaintenancePlan.kindOfOverlap,
                message: "\(path) is in [\(owner)] already, and in [\(settings.section)] too",
                hint: "let one section have it in \(config.path)")
            ))
        } else {
          owners[resolved] = settings.section
          stores.append(path)
        }
      }
    } catch {
      failures.append((pattern.text, error))
    }
  }

  /// Refuses a bookmark file that is a store, or that is meant for several stores: a name in it is that
  /// of one consumer of one store.
  fileprivate mutating func checkBookmarkFile() {
    guard let file = settings.bookmarkFile else { return }
    func refuse(_ store: String, _ message: String, hint: String) {
      let failure = Failure(
        status: .usage, kind: "config",
        message: "[\(settings.section)]: bookmark-file \(message)", hint: hint)
      failures.append((store, failure))
    }
    if stores.count > 1 {
      for store in stores {
        refuse(
          store, "is for one store, and there are \(stores.count); \(store) is left as it is",
          hint: "give each store a section of its own, or leave bookmark-file out")
      }
      stores = []
    } else if let store = stores.first,
      (try? StoreOptions.check(file, isNotOf: [store])) == nil
    {
      refuse(
        store, "names \(store) itself, or a file that belongs to it", hint: "name another file")
      stores = []
    }
  }

  /// Whether a word of `--only` names the section or one of its stores.
  fileprivate func isMeant(by word: String) -> Bool {
    let resolved = MaintenancePlan.resolved(word)
    return word == settings.section
      || (stores + failures.map(\.path)).contains {
        $0 == word || MaintenancePlan.resolved($0) == resolved
      }
  }
}
