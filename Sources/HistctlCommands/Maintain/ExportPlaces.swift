import DurableFiles
import StoreFormat
import SystemPackage

/// Where the stores of a config file export to, by folder and identifier.
///
/// A copy of a store has the identifier of the store, as those have that were made from one template.
/// In one folder the files of the one would be taken for those of the other, and what was not exported
/// would be pruned.
struct ExportPlaces {
  private struct Place: Hashable {
    let folder: String
    let identifier: String
  }

  /// The store that has each place; the first one in the config file.
  private var owners: [Place: String] = [:]
  private var places: [String: Place] = [:]

  init() {}

  /// Looks at all stores that export; one that cannot be read is told of when it is its turn.
  init(_ parts: [MaintenancePlan.Part]) {
    let exporting = parts.filter { $0.settings.export != nil }
    guard exporting.reduce(0, { $0 + $1.stores.count }) > 1 else { return }
    for part in exporting {
      for path in part.stores {
        guard let folder = part.settings.export?.folder,
          let file = try? StoreFile(path: path, busyTimeout: part.settings.busyTimeout),
          let identifier = try? file.read({ $0.metadata.storeIdentifier })
        else { continue }
        let place = Place(
          folder: MaintenancePlan.resolved(FilePath(folder).lexicallyNormalized().string),
          identifier: identifier)
        places[path] = place
        if owners[place] == nil { owners[place] = path }
      }
    }
  }

  /// What is wrong with a store's place; nil where it is its own.
  func failure(_ path: String) -> Failure? {
    guard let place = places[path], let owner = owners[place], owner != path else { return nil }
    return Failure(
      status: .refused, kind: "sharedPlace",
      message:
        "\(path) has the identifier of \(owner), so that both would export to the same files",
      hint: "it is a copy of that store; give it another export.output-dir",
      details: [("store", .string(path))])
  }
}
