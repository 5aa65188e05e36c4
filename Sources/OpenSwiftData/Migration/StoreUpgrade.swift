import Foundation
import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting

/// Migrates a store to the models of a container that opens it.
struct StoreUpgrade {
  struct Step {
    /// The models before the step, if the app works with them.
    let before: Schema?
    let after: Schema
    var willMigrate: ((ModelContext) throws -> Void)?
    var didMigrate: ((ModelContext) throws -> Void)?
  }

  let path: String
  let configuration: ModelConfiguration
  let schema: Schema
  let plan: (any SchemaMigrationPlan.Type)?

  /// Migrates the store in one transaction, unless that is done already.
  ///
  /// - Throws: ``SwiftDataError``, and the errors of the plan's stages; the store is then
  ///   unchanged.
  func run() throws {
    let wanted = try schema.managedModel()
    let migration = try translating {
      try StoreMigration(
        path: path, busyTimeout: DefaultStore.busyTimeout,
        recordsValues: configuration.recordsValues && !configuration.isStoredInMemoryOnly)
    }
    defer { migration.close() }
    // Another program may have migrated the store in the meantime.
    let present = try translating { try migration.model() }
    guard ModelDifference.first(store: present, schema: wanted) != nil else { return }
    let oldest = try translating { try migration.file.read { try $0.oldestTransaction()?.number } }
    for step in try steps(from: present, to: wanted) { try perform(step, in: migration) }
    let bookmarks = try translating { try heldBookmarks(migration, formerOldest: oldest) }
    defer { bookmarks?.release() }
    try translating { try migration.commit() }
  }

  /// Keeps the bookmarks unchanged, if a stage has deleted history.
  ///
  /// A program that has set one since the stage asked the guards still sees that history.
  ///
  /// - Throws: ``/StoreTransactions/StoreWriteError/historyChanged(path:detail:)`` if one needs it.
  private func heldBookmarks(
    _ migration: StoreMigration, formerOldest: Int64?
  ) throws -> BookmarkHold? {
    let (present, identifier) = try migration.file.read {
      (try $0.oldestTransaction()?.number, $0.metadata.storeIdentifier)
    }
    let firstKept = present ?? .max
    guard let formerOldest, formerOldest < firstKept, let identifier else { return nil }
    let file = BookmarkFile.path(besideStore: migration.file.location.resolvedPath)
    let hold = BookmarkHold(path: file)
    try hold.wait()
    for bookmark in try BookmarkFile(path: file).bookmarks {
      // Zero is the position before everything, and an older one had expired before.
      guard let number = bookmark.token.storeTokens[identifier],
        number == 0 || number >= formerOldest, number < firstKept
      else { continue }
      throw StoreWriteError.historyChanged(
        path: path,
        detail: "the bookmark \(bookmark.name), set meanwhile, needs history that a stage deletes")
    }
    return hold
  }

  private func steps(
    from present: ManagedModel, to wanted: ManagedModel
  ) throws -> [Step] {
    if let plan {
      return try MigrationPath(
        plan: plan, path: path, schema: schema, present: present, wanted: wanted
      ).steps()
    }
    try Self.checkSameApp(path, present, wanted)
    return [Step(before: nil, after: schema)]
  }

  /// Throws an error if a store has none of the models.
  static func checkSameApp(
    _ path: String, _ present: ManagedModel, _ wanted: ManagedModel
  ) throws {
    func list(_ model: ManagedModel) -> String {
      model.entities.keys.sorted().joined(separator: ", ")
    }
    guard !wanted.entities.keys.contains(where: { present.entities[$0] != nil }) else { return }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "\(path) has the models \(list(present)), and none of the schema's, which are "
        + "\(list(wanted)); it is another app's store, so choose another file")
  }

  private func perform(_ step: Step, in migration: StoreMigration) throws {
    if let work = step.willMigrate, let before = step.before {
      try work(try context(of: before, in: migration, for: .willMigrate))
    }
    let model = try step.after.managedModel()
    try translating {
      try migration.migrate(
        to: model,
        header: TransactionHeader(
          bundle: Bundle.main.bundleIdentifier,
          process: ProcessInfo.processInfo.processName))
    }
    if let work = step.didMigrate {
      try work(try context(of: step.after, in: migration, for: .didMigrate))
    }
  }

  private func context(
    of schema: Schema, in migration: StoreMigration, for work: MigrationWork
  ) throws -> ModelContext {
    let store = try translating {
      try DefaultStore(configuration, schema: schema, migration: migration)
    }
    return ModelContext(ModelContainer(schema: schema, migrating: store, in: work))
  }

  private func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error where error is StoreWriteError || error is StoreError || error is HistoryError
    {
      throw SwiftDataError(
        .loadIssueModelContainer, "\(path) cannot be migrated: \(error)")
    }
  }
}

/// The part of a migration's stage in which an app works.
enum MigrationWork: Sendable {
  case willMigrate, didMigrate
}

/// Compares the model of a store with that of a schema, as far as the store depends on it: default
/// values and class names do not count, and in the frameworks' own stores defaults can differ at
/// every start of an app.
enum ModelDifference {
  /// Returns the first difference in words, or `nil`.
  ///
  /// - Parameter ignoringRules: Whether to ignore delete rules, which matter only for deleting.
  static func first(
    store: ManagedModel, schema: ManagedModel, ignoringRules: Bool = false
  ) -> String? {
    for name in schema.entities.keys.sorted() where store.entities[name] == nil {
      return "the store has no entity \(name)"
    }
    for (name, entity) in store.entities.sorted(by: { $0.key < $1.key }) {
      guard let wanted = schema.entities[name] else {
        return "the store has an entity \(name), and the schema has no such model"
      }
      if let difference = first(entity, wanted, ignoringRules) { return difference }
    }
    return nil
  }

  private static func first(
    _ entity: ManagedEntity, _ wanted: ManagedEntity, _ ignoringRules: Bool
  ) -> String? {
    let present = properties(of: entity, ignoringRules)
    let needed = properties(of: wanted, ignoringRules)
    for name in needed.keys.sorted() where present[name] == nil {
      return "the store has no property \(entity.name).\(name)"
    }
    for (name, shape) in present.sorted(by: { $0.key < $1.key }) {
      guard let other = needed[name] else {
        return "the store has a property \(entity.name).\(name), and the model has none"
      }
      if shape != other {
        return "\(entity.name).\(name) is \(shape) in the store and \(other) in the model"
      }
    }
    if entity.superentityName != wanted.superentityName {
      return "\(entity.name) inherits from another entity in the store"
    }
    if Set(entity.uniquenessConstraints) != Set(wanted.uniquenessConstraints) {
      return "\(entity.name) has other unique values in the store"
    }
    if Set(entity.indexes) != Set(wanted.indexes) {
      return "\(entity.name) has other indexes in the store"
    }
    return nil
  }

  private static func properties(
    of entity: ManagedEntity, _ ignoringRules: Bool
  ) -> [String: String] {
    var shapes: [String: String] = [:]
    for property in entity.properties where !property.isTransient {
      switch property {
      case .attribute(let attribute):
        shapes[attribute.name] =
          shape(of: attribute) + (attribute.preservesValueOnDeletion ? ", preserved" : "")
          + (attribute.allowsExternalStorage ? ", in files of its own" : "")
          + modified(attribute.versionHashModifier)
      case .relationship(let relationship):
        shapes[relationship.name] =
          shape(of: relationship) + modified(relationship.versionHashModifier)
          + (ignoringRules ? "" : ", with the delete rule \(relationship.deleteRule)")
      case .other(let name, _): shapes[name] = "neither attribute nor relationship"
      }
    }
    return shapes
  }

  private static func modified(_ modifier: String?) -> String {
    modifier.map { ", with the hash modifier \($0)" } ?? ""
  }

  private static func shape(of relationship: ManagedRelationship) -> String {
    // An empty list and a missing one are equal.
    (relationship.isToMany ? "a to-many" : relationship.isOptional ? "an optional" : "a to-one")
      + " relationship to \(relationship.destinationName ?? "nothing")"
      + (relationship.inverseName.map { " with the inverse \($0)" } ?? " without an inverse")
  }

  private static func shape(of attribute: ManagedAttribute) -> String {
    let elements = attribute.elements.map { "\($0.name): \(shape(of: $0))" }.sorted()
    return (attribute.isOptional ? "an optional " : "") + attribute.type.name
      + (elements.isEmpty ? "" : " of " + elements.joined(separator: ", "))
  }
}
