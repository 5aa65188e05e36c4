import Foundation
import StoreEditing
import StoreFormat

/// Brings a store to the models of a container that opens it.
struct StoreUpgrade {
  /// One step of it.
  struct Step {
    /// The models of the store before the step, where the app works with them.
    let before: Schema?
    /// The models of the store after it.
    let after: Schema
    var willMigrate: ((ModelContext) throws -> Void)?
    var didMigrate: ((ModelContext) throws -> Void)?
  }

  let path: String
  let configuration: ModelConfiguration
  let schema: Schema
  let plan: (any SchemaMigrationPlan.Type)?

  /// Brings the store to the schema in one step that others see; nothing where it is there already.
  ///
  /// - Throws: ``SwiftDataError``, and what the stages of the plan throw; the store is then as it was.
  func run() throws {
    let wanted = try schema.managedModel()
    let migration = try translating {
      try StoreMigration(path: path, busyTimeout: DefaultStore.busyTimeout)
    }
    defer { migration.close() }
    // Another program may have migrated the store since it was looked at.
    let present = try translating { try migration.model() }
    guard ModelDifference.first(store: present, schema: wanted) != nil else { return }
    for step in try steps(from: present, to: wanted) { try perform(step, in: migration) }
    try translating { try migration.commit() }
  }

  private func steps(
    from present: ManagedModel, to wanted: ManagedModel
  ) throws -> [Step] {
    if let plan {
      return try MigrationPath(
        plan: plan, path: path, schema: schema, present: present, wanted: wanted
      ).steps()
    }
    guard wanted.entities.keys.contains(where: { present.entities[$0] != nil }) else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(path) has the models \(list(present)), and none of the schema's, which are \(list(wanted)); "
          + "it is another app's store, so choose another file")
    }
    return [Step(before: nil, after: schema)]
  }

  private func list(_ model: ManagedModel) -> String {
    model.entities.keys.sorted().joined(separator: ", ")
  }

  private func perform(_ step: Step, in migration: StoreMigration) throws {
    if let work = step.willMigrate, let before = step.before {
      try work(try context(of: before, in: migration))
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
      try work(try context(of: step.after, in: migration))
    }
  }

  /// A context whose saves become a part of the migration.
  private func context(of schema: Schema, in migration: StoreMigration) throws -> ModelContext {
    let store = try translating {
      try DefaultStore(configuration, schema: schema, migration: migration)
    }
    return ModelContext(ModelContainer(schema: schema, migrating: store))
  }

  private func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error where error is StoreWriteError || error is StoreError {
      throw SwiftDataError(
        .loadIssueModelContainer, "\(path) cannot be migrated: \(error)")
    }
  }
}
