import OpenSwiftData
import TestSupport

/// The models that ModelSaver saves, as this process has them.
@Model
final class SavedEntry {
  #Unique<SavedEntry>([\.author, \.number])
  @Attribute(.preserveValueOnDeletion) var author: String
  @Attribute(.preserveValueOnDeletion) var number: Int
  @Attribute(.externalStorage) var content: Data?

  init(author: String, number: Int) {
    self.author = author
    self.number = number
  }
}

@Model
final class SavedCounter {
  @Attribute(.unique) var author: String
  var count = 0

  init(author: String) { self.author = author }
}

/// A store that another process saves to.
struct SharedStore {
  let folder: TemporaryFolder
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: SavedEntry.self, SavedCounter.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Saved.store"))))
  }

  /// Lets another process save so many times.
  func saveElsewhere(_ count: Int, as author: String = "other") async throws {
    let result = try await Tool.built("ModelSaver").run(
      [folder.file("Saved.store"), author, "\(count)"])
    guard result.status == 0 else { throw SaverFailure(errors: "\(result.errors)") }
  }

  struct SaverFailure: Error { let errors: String }
}
