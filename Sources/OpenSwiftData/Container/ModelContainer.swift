import Foundation
import StoreFormat
import Synchronization

/// The stores of an app's models, and the way to create contexts that use them.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: "Trips.store")))
/// let context = ModelContext(container)
/// ```
public final class ModelContainer: Equatable, @unchecked Sendable {
  /// The models of all stores.
  public let schema: Schema
  /// The plan that migrates stores of older versions, or `nil` to infer the migration from the
  /// models.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of all stores of type ``DefaultStore``.
  public let configurations: Set<ModelConfiguration>
  let stores: [any DataStore]
  let saves = SaveHub()
  /// The stores of each entity, in the order of the configurations.
  private let storesByEntity: [String: [any DataStore]]
  private let storesByIdentifier: [String: any DataStore]
  private let keptError = Mutex<(any Error)?>(nil)
  /// The part of a migration's stage for which the container exists, or `nil` outside of migrations.
  private let migrationWork: MigrationWork?

  /// The context of the main actor, which saves automatically.
  @MainActor public private(set) lazy var mainContext: ModelContext = {
    let context = ModelContext(self)
    context.isMainContext = true
    return context
  }()

  /// Opens the stores of models, and those they are related to, and creates missing stores.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - migrationPlan: The plan that migrates stores of older versions.
  ///   - configurations: The configurations of the stores; by default, one in the default folder.
  /// - Throws: ``SwiftDataError``, and the errors of the plan's stages.
  public convenience init(
    for types: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema, and creates missing stores.
  ///
  /// - Throws: ``SwiftDataError``, and the errors of the plan's stages.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema, and creates missing stores.
  ///
  /// - Throws: ``SwiftDataError``, and the errors of the plan's stages.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(
      schema: schema, migrationPlan: migrationPlan,
      anyConfigurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
  }

  /// Opens custom stores for models, and those they are related to.
  ///
  /// - Throws: ``SwiftDataError``, and the errors of the stores.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      schema: Schema(types), migrationPlan: nil, anyConfigurations: configurations)
  }

  /// Opens custom stores for a schema.
  ///
  /// - Throws: ``SwiftDataError``, and the errors of the stores.
  @_disfavoredOverload
  public convenience init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(schema: schema, migrationPlan: nil, anyConfigurations: configurations)
  }

  /// Creates a container for the work of an app during a migration.
  init(schema: Schema, migrating store: DefaultStore, in work: MigrationWork) {
    self.schema = schema
    migrationWork = work
    migrationPlan = nil
    configurations = [store.configuration]
    stores = [store]
    storesByEntity = Dictionary(keepingFirst: schema.entities.map { ($0.name, [store]) })
    storesByIdentifier = [store.identifier: store]
  }

  private init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    anyConfigurations: [any DataStoreConfiguration]
  ) throws {
    if let unmarked = schema.layouts.values.first(where: { !$0.isMarked }) {
      throw SwiftDataError.unmarkedModel(unmarked.name)
    }
    if let described = schema.entities.first(where: { $0.layout == nil }) {
      throw SwiftDataError(
        .unknownSchema,
        "the entity \(described.name) describes no class; create the schema of models")
    }
    var configurations: [any DataStoreConfiguration] = []
    var names: Set<String> = []
    var files: Set<URL> = []
    var owned: Set<String> = []
    for given in anyConfigurations {
      var configuration = given
      try configuration.validate()
      let own = configuration.schema ?? schema
      configuration.schema = own
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          "two configurations have the name \(configuration.name); give each its own name")
      }
      if let file = configuration as? ModelConfiguration, !file.isStoredInMemoryOnly,
        !files.insert(file.url.standardizedFileURL).inserted
      {
        throw SwiftDataError(
          .duplicateConfiguration,
          "two configurations have the file \(file.url.path); give each its own file")
      }
      for entity in own.entities {
        guard schema.layouts[entity.name] === own.layouts[entity.name] else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema,
            "the configuration \(configuration.name) has the model \(entity.name), which the "
              + "container's schema does not have")
        }
        owned.insert(entity.name)
      }
      configurations.append(configuration)
    }
    if let homeless = schema.entities.first(where: { !owned.contains($0.name) }) {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "no configuration has the model \(homeless.name); add it to the schema of one")
    }
    let stores = try configurations.map { try Self.open($0, migrationPlan) }
    var owners: [String: String] = [:]
    for store in stores {
      let name = store.configuration.name
      if let other = owners.updateValue(name, forKey: store.identifier) {
        throw SwiftDataError(
          .duplicateConfiguration,
          "the stores of the configurations \(other) and \(name) have the same identifier, "
            + "\(store.identifier), because one is a copy of the other; open each in its own "
            + "container")
      }
    }
    self.schema = schema
    migrationWork = nil
    self.migrationPlan = migrationPlan
    self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
    self.stores = stores
    storesByEntity = Dictionary(
      stores.flatMap { store in store.schema.entities.map { ($0.name, [store]) } },
      uniquingKeysWith: +)
    storesByIdentifier = Dictionary(keepingFirst: stores.map { ($0.identifier, $0) })
    saves.attach(self)
    ContainerRegistry.shared.add(self)
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    try Configuration.Store(configuration, migrationPlan: migrationPlan)
  }

  func stores(ofEntity name: String) -> [any DataStore] { storesByEntity[name] ?? [] }

  /// Throws an error unless the schema has a class: versions of it can have classes of one name.
  func check(_ layout: EntityLayout) throws {
    let own = schema.layouts[layout.name]
    guard own !== layout else { return }
    throw SwiftDataError.foreignClass(layout, own: own, migrationWork)
  }

  /// Returns the store of a model; for a new one, the first of its entity that can be written.
  func store(of identifier: PersistentIdentifier) -> (any DataStore)? {
    let stores = stores(ofEntity: identifier.entityName)
    if stores.count == 1 { return stores[0] }
    if let known = identifier.storeIdentifier.flatMap(store(identifiedBy:)) { return known }
    return stores.first { ($0.configuration as? ModelConfiguration)?.allowsSave ?? true }
      ?? stores.first
  }

  func store(identifiedBy identifier: String) -> (any DataStore)? {
    storesByIdentifier[identifier]
  }

  /// Returns the identifier of a configuration's store, or `nil` if there is no such configuration.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { $0.configuration.name == name }?.identifier
  }

  /// Returns the name of a store's configuration, or `nil` if there is no such store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    storesByIdentifier[identifier]?.configuration.name
  }

  /// Deletes all models and their history, except history that a bookmark or CloudKit's mirror
  /// still needs.
  ///
  /// - Throws: The errors of the stores; see ``DefaultStore/erase()``.
  public func erase() throws {
    for store in stores { try erase(store) }
  }

  /// Erases a store, and reports the deletion to observers as one of this container.
  private func erase(_ store: any DataStore) throws {
    var recorded: [RecordedSave] = []
    defer { saves.tell(recorded) }
    try saves.noting {
      if let store = store as? DefaultStore {
        try store.erase { recorded = [$0] }
      } else {
        try store.erase()
        recorded = [RecordedSave(storeIdentifier: store.identifier, origin: .container)]
      }
    } recorded: {
      recorded
    }
  }

  /// Deletes all models and their history, as far as possible.
  ///
  /// As in SwiftData it cannot throw; ``lastError`` keeps the error of a store that could not be
  /// erased.
  @available(
    *, deprecated, renamed: "erase()", message: "erase() throws where something cannot be deleted"
  )
  public func deleteAllData() {
    var problem: (any Error)?
    for store in stores {
      do { try erase(store) } catch { problem = problem ?? error }
    }
    let first = problem
    keptError.withLock { $0 = first }
  }

  /// The error of the last ``deleteAllData()``, which cannot throw, or `nil` if it succeeded (not
  /// in SwiftData).
  public var lastError: (any Error)? { keptError.withLock { $0 } }

  /// Returns whether two values are the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }
}
