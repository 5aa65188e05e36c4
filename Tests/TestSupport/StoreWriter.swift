import PropertyLists
import StoreFormat

/// Writes stores for tests in plain SQL, with valid or invalid content.
///
/// It has its own knowledge of the layout, so that readers are checked against an independent source.
package final class StoreWriter {
  /// The shape of a store.
  package struct Shape: Hashable, Sendable {
    /// Whether the strings are plain, as in 2017.
    package var hasPlainStrings = false
    /// Whether there are history tables.
    package var hasHistory = true
    /// Whether the store uses a write-ahead log.
    package var usesWriteAheadLog = true
    /// Whether written pages stay in the log.
    package var keepsLog = false
    /// The content of the model cache; nil for a row with null.
    package var modelCache: [UInt8]?? = .none
    /// Whether there is a table for the model cache.
    package var hasModelCacheTable = true
    /// The length of the pages in bytes.
    package var pageSize = 4096
    /// The text encoding of the file.
    package var encoding = "UTF-8"
    /// The number of tombstone columns.
    package var tombstoneColumns = 6
    /// The identifier of the store.
    package var identifier = StoreWriter.identifier

    package init() {}
  }

  /// The identifier of the stores that tests write.
  package static let identifier = "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"

  private static let modelCache = Result { try ModelArchive.cache(of: TripsModel.model) }

  /// The store.
  package let path: String
  private let connection: PlainConnection
  private let shape: Shape
  private var strings: [String: Int64] = [:]

  /// Creates a store.
  package init(path: String, shape: Shape = Shape()) throws {
    self.path = path
    self.shape = shape
    connection = try PlainConnection(path: path)
    // Stores of tests need not survive a power failure.
    try connection.run(
      """
      PRAGMA page_size = \(shape.pageSize); PRAGMA encoding = '\(shape.encoding)';
      PRAGMA auto_vacuum = 2; PRAGMA synchronous = OFF
      """)
    if shape.usesWriteAheadLog {
      try connection.run("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
    }
    try createTables()
  }

  /// Runs SQL.
  package func sql(_ text: String, _ arguments: [(any BoundValue)?] = []) throws {
    if arguments.isEmpty {
      try connection.inTransaction { try connection.run(text) }
    } else {
      try connection.run(text, arguments.map { $0?.stored ?? .null })
    }
  }

  /// Adds a transaction; strings are interned as the layout requires.
  package func transaction(
    _ number: Int64, at seconds: Double? = nil, author: String? = nil,
    bundle: String? = "com.example.Trips", process: String? = "Trips", context: String? = nil
  ) throws {
    let time = seconds ?? 743_906_500 + Double(number) * 60
    if shape.hasPlainStrings {
      try sql(
        """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZPROCESSID, ZCONTEXTNAME)
        VALUES (?, 16002, ?, ?, ?, ?, ?)
        """, [number, time, author, bundle, process, context])
    } else {
      try sql(
        """
        INSERT INTO ATRANSACTION
          (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZCONTEXTNAMETS)
        VALUES (?, 16002, ?, ?, ?, ?, ?)
        """,
        [
          number, time, try intern(author), try intern(bundle), try intern(process),
          try intern(context),
        ])
    }
    try raise(16002, "TRANSACTION", to: number)
  }

  /// Adds a change with the stored values as they are given.
  package func change(
    _ number: Int64, of transaction: Int64, _ kind: Int64, _ entity: Int64, _ primaryKey: Int64,
    mask: [UInt8]? = nil, tombstone: [StoredValue] = []
  ) throws {
    var columns = [
      "Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]
    var values: [(any BoundValue)?] = [
      number, 16001, kind, entity, primaryKey, transaction, mask.map { StoredValue.blob($0) },
    ]
    for (slot, value) in tombstone.enumerated() {
      columns.append("ZTOMBSTONE\(slot)")
      values.append(value)
    }
    let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
    try sql(
      "INSERT INTO ACHANGE (\(columns.joined(separator: ", "))) VALUES (\(marks))", values)
    try raise(16001, "CHANGE", to: number)
    // Keys are counted at the root of a hierarchy.
    try sql(
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT =
        (SELECT iif(Z_SUPER > 0, Z_SUPER, Z_ENT) FROM Z_PRIMARYKEY WHERE Z_ENT = ?)
      """, [primaryKey, entity])
  }

  /// Adds rows with the stored values as they are given, all at once.
  package func insert(
    into table: String, _ rows: [[(column: String, value: StoredValue)]]
  ) throws {
    try connection.inTransaction {
      for row in rows {
        let columns = row.map { "\"\($0.column)\"" }.joined(separator: ", ")
        let marks = row.map { column in
          if case .malformedText = column.value { "CAST(? AS TEXT)" } else { "?" }
        }.joined(separator: ", ")
        try connection.run(
          "INSERT INTO \(table) (\(columns)) VALUES (\(marks))", row.map(\.value))
      }
    }
  }

  /// Moves everything into the main file, unless it is to stay in the log, and closes the store.
  package func close() throws {
    for (number, name) in [
      (16001, "CHANGE"), (16002, "TRANSACTION"), (16003, "TRANSACTIONSTRING"),
    ] as [(Int64, String)] where shape.hasHistory {
      try raiseToHighest(number, name)
    }
    if shape.usesWriteAheadLog && !shape.keepsLog {
      try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    if shape.keepsLog {
      // SQLite would move the log into the store when the last connection closes.
      let copy = try [path, path + "-wal"].map { ($0, try FileBytes.read($0)) }
      connection.close()
      for (path, bytes) in copy { try FileBytes.write(bytes, to: path) }
    } else {
      connection.close()
    }
  }

  // MARK: - Parts

  private func createTables() throws {
    try sql(StoreSchema.base)
    if shape.hasModelCacheTable {
      try sql("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
      let cache: [UInt8]? =
        switch shape.modelCache {
        case .none: try Self.modelCache.get()
        case .some(let cache): cache
        }
      try sql(
        "INSERT INTO Z_MODELCACHE VALUES (?)",
        [cache.map { StoredValue.blob($0) }])
    }
    for entity in TripsModel.numbers {
      try sql(
        "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
        [entity.number, entity.name, entity.superNumber])
    }
    let properties = PropertyListValue.dictionary([
      "NSStoreType": .string("SQLite"), "NSPersistenceFrameworkVersion": .integer(1345),
      "NSStoreModelVersionIdentifiers": .array([.string("1.0.0")]),
    ])
    try sql(
      "INSERT INTO Z_METADATA VALUES (1, ?, ?)",
      [
        shape.identifier,
        StoredValue.blob(try BinaryPropertyListWriter.bytes(of: properties)),
      ])
    if shape.hasHistory {
      try sql(shape.hasPlainStrings ? StoreSchema.plainHistory : StoreSchema.history)
      for slot in 0..<shape.tombstoneColumns {
        try sql("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(slot) BLOB")
      }
    }
  }

  private func intern(_ text: String?) throws -> Int64? {
    guard let text else { return nil }
    if let known = strings[text] { return known }
    let number = Int64(strings.count + 1)
    strings[text] = number
    try sql("INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, NULL, ?)", [number, text])
    try raise(16003, "TRANSACTIONSTRING", to: number)
    return number
  }

  /// Gives a table the counter that its rows need, unless it has one already.
  private func raiseToHighest(_ entity: Int64, _ name: String) throws {
    let tables = try connection.rows(
      """
      SELECT 1 FROM sqlite_master
      WHERE type = 'table' AND (name = 'A\(name)' OR name = 'Z_PRIMARYKEY')
      """)
    let columns = try connection.rows("SELECT 1 FROM pragma_table_info('Z_PRIMARYKEY')")
    guard tables.count == 2, columns.count == 4 else { return }
    try connection.run(
      """
      INSERT INTO Z_PRIMARYKEY SELECT \(entity), '\(name)', 0, highest FROM
        (SELECT max(Z_PK) AS highest FROM A\(name)) WHERE highest > 0
      ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = iif(Z_MAX > 0, Z_MAX, excluded.Z_MAX)
      """)
  }

  private func raise(_ entity: Int64, _ name: String, to number: Int64) throws {
    try sql(
      """
      INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, ?)
      ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = max(Z_MAX, excluded.Z_MAX)
      """, [entity, name, number])
  }
}
