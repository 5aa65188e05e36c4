import Foundation
import OpenSwiftData

/// The first version of the models.
enum FirstModels: VersionedSchema {
  static var models: [any PersistentModel.Type] { [SavedEntry.self, SavedCounter.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// The models of a later version, in which entries have another name for their number, a mark, and
/// their counter is gone.
enum NewerModels: VersionedSchema {
  static var models: [any PersistentModel.Type] { [SavedEntry.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  /// An entry that was marked by the migration.
  @Model
  final class SavedEntry {
    #Unique<SavedEntry>([\.author, \.place])
    @Attribute(.preserveValueOnDeletion) var author: String
    @Attribute(.preserveValueOnDeletion, originalName: "number") var place: Int
    var mark: String?
    @Attribute(.externalStorage) var content: Data?

    init(author: String, place: Int) {
      self.author = author
      self.place = place
    }
  }

  /// Opens a store with these models, and gives how many entries are marked.
  static func migrate(_ path: String) throws -> Int {
    let container = try ModelContainer(
      for: SavedEntry.self, migrationPlan: NewerPlan.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    return try ModelContext(container).fetchCount(
      FetchDescriptor<SavedEntry>(predicate: #Predicate { $0.mark == "migrated" }))
  }
}

/// The way to the newer models: marks are made before and after.
enum NewerPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstModels.self, NewerModels.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: FirstModels.self, toVersion: NewerModels.self,
        willMigrate: { context in
          for counter in try context.fetch(FetchDescriptor<SavedCounter>()) { counter.count += 100 }
          try context.save()
        },
        didMigrate: { context in
          for entry in try context.fetch(FetchDescriptor<NewerModels.SavedEntry>()) {
            entry.mark = "migrated"
          }
          try context.save()
        })
    ]
  }
}
