import DurableFiles
import GRDB
import StoreFormat
import StoreTransactions

/// Creates empty stores in the layout of the frameworks.
///
/// ```swift
/// try StoreCreator.create(at: "Trips.store", model: model)
/// let editor = try StoreEditor(path: "Trips.store")
/// ```
package enum StoreCreator {
  /// Creates an empty store for a model.
  ///
  /// The file is complete when the function returns, and removed when it throws. As with the frameworks,
  /// the history tables exist and are empty, and the store uses a write-ahead log.
  ///
  /// - Parameter identifier: The store's identifier, an upper-case UUID; by default a random one.
  /// - Throws: ``StoreWriteError``; ``StoreWriteError/alreadyThere(path:)`` if the path is taken.
  package static func create(
    at path: String, model: ManagedModel, identifier: String = StoreIdentifier.random()
  ) throws {
    try translatingErrors(path) {
      let statements = try Self.statements(model, identifier)
      try StoreDraft.claim(path, permissions: [.ownerReadWrite, .groupRead, .otherRead])
      do {
        try write(statements, to: path)
      } catch {
        for suffix in [""] + StoreDraft.companions { FileStatus.remove(path + suffix) }
        throw error
      }
    }
  }

  /// Makes an empty file a store, unless another program does so first.
  ///
  /// - Throws: ``StoreWriteError``.
  package static func fill(emptyFileAt path: String, model: ManagedModel) throws {
    try translatingErrors(path) {
      try write(statements(model, StoreIdentifier.random()), to: path)
    }
  }

  private static func translatingErrors(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      throw StoreWriteError.translating(error, path: path, location: nil, busyTimeout: 5)
    }
  }

  /// Runs statements in one transaction, unless the file has tables.
  private static func write(
    _ statements: [(sql: String, values: [StoredValue])], to path: String
  ) throws {
    let queue = try WritingConnection.open(path: path, busyTimeout: 5)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2")
      try database.inTransaction(.immediate) {
        let runner = StatementRunner(database)
        guard try runner.integer("SELECT count(*) FROM sqlite_master") == 0 else {
          return .rollback
        }
        for (sql, values) in statements { try runner.run(sql, values) }
        return .commit
      }
      // Afterwards, so that a killed program leaves an empty file or a whole store.
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    try queue.close()
  }

  /// Returns the statements that make an empty file a store.
  private static func statements(
    _ model: ManagedModel, _ identifier: String
  ) throws -> [(sql: String, values: [StoredValue])] {
    try model.check()
    let numbering = EntityNumbering(numbering: model)
    let tables =
      try EntityTables(model: model, numbering: numbering).statements(model: model)
      + EntityTables.baseStatements + historyTables(model.tombstoneColumnCount())
    var statements: [(sql: String, values: [StoredValue])] = tables.map { ($0, []) }
    for entry in numbering.entries {
      statements.append(
        (
          "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
          [.integer(entry.number), .text(entry.name), .integer(entry.superNumber)]
        ))
    }
    statements.append(
      (
        "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
        [.text(identifier), .blob(try StoreMetadata.propertyList(model: model))]
      ))
    statements.append(
      ("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(try model.cacheContent())]))
    return statements
  }

  /// Returns the statements that create the history tables and their indexes, identical to the frameworks'.
  private static func historyTables(_ tombstoneColumnCount: Int) -> [String] {
    let columns = (0..<tombstoneColumnCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    let change = """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB\(columns) )
      """
    let interned = StringRole.inColumnOrder.map { "\($0.identifierColumn) INTEGER, " }.joined()
    let plain = StringRole.inColumnOrder.map { ", \($0.plainColumn) VARCHAR" }.joined()
    let transaction = """
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      \(interned)ZTIMESTAMP FLOAT\(plain), ZQUERYGEN BLOB )
      """
    let string = """
      CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZNAME VARCHAR )
      """
    let changeIndex = "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)"
    let stringIndexes = StringRole.inColumnOrder.map { role in
      "CREATE INDEX ATRANSACTION_\(role.identifierColumn)_INDEX ON ATRANSACTION "
        + "(\(role.identifierColumn))"
    }
    let transactionIndexes = [
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        + "(ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        + "(ZTIMESTAMP COLLATE BINARY ASC)",
    ]
    let uniqueName =
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
      + "(ZNAME COLLATE BINARY ASC)"
    return [change, transaction, string, changeIndex] + stringIndexes + transactionIndexes
      + [uniqueName]
  }
}

extension ManagedModel {
  /// Returns the number of tombstone columns: that of the entity with the most preserved attributes.
  func tombstoneColumnCount() throws -> Int {
    let slots = LazySlots(self)
    return try entities.keys.map { try slots.known(of: $0).tombstoneAttributes.count }.max() ?? 0
  }
}

extension LazySlots {
  func known(of entityName: String) throws -> EntitySlots {
    guard let slots = slots(of: entityName) else {
      throw StoreError.invalidModel(
        detail: "\(entityName) has more properties than the order of slots is known for")
    }
    return slots
  }
}

extension StringRole {
  fileprivate static let inColumnOrder: [StringRole] = [.author, .bundle, .context, .process]
}
