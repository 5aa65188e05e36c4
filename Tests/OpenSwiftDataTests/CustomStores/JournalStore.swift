import OpenSwiftData

/// Describes a store that keeps models as lines of JSON.
struct JournalConfiguration: DataStoreConfiguration {
  typealias Store = JournalStore

  var name: String
  var schema: Schema?
  var url: URL
  /// How long transactions are kept in the history, in seconds.
  var lifetime: TimeInterval = 30 * 86_400
  var desk = JournalDesk()
}

/// What a journal is told to do, and what it says of how it was read.
final class JournalDesk: Hashable, @unchecked Sendable {
  /// Whether it gives what it remembers of models without being read.
  var remembers = false
  /// Whether it can be read at all.
  var isClosed = false
  /// What it throws instead of saving; nil where it saves.
  var refusal: (any Error)?
  /// Runs before it saves; nil for nothing.
  var beforeSaving: (() throws -> Void)?
  /// The number of models that batches deleted; nil where it refuses batches.
  var batchDeletes: Int?
  /// How often it was asked to save.
  var saveCount = 0
  /// The entity and the number of models of every fetch.
  var fetches: [String] = []

  static func == (left: JournalDesk, right: JournalDesk) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A store that is not SQLite: a file to which every save appends one line.
///
/// The line is the transaction, with the models that it saved and the identifiers of those that it
/// deleted. Opening the file reads all lines; what they leave behind is what the store holds.
final class JournalStore: DataStore, DataStoreBatching, HistoryProviding {
  typealias Configuration = JournalConfiguration
  typealias Snapshot = DefaultSnapshot
  typealias HistoryType = JournalTransaction

  /// What one save appends.
  struct Line: Codable {
    var number: Int
    var timestamp: Date
    var author: String?
    var inserted: [DefaultSnapshot]
    var updated: [DefaultSnapshot]
    var deleted: [PersistentIdentifier]
  }

  let identifier: String
  let schema: Schema
  let configuration: JournalConfiguration
  private var lines: [Line] = []
  private var models: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var lastKey = 0
  /// The newest transaction that the history does not have any more.
  private var forgotten = 0

  init(
    _ configuration: JournalConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema([Trip.self])
    identifier = "journal:" + configuration.url.path
    guard FileManager.default.fileExists(atPath: configuration.url.path) else {
      try Data().write(to: configuration.url)
      return
    }
    let text = String(decoding: try Data(contentsOf: configuration.url), as: UTF8.self)
    for line in text.split(separator: "\n") {
      apply(try JSONDecoder().decode(Line.self, from: Data(line.utf8)))
    }
  }

  private func apply(_ line: Line) {
    lines.append(line)
    for snapshot in line.inserted + line.updated {
      models[snapshot.persistentIdentifier] = snapshot
    }
    for identifier in line.deleted { models[identifier] = nil }
    lastKey += line.inserted.count
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let descriptor = request.descriptor
    if configuration.desk.isClosed { throw CocoaError(.fileReadNoPermission) }
    if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let names = names(schema.entity(for: T.self))
    let found = models.values.filter { names.contains($0.persistentIdentifier.entityName) }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
      .dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max)
    configuration.desk.fetches.append("\(T.self) \(found.count)")
    return DataStoreFetchResult(descriptor: descriptor, fetchedSnapshots: Array(found))
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard configuration.desk.remembers else { return [:] }
    return models.filter { persistentIdentifiers.contains($0.key) }
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    guard configuration.desk.batchDeletes != nil else { throw DataStoreError.unsupportedFeature }
    if request.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    let names = names(schema.entity(for: T.self))
    let deleted = models.keys.filter { names.contains($0.entityName) }
    configuration.desk.batchDeletes? += deleted.count
    apply(
      Line(
        number: (lines.last?.number ?? 0) + 1, timestamp: .now,
        author: request.editingState.author, inserted: [], updated: [], deleted: Array(deleted)))
  }

  /// The names of an entity and of all that inherit from it.
  private func names(_ entity: Schema.Entity?) -> Set<String> {
    guard let entity else { return [] }
    return entity.subentities.reduce([entity.name]) { $0.union(names($1)) }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    configuration.desk.saveCount += 1
    if let refusal = configuration.desk.refusal { throw refusal }
    try configuration.desk.beforeSaving?()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (offset, snapshot) in request.inserted.enumerated() {
      remapped[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: lastKey + offset + 1)
    }
    func permanent(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
      let identifier = snapshot.persistentIdentifier
      return snapshot.copy(
        persistentIdentifier: remapped[identifier] ?? identifier, remappedIdentifiers: remapped)
    }
    let line = Line(
      number: (lines.last?.number ?? 0) + 1, timestamp: .now, author: request.editingState.author,
      inserted: request.inserted.map(permanent), updated: request.updated.map(permanent),
      deleted: request.deleted.map(\.persistentIdentifier))
    let file = try FileHandle(forWritingTo: configuration.url)
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: try JSONEncoder().encode(line) + Data("\n".utf8))
    apply(line)
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped,
      historyToken: JournalToken(number: line.number, storeIdentifier: identifier))
  }

  // MARK: - History

  func fetchHistory(
    _ descriptor: HistoryDescriptor<JournalTransaction>
  ) throws -> [JournalTransaction] {
    let oldest = Date.now.addingTimeInterval(-configuration.lifetime)
    return try lines.filter { $0.number > forgotten && $0.timestamp >= oldest }
      .map { transaction($0) }.filter { try descriptor.predicate?.evaluate($0) ?? true }
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<JournalTransaction>) throws {
    forgotten = try fetchHistory(descriptor).last?.transactionIdentifier ?? forgotten
  }

  private func transaction(_ line: Line) -> JournalTransaction {
    func inserts<M: PersistentModel>(_ type: M.Type, _ snapshot: DefaultSnapshot) -> HistoryChange {
      .insert(
        JournalInsert<M>(
          changeIdentifier: 0, transactionIdentifier: line.number,
          changedPersistentIdentifier: snapshot.persistentIdentifier))
    }
    func deletes<M: PersistentModel>(
      _ type: M.Type, _ identifier: PersistentIdentifier
    ) -> HistoryChange {
      .delete(
        JournalDelete<M>(
          changeIdentifier: 0, transactionIdentifier: line.number,
          changedPersistentIdentifier: identifier,
          tombstone: HistoryTombstone(values: ["name": identifier.entityName])))
    }
    let types: [String: any PersistentModel.Type] = [
      "Trip": Trip.self, "BucketListItem": BucketListItem.self,
      "LivingAccommodation": LivingAccommodation.self, "Tag": Tag.self,
    ]
    let changes =
      line.inserted.compactMap { snapshot in
        types[snapshot.persistentIdentifier.entityName].map { inserts($0, snapshot) }
      }
      + line.deleted.compactMap { identifier in
        types[identifier.entityName].map { deletes($0, identifier) }
      }
    return JournalTransaction(
      timestamp: line.timestamp, changes: changes,
      token: JournalToken(number: line.number, storeIdentifier: identifier),
      transactionIdentifier: line.number, storeIdentifier: identifier, author: line.author)
  }
}
