import GRDB
import StoreFormat
import StoreTransactions

/// A migration of a store to another model, step by step in one SQLite transaction.
///
/// ```swift
/// let migration = try StoreMigration(path: "Trips.store")
/// defer { migration.close() }
/// try migration.migrate(to: model)
/// try migration.commit()
/// ```
///
/// From the beginning nobody else can write. Others read the former state until all steps are committed
/// at once; if that does not happen, the store stays unchanged. Between steps, objects are read and saved
/// as usual, in the same transaction. All functions throw ``StoreWriteError``.
package final class StoreMigration: Sendable {
  private let location: StoreLocation
  /// Reads the store with the changes of the steps so far.
  package let file: StoreFile

  private let queue: DatabaseQueue
  private let busyTimeout: Double
  private let ledger = LargeValueLedger()
  /// Records old and new values of updates; `nil` if they are not recorded.
  private let values: RecordedValuesEditor?
  /// The number of the first transaction that the migration can append.
  private let firstNumber: Int64

  /// The author of the transaction that a migration adds to the history, as in the frameworks.
  private static let author = "com.apple.coredata.schemamigrator: lightweight migration from model"

  /// Opens a store, and waits until nobody else writes to it.
  ///
  /// - Parameter recordsValues: Whether old and new values of updates are recorded, as by
  ///   ``StoreEditor``.
  package init(path: String, busyTimeout: Double = 5, recordsValues: Bool = false) throws {
    self.busyTimeout = busyTimeout
    let location = try StoreLocation.forWriting(path)
    self.location = location
    queue = try location.translatingErrors(busyTimeout) {
      let queue = try WritingConnection.open(
        path: location.resolvedPath, busyTimeout: busyTimeout, isForOneTransaction: true)
      try queue.writeWithoutTransaction { database in
        // Obsolete files are removed right after the commit.
        try WritingConnection.Durability.everySave.set(database)
        try database.beginTransaction(.immediate)
      }
      return queue
    }
    file = StoreFile(location: location, queue: queue, busyTimeout: busyTimeout)
    let queue = queue
    (values, firstNumber) = try location.translatingErrors(busyTimeout) {
      guard recordsValues else { return (nil, 0) }
      let highest = try queue.read {
        try JointSaveRecord.Place.highestNumber(StatementRunner($0))
      }
      return (
        try StoreEditor.recordedValues(location, queue, busyTimeout),
        highest < .max ? highest + 1 : highest
      )
    }
  }

  /// Returns the present model of the store, with its indexes.
  package func model() throws -> ManagedModel { try ObjectFetcher(file: file).indexedModel() }

  /// Returns an editor that saves in the migration's transaction.
  package func editor() throws -> StoreEditor {
    try StoreEditor(
      location: location, queue: queue, busyTimeout: busyTimeout, ledger: ledger, values: values)
  }

  /// Migrates the store to a model.
  ///
  /// Objects keep their primary keys and the history keeps its transactions. As with the frameworks, one
  /// transaction without changes records the migration.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - header: The origin of that transaction; its author is replaced.
  /// - Throws: ``StoreWriteError``; ``StoreWriteError/notInferable(entity:property:reason:remedy:)`` if
  ///   the two models alone do not explain a difference.
  package func migrate(to model: ManagedModel, header: TransactionHeader = .init()) throws {
    try location.translatingErrors(busyTimeout) {
      try queue.writeWithoutTransaction { try migrate($0, to: model, header) }
    }
  }

  private func migrate(
    _ database: Database, to wanted: ManagedModel, _ header: TransactionHeader
  ) throws {
    let statement = StatementRunner(database)
    let schema = try ObjectSchema(database: database, path: location.path)
    let layout = try StoreLayout(database: database, path: location.path)
    if let table = layout.mirroringTables.first {
      throw StoreWriteError.notMigratable(
        table: table, detail: "the store is mirrored, and the mirror numbers the entities as well")
    }
    let old = try schema.indexedModel(statement)
    let model = wanted.keepingOrder(of: old)
    try model.check()
    let numbering = EntityNumbering(numbering: model)
    let mapping = try ModelMapping(from: old, to: model)
    let tables = try TableMigration(
      schema: schema, mapping: mapping, numbering: numbering, statement: statement)
    try tables.check()
    let largeValues = try schema.largeValueNames(statement)
    try HistoryMigration(
      schema: schema, mapping: mapping, numbering: numbering, statement: statement
    ).write()
    try tables.write()
    try write(numbering, replacing: schema.numbering, statement)
    let digest = try write(model, statement)
    var header = header
    header.author = "\(Self.author) with digest { \(digest) }"
    let present = try ObjectSchema(database: database, path: location.path)
    let named = try present.largeValueNames(statement)
    if named.isComplete { ledger.note(replaced: largeValues.names.subtracting(named.names)) }
    _ = try HistoryRowWriter(statement: statement, tables: present.history)
      .append(header, changes: [])
  }

  /// Writes the numbers of the entities; those in both models keep their highest primary keys.
  private func write(
    _ numbering: EntityNumbering, replacing former: EntityNumbering, _ statement: StatementRunner
  ) throws {
    try statement.run(
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < ?1",
      [.integer(EntityNumbering.HistoryEntity.change.rawValue)])
    for entry in numbering.entries {
      let highest = former.entries.first { $0.name == entry.name }?.highestPrimaryKey ?? 0
      try statement.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
        [
          .integer(entry.number), .text(entry.name), .integer(entry.superNumber),
          .integer(highest),
        ])
    }
  }

  /// Writes the metadata and the cached model, and returns the model's digest.
  private func write(_ model: ManagedModel, _ statement: StatementRunner) throws -> String {
    let row = try statement.rows(
      "SELECT Z_VERSION, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1"
    ).first
    guard let row, case .blob(let bytes) = row[1] else {
      throw StoreError.damaged(
        path: location.path, place: "Z_METADATA", detail: "it has no property list")
    }
    let (properties, digest) = try StoreMetadata.propertyList(bytes, migratedTo: model)
    try statement.run(
      "UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION IS ?2", [.blob(properties), row[0]])
    try statement.run("DELETE FROM Z_MODELCACHE")
    try statement.run(
      "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?1)", [.blob(try model.cacheContent())])
    return digest
  }

  /// Commits all steps at once.
  package func commit() throws {
    do {
      try location.translatingErrors(busyTimeout) {
        try queue.writeWithoutTransaction { try $0.commit() }
      }
      ledger.settle(in: LargeValueFolder(location))
    } catch {
      // A failed commit may still take effect if SQLite finds all of it in its log.
      ledger.forget()
      throw error
    }
  }

  /// Ends the migration and rolls back what was not committed.
  ///
  /// Errors are ignored: closing the file has the same effect as rolling back.
  package func close() {
    try? queue.writeWithoutTransaction { database in
      guard database.isInsideTransaction else { return }
      // Before others can save transactions with these numbers. The next save that records values would
      // remove them too.
      try? values?.write([], removingFrom: firstNumber)
      try database.rollback()
    }
    try? queue.close()
    try? values?.close()
    ledger.discard(in: LargeValueFolder(location))
  }
}

extension ManagedModel {
  /// Returns the model with those to-many relationships ordered that are ordered in another model.
  ///
  /// A class does not declare whether its arrays are ordered, so the store decides.
  fileprivate func keepingOrder(of other: ManagedModel) -> ManagedModel {
    let entities = entities.values.map { entity in
      let former = other.entities[entity.name]?.propertiesByName ?? [:]
      let properties = entity.properties.map { property -> ManagedProperty in
        guard case .relationship(let relationship) = property, relationship.isToMany,
          !relationship.isOrdered, relationship.inverseName != nil,
          former[relationship.renamingIdentifier ?? relationship.name]?.relationship?.isOrdered
            ?? former[relationship.name]?.relationship?.isOrdered ?? false
        else { return property }
        return .relationship(relationship.ordered())
      }
      return ManagedEntity(
        name: entity.name, superentityName: entity.superentityName, isAbstract: entity.isAbstract,
        properties: properties, uniquenessConstraints: entity.uniquenessConstraints,
        indexes: entity.indexes)
    }
    return ManagedModel(entities: entities, versionIdentifiers: versionIdentifiers)
  }
}

extension ManagedRelationship {
  fileprivate func ordered() -> ManagedRelationship {
    ManagedRelationship(
      name: name, destinationName: destinationName, inverseName: inverseName, isToMany: isToMany,
      isOrdered: true, isTransient: isTransient, isOptional: isOptional, deleteRule: deleteRule,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier)
  }
}
