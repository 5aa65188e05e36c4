import Foundation
import StoreEditing
import StoreFormat
import Synchronization

/// A store in the layout of SwiftData's own: a SQLite file that keeps models and their history.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {
  /// What describes such a store.
  public typealias Configuration = ModelConfiguration
  /// The values of a model.
  public typealias Snapshot = DefaultSnapshot

  /// The store's identifier.
  public let identifier: String
  /// The models that the store keeps.
  public let schema: Schema
  /// What the store was made of.
  public let configuration: ModelConfiguration

  /// Where the file really is.
  let location: StoreLocation
  private let opened: Mutex<Opened>
  /// Writes to the store; nil where that is not allowed.
  let editor: StoreEditor?
  /// Whether the store is written in a transaction that is open until it is migrated.
  let isMigrating: Bool
  private let temporaryFolder: TemporaryStoreFolder?

  /// How long to wait for another program that is writing, in seconds.
  static let busyTimeout = 30.0

  var filePath: String { location.path }

  /// The name of the configuration.
  public var name: String { configuration.name }

  /// Opens a store, creates it where it is not there, and migrates it where it is of other models.
  ///
  /// - Parameters:
  ///   - configuration: What describes the store; its schema must be there.
  ///   - migrationPlan: How stores of older versions are migrated; without one, what the store's models
  ///     and the schema's tell is enough, or it is not migrated.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``, ``SwiftDataError/unknownSchema``,
  ///   ``SwiftDataError/backwardMigration``, and what the stages of the plan throw.
  public init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer, "the configuration \(configuration.name) has no schema")
    }
    self.configuration = configuration
    self.schema = schema
    let model = try schema.managedModel()
    let temporaryFolder =
      configuration.isStoredInMemoryOnly ? try TemporaryStoreFolder() : nil
    self.temporaryFolder = temporaryFolder
    isMigrating = false
    let path = temporaryFolder?.storePath ?? configuration.url.path
    if let migrationPlan { try MigrationPath.check(migrationPlan) }
    var opened = try Self.loading {
      try Self.createIfMissing(path, model: model, configuration)
      try Self.completeJointSave(path, configuration)
      return try Opened(path)
    }
    let difference = try Self.loading {
      ModelDifference.first(
        store: try opened.fetcher.indexedModel(), schema: model,
        ignoringRules: !configuration.allowsSave)
    }
    if let difference {
      guard configuration.allowsSave else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          "\(path) was made for other models: \(difference); the configuration "
            + "\(configuration.name) does not allow it to be migrated, so open it once with "
            + "allowsSave")
      }
      try StoreUpgrade(
        path: path, configuration: configuration, schema: schema, plan: migrationPlan
      ).run()
      opened = try Self.loading { try Opened(path) }
    }
    location = opened.file.location
    identifier = opened.identifier
    self.opened = Mutex(opened)
    editor = try Self.loading {
      configuration.allowsSave
        ? try StoreEditor(
          path: path, busyTimeout: Self.busyTimeout,
          largeValues: configuration.isStoredInMemoryOnly ? .inline : .files,
          recordsValues: configuration.recordsValues && !configuration.isStoredInMemoryOnly)
        : nil
    }
  }

  /// A store that is being migrated, with the models that it has at one step.
  init(_ configuration: ModelConfiguration, schema: Schema, migration: StoreMigration) throws {
    self.configuration = configuration
    self.schema = schema
    temporaryFolder = nil
    isMigrating = true
    let opened = try Opened(migration.file)
    location = opened.file.location
    identifier = opened.identifier
    self.opened = Mutex(opened)
    editor = try migration.editor()
  }

  /// What a store is read by.
  private struct Opened {
    let file: StoreFile
    let fetcher: ObjectFetcher
    let identifier: String

    init(_ path: String) throws {
      try self.init(StoreFile(path: path, busyTimeout: DefaultStore.busyTimeout))
    }

    init(_ file: StoreFile) throws {
      self.file = file
      fetcher = try ObjectFetcher(file: file)
      guard let identifier = try file.read({ $0.metadata.storeIdentifier }) else {
        throw SwiftDataError(
          .loadIssueModelContainer, "\(file.location.path) has no identifier")
      }
      self.identifier = identifier
    }
  }

  /// The store for reading.
  ///
  /// - Throws: Like ``fetcher``.
  var file: StoreFile { get throws { try current().file } }

  /// What fetches from the store.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, ``SwiftDataError/storeFailure`` where the file is that of
  ///   another store by now.
  var fetcher: ObjectFetcher { get throws { try current().fetcher } }

  /// What the store is read by, opened anew where it does not show what others have saved since: in a
  /// folder that cannot be written, SQLite reads a store beside others only while somebody else has it
  /// open.
  private func current() throws -> Opened {
    try opened.withLock { opened in
      guard try opened.file.isOutdated else { return opened }
      let next = try Opened(location.path)
      guard next.identifier == identifier else {
        throw SwiftDataError(
          .storeFailure,
          "\(location.path) is another store than when the container was made; make a new one")
      }
      opened = next
      return next
    }
  }

  /// Runs what a container opens a store by.
  private static func loading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SwiftDataError {
      throw error
    } catch {
      throw SwiftDataError(.loadIssueModelContainer, "\(error)")
    }
  }

  private static func createIfMissing(
    _ path: String, model: ManagedModel, _ configuration: ModelConfiguration
  ) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "there is no store at \(path), and the configuration \(configuration.name) does not allow "
          + "one to be made")
    }
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(),
      withIntermediateDirectories: true)
    // Complete in one step: another program may open it at any moment.
    try StoreDraft.makeIfMissing(at: path) { temporary in
      try StoreCreator.create(at: temporary, model: model)
    }
  }

  /// Completes what a save to several stores has left unfinished in this one.
  private static func completeJointSave(
    _ path: String, _ configuration: ModelConfiguration
  ) throws {
    guard StoreFile.mayLackPartOfJointSave(at: path) else { return }
    if configuration.allowsSave {
      try StoreEditor(
        path: path, busyTimeout: busyTimeout, recordsValues: configuration.recordsValues
      ).completeJointSave()
      return
    }
    let file = try StoreFile(path: path, busyTimeout: busyTimeout)
    // Whoever is saving at the moment is done soon.
    for _ in 0..<100 {
      guard try file.lacksPartOfJointSave() else { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "a save to several stores was broken off, and its part for \(path) is missing; the "
        + "configuration \(configuration.name) does not allow it to be completed, so open it once "
        + "with allowsSave")
  }

  /// Runs what reads or writes the file, and says in our own terms what went wrong.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreWriteError {
      switch error {
      case .notUnique, .missingValue, .wrongValue, .deletionDenied, .missingObject:
        throw SwiftDataError(.modelValidationFailure, "\(error)")
      default: throw SwiftDataError(.storeFailure, "\(error)")
      }
    } catch let error as StoreError {
      throw SwiftDataError(.storeFailure, "\(error)")
    }
  }

  /// The editor.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` where the configuration does not allow saving.
  func writable() throws -> StoreEditor {
    guard let editor else {
      throw SwiftDataError(
        .storeFailure,
        "the configuration \(configuration.name) does not allow saving; set allowsSave")
    }
    return editor
  }

  /// Deletes all models, as one transaction, and then the history before it, but for what a bookmark or
  /// CloudKit's mirror still needs.
  ///
  /// - Throws: ``SwiftDataError``.
  public func erase() throws {
    let editor = try writable()
    let transaction = try translating {
      var save = StoreSave(process: ProcessInfo.processInfo.processName)
      // Somebody else may erase it as well.
      save.toleratesDeletions = true
      for entity in schema.entities where entity.superentityName == nil {
        for object in try fetcher.identifiers(ObjectFetch(entity.name)) { save.delete(object) }
      }
      return try editor.append(save)
    }
    if let transaction { try eraseHistory(before: transaction.position.number, keepsRefused: true) }
  }

  /// Deletes the models that a request names, as one transaction.
  ///
  /// - Throws: ``SwiftDataError``.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws
  where T: PersistentModel {
    var descriptor = FetchDescriptor<T>(predicate: request.predicate)
    descriptor.includePendingChanges = false
    let name = Schema.entityName(for: T.self)
    let identifiers = try fetchIdentifiers(
      DataStoreFetchRequest(editingState: request.editingState, descriptor: descriptor)
    ).filter { request.includeSubclasses || $0.entityName == name }
    let editor = try writable()
    try translating {
      var save = StoreSave(header: request.editingState)
      for identifier in identifiers { save.delete(try object(identifier)) }
      try editor.append(save)
    }
  }

  // MARK: - Identifiers

  func persistentIdentifier(_ object: StoreObject) -> PersistentIdentifier {
    PersistentIdentifier(
      entityName: object.entityName, storeIdentifier: identifier,
      key: .number(object.primaryKey ?? 0))
  }

  /// The object that an identifier of this store names.
  func object(_ identifier: PersistentIdentifier) throws -> StoreObject {
    guard let number = identifier.number, identifier.storeIdentifier == self.identifier else {
      throw SwiftDataError(
        .modelValidationFailure,
        "a model of \(identifier.entityName) is related to one that belongs to another store or "
          + "context; relate models of one context only")
    }
    return StoreObject(entityName: identifier.entityName, primaryKey: number)
  }
}

extension StoreSave {
  /// A save by a context.
  init(header state: EditingState) {
    self.init(
      author: state.author, bundle: Bundle.main.bundleIdentifier,
      process: ProcessInfo.processInfo.processName)
    toleratesDeletions = true
  }
}
