import Foundation

/// The stores of an app's models.
///
/// ```swift
/// let container = try ModelContainer(
///   for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: "Trips.store")))
/// let context = ModelContext(container)
/// ```
public final class ModelContainer: Equatable, @unchecked Sendable {
  /// The models of all stores.
  public let schema: Schema
  /// How stores of older versions of the models are migrated; nil for what the models tell.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// What describes the stores in SwiftData's own layout.
  public let configurations: Set<ModelConfiguration>
  /// The stores, each once.
  let stores: [any DataStore]
  /// Where saves to the stores become known.
  let saves = SaveHub()
  private let storesByEntity: [String: any DataStore]
  private let storesByIdentifier: [String: any DataStore]

  /// The context of the main actor, which saves by itself.
  @MainActor public private(set) lazy var mainContext: ModelContext = {
    let context = ModelContext(self)
    context.isMainContext = true
    return context
  }()

  /// Opens the stores of some models and all that they lead to, and creates those that are not there.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - migrationPlan: How stores of older versions of the models are migrated.
  ///   - configurations: What describes the stores; without any, one at the usual place.
  /// - Throws: ``SwiftDataError``, and what the stages of the plan throw.
  public convenience init(
    for types: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema, and creates those that are not there.
  ///
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: How stores of older versions of the models are migrated.
  ///   - configurations: What describes the stores; without any, one at the usual place.
  /// - Throws: ``SwiftDataError``, and what the stages of the plan throw.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema, and creates those that are not there.
  ///
  /// - Parameters:
  ///   - schema: The models.
  ///   - migrationPlan: How stores of older versions of the models are migrated.
  ///   - configurations: What describes the stores; without any, one at the usual place.
  /// - Throws: ``SwiftDataError``, and what the stages of the plan throw.
  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(
      schema: schema, migrationPlan: migrationPlan,
      anyConfigurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
  }

  /// Opens stores of one's own for some models and all that they lead to.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - configurations: What describes the stores.
  /// - Throws: ``SwiftDataError``, and what the stores throw.
  @_disfavoredOverload
  public convenience init(
    for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      schema: Schema(types), migrationPlan: nil, anyConfigurations: configurations)
  }

  /// Opens stores of one's own for a schema.
  ///
  /// - Parameters:
  ///   - schema: The models.
  ///   - configurations: What describes the stores.
  /// - Throws: ``SwiftDataError``, and what the stores throw.
  @_disfavoredOverload
  public convenience init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(schema: schema, migrationPlan: nil, anyConfigurations: configurations)
  }

  /// The container of a context that works on a store in the middle of a migration.
  init(schema: Schema, migrating store: DefaultStore) {
    self.schema = schema
    migrationPlan = nil
    configurations = [store.configuration]
    stores = [store]
    var byEntity: [String: any DataStore] = [:]
    for entity in schema.entities { byEntity[entity.name] = store }
    storesByEntity = byEntity
    storesByIdentifier = [store.identifier: store]
  }

  private init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    anyConfigurations: [any DataStoreConfiguration]
  ) throws {
    if let unmarked = schema.layouts.values.first(where: { !$0.isMarked }) {
      throw SwiftDataError.unmarkedModel(unmarked.name)
    }
    var configurations: [any DataStoreConfiguration] = []
    var names: Set<String> = []
    var files: Set<URL> = []
    var owners: [String: String] = [:]
    for given in anyConfigurations {
      var configuration = given
      try configuration.validate()
      let own = configuration.schema ?? schema
      configuration.schema = own
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          "two configurations are called \(configuration.name); give each a name of its own")
      }
      if let file = configuration as? ModelConfiguration, !file.isStoredInMemoryOnly,
        !files.insert(file.url.standardizedFileURL).inserted
      {
        throw SwiftDataError(
          .duplicateConfiguration,
          "two configurations name \(file.url.path); give each a file of its own")
      }
      for entity in own.entities {
        guard schema.layouts[entity.name] === own.layouts[entity.name] else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema,
            "the configuration \(configuration.name) has the model \(entity.name), which the "
              + "container's schema does not have")
        }
        if let other = owners.updateValue(configuration.name, forKey: entity.name) {
          throw SwiftDataError(
            .duplicateConfiguration,
            "the configurations \(other) and \(configuration.name) both have the model "
              + "\(entity.name); one model belongs to one store")
        }
      }
      configurations.append(configuration)
    }
    if let homeless = schema.entities.first(where: { owners[$0.name] == nil }) {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "no configuration has the model \(homeless.name); add it to the schema of one")
    }
    let stores = try configurations.map { try Self.open($0, migrationPlan) }
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
    self.stores = stores
    var byEntity: [String: any DataStore] = [:]
    for store in stores {
      for entity in store.schema.entities { byEntity[entity.name] = store }
    }
    storesByEntity = byEntity
    storesByIdentifier = Dictionary(
      stores.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    saves.attach(self)
    ContainerRegistry.shared.add(self)
  }

  private static func open<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    try Configuration.Store(configuration, migrationPlan: migrationPlan)
  }

  /// The store that keeps an entity's models.
  func store(ofEntity name: String) -> (any DataStore)? { storesByEntity[name] }

  /// The store with an identifier.
  func store(identifiedBy identifier: String) -> (any DataStore)? {
    storesByIdentifier[identifier]
  }

  /// The identifier of a configuration's store; nil where there is no such configuration.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    stores.first { $0.configurationName == name }?.identifier
  }

  /// The name of the configuration of a store; nil where there is no such store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    storesByIdentifier[identifier]?.configurationName
  }

  /// Deletes all models and their history.
  ///
  /// - Throws: What the stores throw.
  public func erase() throws {
    for store in stores { try store.erase() }
  }

  /// Deletes all models and their history, as far as that is possible.
  ///
  /// It cannot throw, as in SwiftData. ``erase()`` reports what could not be deleted.
  @available(
    *, deprecated, renamed: "erase()", message: "erase() throws where something cannot be deleted"
  )
  public func deleteAllData() {
    for store in stores { try? store.erase() }
  }

  /// Whether both are the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }
}

extension DataStore {
  fileprivate var configurationName: String { configuration.name }
}
