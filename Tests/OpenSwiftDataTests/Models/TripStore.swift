import OpenSwiftData
import TestSupport

/// A store of trips in a folder of its own.
struct TripStore {
  let folder: TemporaryFolder
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try Self.open(folder.file("Trips.store"))
  }

  var path: String { folder.file("Trips.store") }

  /// A container like that of another program that has the store open.
  static func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  /// A context that saves as somebody.
  func context(author: String? = nil) -> ModelContext {
    let context = ModelContext(container)
    context.author = author
    return context
  }
}
