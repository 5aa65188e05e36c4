import DurableFiles
import Foundation
import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting
import Synchronization

/// A store in SwiftData's layout: a SQLite file with models and their history.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {
  /// The type that describes such a store.
  public typealias Configuration = ModelConfiguration
  /// The type of the values of a model.
  public typealias Snapshot = DefaultSnapshot

  /// The identifier of the store.
  public let identifier: String
  /// The models that the store keeps.
  public let schema: Schema
  /// The configuration that the store was opened with.
  public let configuration: ModelConfiguration

  /// The origins of the identifiers of its models, by entity.
  private let origins: [String: PersistentIdentifier.Origin]
  let location: StoreLocation
  private let opened: Mutex<Opened>
  let knownSources = Mutex<SnapshotMaker.KnownSources>([:])
  /// `nil` if the configuration does not allow saving.
  let editor: StoreEditor?
  /// Whether the store is open in the transaction of a migration.
  let isMigrating: Bool
  private let temporaryFolder: TemporaryStoreFolder?
  /// The thread that holds the store's lock while a custom store saves its part of the same changes.
  private let savingThread = Mutex<ObjectIdentifier?>(nil)
  /// Whether the store ends with the program.
  var isTemporary: Bool { temporaryFolder != nil }

  static let busyTimeout = 30.0

  var filePath: String { location.path }

  /// The name of the configuration.
  public var name: String { configuration.name }

  /// Opens a store; creates it if it does not exist, and migrates it if it has other models.
  ///
  /// - Parameters:
  ///   - configuration: The description of the store, with a schema.
  ///   - migrationPlan: The plan for stores of older versions; without one, the differences between the
  ///     models must suffice.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``, ``SwiftDataError/unknownSchema``,
  ///   ``SwiftDataError/backwardMigration``, and the errors of the plan's stages.
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
    let migrationPlan = migrationPlan.flatMap { $0.stages.isEmpty ? nil : $0 }
    if let migrationPlan { try MigrationPath.check(migrationPlan) }
    var opened = try Self.loading {
      try Self.createIfMissing(path, model: model, configuration)
      try Self.completeJointSave(path, configuration)
      return try Opened(path)
    }
    let present = try Self.loading { try opened.indexedModel() }
    let difference = ModelDifference.first(
      store: present, schema: model, ignoringRules: !configuration.allowsSave)
    if let difference {
      if migrationPlan == nil { try StoreUpgrade.checkSameApp(path, present, model) }
      guard configuration.allowsSave else {
        throw SwiftDataError(
          .loadIssueModelContainer,
          "\(path) was created for other models: \(difference); the configuration "
            + "\(configuration.name) does not allow migrating it, so open it once with allowsSave")
      }
      try StoreUpgrade(
        path: path, configuration: configuration, schema: schema, plan: migrationPlan
      ).run()
      opened = try Self.loading { try Opened(path) }
    }
    location = opened.file.location
    identifier = opened.identifier
    origins = Self.origins(of: schema, in: identifier)
    self.opened = Mutex(opened)
    editor = try Self.loading {
      configuration.allowsSave
        ? try StoreEditor(
          path: path, busyTimeout: Self.busyTimeout,
          recordsValues: configuration.recordsValues && !configuration.isStoredInMemoryOnly)
        : nil
    }
  }

  init(_ configuration: ModelConfiguration, schema: Schema, migration: StoreMigration) throws {
    self.configuration = configuration
    self.schema = schema
    temporaryFolder = nil
    isMigrating = true
    let opened = try Opened(migration.file)
    location = opened.file.location
    identifier = opened.identifier
    origins = Self.origins(of: schema, in: identifier)
    self.opened = Mutex(opened)
    editor = try migration.editor()
  }

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

    /// Returns the model of the store, after a check that it has the tables of the model.
    func indexedModel() throws -> ManagedModel {
      do {
        try fetcher.checkTables()
      } catch let error as StoreError {
        throw SwiftDataError(
          .loadIssueModelContainer, "\(file.location.path) cannot be used: \(error)")
      }
      return try fetcher.indexedModel()
    }
  }

  var file: StoreFile { get throws { try current().file } }

  var fetcher: ObjectFetcher { get throws { try current().fetcher } }

  /// Returns the open store, opened again if it does not show what others have saved since: in a
  /// folder that cannot be written, SQLite shows later saves only while another program has the
  /// store open.
  private func current() throws -> Opened {
    try opened.withLock { opened in
      guard try opened.file.isOutdated else { return opened }
      let next = try Opened(location.path)
      guard next.identifier == identifier else {
        throw SwiftDataError(
          .storeFailure,
          "\(location.path) is no longer the store that the container opened; create a new "
            + "container")
      }
      opened = next
      return next
    }
  }

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
    let isEmpty = isEmptyFile(path)
    guard isEmpty || !FileManager.default.fileExists(atPath: path) else { return }
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "there is no store at \(path), and the configuration \(configuration.name) does not allow "
          + "creating one")
    }
    // Another program may have it open, so it must not be replaced.
    if isEmpty { return try StoreCreator.fill(emptyFileAt: path, model: model) }
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(),
      withIntermediateDirectories: true)
    // It must appear complete, because another program may open it at any moment.
    try StoreDraft.makeIfMissing(at: path) { temporary in
      try StoreCreator.create(at: temporary, model: model)
    }
  }

  /// Whether there is a file without content, which is a database without tables for SQLite.
  private static func isEmptyFile(_ path: String) -> Bool {
    func size(_ path: String) -> Int64? { (try? FileStatus(path: path))?.size }
    return size(path) == 0 && size(path + "-wal") ?? 0 == 0
  }

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
    // A save that is in progress ends soon.
    for _ in 0..<100 {
      guard try file.lacksPartOfJointSave() else { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "a save to several stores was interrupted, and its part for \(path) is missing; the "
        + "configuration \(configuration.name) does not allow completing it, so open it once with "
        + "allowsSave")
  }

  /// Runs a body in which this thread cannot save to the store.
  func refusingSaves<Result>(_ body: () throws -> Result) rethrows -> Result {
    savingThread.withLock { $0 = ObjectIdentifier(Thread.current) }
    defer { savingThread.withLock { $0 = nil } }
    return try body()
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreWriteError {
      switch error {
      case .notUnique, .missingValue, .wrongValue, .deletionDenied, .missingObject:
        throw SwiftDataError(.modelValidationFailure, "\(error)")
      default: throw SwiftDataError(.storeFailure, "\(error)")
      }
    } catch let error where error is StoreError || error is HistoryError {
      throw SwiftDataError(.storeFailure, "\(error)")
    }
  }

  func writable() throws -> StoreEditor {
    guard savingThread.withLock({ $0 }) != ObjectIdentifier(Thread.current) else {
      throw SwiftDataError(
        .storeFailure,
        "\(filePath) waits for the save of another store of its container, which cannot save to it "
          + "meanwhile; save there before or afterwards")
    }
    guard let editor else {
      throw SwiftDataError(
        .storeFailure,
        "the configuration \(configuration.name) does not allow saving; set allowsSave")
    }
    return editor
  }

  /// Deletes all models as one transaction, and then the history before it, except what a bookmark
  /// or CloudKit's mirror still needs.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``, also if the models are deleted and it is not known
  ///   how far CloudKit's mirror has read their history, which then stays.
  public func erase() throws { try erase { _ in } }

  /// Deletes all models and the history before that transaction.
  ///
  /// - Parameter recorded: Receives the transaction, if there were models, before the history is
  ///   deleted.
  func erase(recorded: (RecordedSave) -> Void) throws {
    let editor = try writable()
    var names: Set<String> = []
    let transaction = try translating {
      var save = StoreSave(process: ProcessInfo.processInfo.processName)
      // Another program may be erasing it too.
      save.toleratesDeletions = true
      for entity in schema.entities where entity.superentityName == nil {
        for object in try fetcher.identifiers(ObjectFetch(entity.name)) {
          names.insert(object.entityName)
          save.delete(object)
        }
      }
      return try editor.append(save)
    }
    if let number = transaction?.position.number {
      recorded(
        RecordedSave(
          storeIdentifier: identifier, number: number,
          token: DefaultHistoryToken([identifier: number]), entityNames: names,
          origin: .container))
    }
    // Also if another call, or the app, has deleted the models before.
    let newest = try translating { try file.read { try $0.newestTransaction()?.number } }
    guard let number = transaction?.position.number ?? newest else { return }
    do {
      try eraseHistory(before: number)
    } catch let error as SwiftDataError {
      throw SwiftDataError(
        .storeFailure, "all models are deleted, but not their history: \(error.explanation)")
    }
  }

  /// Deletes the models that match a request as one transaction.
  ///
  /// - Throws: ``SwiftDataError``; ``DataStoreError`` if SQLite cannot filter.
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

  private static func origins(
    of schema: Schema, in identifier: String
  ) -> [String: PersistentIdentifier.Origin] {
    Dictionary(
      keepingFirst: schema.layouts.keys.map {
        ($0, PersistentIdentifier.Origin($0, in: identifier))
      })
  }

  func origin(_ entityName: String) -> PersistentIdentifier.Origin {
    origins[entityName] ?? PersistentIdentifier.Origin(entityName, in: identifier)
  }

  func persistentIdentifier(_ object: StoreObject) -> PersistentIdentifier {
    PersistentIdentifier(origin(object.entityName), .number(object.primaryKey ?? 0))
  }

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
  init(header state: EditingState) {
    self.init(
      author: state.author, bundle: Bundle.main.bundleIdentifier,
      process: ProcessInfo.processInfo.processName)
    toleratesDeletions = true
  }
}
