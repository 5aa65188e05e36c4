import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

/// Creates empty stores in the layout of the frameworks.
///
/// ```swift
/// try StoreCreator.create(at: "Trips.store", model: model)
/// let editor = try StoreEditor(path: "Trips.store")
/// ```
package enum StoreCreator {
  /// What a new store is like.
  package struct Options: Hashable, Sendable {
    /// The store's identifier, an upper-case UUID; nil for a random one.
    package var identifier: String?
    /// The framework that the store is said to be written by.
    package var frameworkVersion: FrameworkVersion
    /// Which history tables it gets.
    package var history: HistoryLayout

    /// Options; without arguments, those of a SwiftData store with a random identifier.
    package init(
      identifier: String? = nil,
      frameworkVersion: FrameworkVersion = FrameworkVersion(number: 1414),
      history: HistoryLayout = .interned
    ) {
      self.identifier = identifier
      self.frameworkVersion = frameworkVersion
      self.history = history
    }
  }

  /// Creates an empty store for a model.
  ///
  /// The file is complete when the function returns, and gone when it throws. As with the frameworks,
  /// the history tables are there and empty, and the store uses a write-ahead log.
  ///
  /// - Throws: ``StoreWriteError``; ``StoreWriteError/alreadyThere(path:)`` where the path is taken.
  package static func create(
    at path: String, model: ManagedModel, options: Options = Options()
  ) throws {
    let content: Content
    do {
      content = try Content(model, options)
    } catch let error as StoreError {
      throw StoreWriteError.store(error)
    }
    try claim(path)
    do {
      let queue = try WritingConnection.open(path: path, busyTimeout: 5)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
        try database.inTransaction(.immediate) {
          let statement = StatementRunner(database)
          for text in content.statements { try database.execute(sql: text) }
          for entry in content.numbering.entries {
            try statement.run(
              "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
              [.integer(entry.number), .text(entry.name), .integer(entry.superNumber)])
          }
          try statement.run(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            [.text(options.identifier ?? StoreIdentifier.random()), .blob(content.properties)])
          try statement.run(
            "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(content.cache)])
          return .commit
        }
      }
      try queue.close()
    } catch {
      for suffix in ["", "-wal", "-shm", "-journal"] { FileStatus.remove(path + suffix) }
      throw StoreWriteError.translating(error, path: path, location: nil, busyTimeout: 5)
    }
  }

  /// Makes the file, so that nobody else's is ever written to.
  private static func claim(_ path: String) throws {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.close()
    } catch Errno.fileExists {
      throw StoreWriteError.alreadyThere(path: path)
    } catch {
      throw StoreWriteError.unwritable(path: path, reason: "\(error)")
    }
  }

  /// What is written into a new store.
  private struct Content {
    let numbering: EntityNumbering
    let statements: [String]
    let properties: [UInt8]
    let cache: [UInt8]

    init(_ model: ManagedModel, _ options: Options) throws {
      try ModelCheck.check(model)
      numbering = EntityNumbering(numbering: model)
      statements =
        try EntityTables(model: model, numbering: numbering).statements(model: model)
        + EntityTables.baseStatements
        + HistorySchema.statements(
          layout: options.history, tombstoneColumns: try tombstoneColumnCount(of: model))
      properties = try StoreMetadata.propertyList(
        model: model, frameworkVersion: options.frameworkVersion)
      cache = try model.cacheContent()
    }
  }

  /// As many as the entity with the most preserved attributes has.
  private static func tombstoneColumnCount(of model: ManagedModel) throws -> Int {
    let slots = LazySlots(model)
    return try model.entities.keys.map { name in
      guard let slots = slots.slots(of: name) else {
        throw StoreError.invalidModel(
          detail: "\(name) has more properties than the order of slots is known for")
      }
      return slots.tombstoneAttributes.count
    }.max() ?? 0
  }
}
