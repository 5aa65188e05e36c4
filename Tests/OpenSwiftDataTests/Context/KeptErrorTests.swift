import OpenSwiftData
import TestSupport
import Testing

/// No error is ignored: it is thrown, thrown by the next save, or kept in `lastError`.
@Suite(.bounded) struct KeptErrorTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private let store: TripStore
  private let context: ModelContext

  init() throws {
    store = try TripStore()
    context = store.context(author: "app")
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    context.insert(rome)
    try context.save()
  }

  /// Runs a body while a table of the store is missing.
  private func without(_ table: String, _ body: () throws -> Void) throws {
    let query = try StoreQuery(path: store.path)
    try query.run("ALTER TABLE \(table) RENAME TO AWAY")
    try body()
    try query.run("ALTER TABLE AWAY RENAME TO \(table)")
  }

  private func count(_ table: String) throws -> [String] {
    try StoreQuery(path: store.path).lines("SELECT count(*) FROM \(table)")
  }

  // MARK: - Tokens of other stores

  private func foreignToken() throws -> DefaultHistoryToken {
    let other = try TripStore()
    let writer = other.context()
    writer.insert(Tag(label: "other"))
    try writer.save()
    return try #require(try writer.newestHistoryToken())
  }

  @Test
  func `a token of another store is refused wherever a predicate names it`() throws {
    let token = try foreignToken()
    for predicate: Predicate<DefaultHistoryTransaction> in [
      #Predicate { $0.token > token }, #Predicate { $0.author == "app" || $0.token > token },
      #Predicate { !($0.token <= token) },
    ] {
      let descriptor = Descriptor(predicate: predicate)
      #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(descriptor) }
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try context.fetchHistoryCount(descriptor)
      }
      #expect(throws: SwiftDataError.historyTokenExpired) { try context.deleteHistory(descriptor) }
      let own = try DefaultStore(
        ModelConfiguration(
          schema: Schema([Trip.self]), url: URL(fileURLWithPath: store.path)))
      #expect(throws: SwiftDataError.historyTokenExpired) { try own.fetchHistory(descriptor) }
      #expect(throws: SwiftDataError.historyTokenExpired) { try own.fetchHistoryCount(descriptor) }
      #expect(throws: SwiftDataError.historyTokenExpired) { try own.deleteHistory(descriptor) }
    }
  }

  @Test
  func `observers and updates refuse a token of another store`() async throws {
    let token = try foreignToken()
    let identifier = try #require(store.container.storeIdentifier(forConfigurationNamed: "Trips"))
    for tokens in [[token.storeIdentifier: token], [identifier: token]] {
      #expect(throws: SwiftDataError.historyTokenExpired) {
        try HistoryObserver(
          historyTokens: tokens, modelContainer: store.container, isolation: nil)
      }
    }
    var updates = store.container.historyUpdates(after: token).makeAsyncIterator()
    await #expect(throws: SwiftDataError.historyTokenExpired) { _ = try await updates.next() }
  }

  @Test
  func `a bookmark of another store is listed as foreign`() throws {
    let other = try TripStore()
    let writer = other.context()
    writer.insert(Tag(label: "other"))
    try writer.save()
    let token = try #require(try writer.newestHistoryToken())
    try writer.setHistoryBookmark("reader", to: token)
    try FileManager.default.copyItem(
      atPath: other.path + "-bookmarks.json", toPath: store.path + "-bookmarks.json")
    let bookmark = try #require(try context.historyBookmarks().first)
    #expect(bookmark.name == "reader")
    #expect(bookmark.state == .foreign)
    #expect(bookmark.token == token)
    #expect(bookmark.unreadCount == nil)
  }

  // MARK: - Damage and guards

  @Test
  func `a change of an unknown kind is an error`() throws {
    try StoreQuery(path: store.path).run("UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE Z_PK = 2")
    let fresh = ModelContext(try TripStore.open(store.path))
    #expect(throws: SwiftDataError.storeFailure) { try fresh.fetchHistory(Descriptor()) }
  }

  @Test
  func `erasing reports that a guard keeps the history`() throws {
    let query = try StoreQuery(path: store.path)
    try query.run(
      """
      CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY, ZKEY VARCHAR, ZTRANSFORMEDVALUE BLOB);
      CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZNEEDSUPLOAD INTEGER,
        ZLASTEXPORTEDTRANSACTIONNUMBER INTEGER, ZPENDINGEXPORTTRANSACTIONNUMBER INTEGER)
      """)
    let container = try TripStore.open(store.path)
    let error = #expect(throws: SwiftDataError.self) { try container.erase() }
    #expect(error == .storeFailure)
    #expect(error?.explanation.contains("but not their history") == true)
    #expect(try count("ZTRIP") == ["0"])
    #expect(try count("ATRANSACTION") == ["2"])
  }

  @Test
  @available(*, deprecated) func `deleteAllData keeps its error in the container`() throws {
    let readOnly = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: store.path), allowsSave: false))
    #expect(readOnly.lastError == nil)
    readOnly.deleteAllData()
    #expect(readOnly.lastError as? SwiftDataError == .storeFailure)
    #expect(try count("ZTRIP") == ["1"])
    store.container.deleteAllData()
    #expect(store.container.lastError == nil)
    #expect(try count("ZTRIP") == ["0"])
  }

  // MARK: - Models of other contexts

  @Test
  func `a model whose context was released is refused`() throws {
    func orphan() throws -> Tag {
      let other = store.context()
      let tag = Tag(label: "orphan")
      other.insert(tag)
      return tag
    }
    let tag = try orphan()
    #expect(tag.modelContext == nil)
    for misuse in [{ self.context.insert(tag) }, { self.context.delete(tag) }] {
      misuse()
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .modelValidationFailure)
      #expect(error?.explanation.contains("no longer exists") == true)
    }
    try context.save()
  }

  @Test
  func `a relationship to a model of another context changes nothing and is refused`() throws {
    let other = store.context()
    let tag = Tag(label: "city")
    let paris = Trip(name: "Paris")
    other.insert(tag)
    other.insert(paris)
    try other.save()
    let rome = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).first)
    let item = try #require(rome.bucketList.first)
    for misuse in [{ rome.tags.append(tag) }, { item.trip = paris }] {
      misuse()
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }
    #expect(rome.tags.isEmpty)
    #expect(item.trip === rome)
    #expect(!other.hasChanges && !context.hasChanges)
  }

  // MARK: - Values that cannot be read

  @Test
  func `a cascade that cannot be read when its owner is deleted is applied by the save`() throws {
    let fresh = store.context()
    let rome = try #require(try fresh.fetch(FetchDescriptor<Trip>()).first)
    try without("ZBUCKETLISTITEM") {
      fresh.delete(rome)
      #expect(fresh.lastError as? SwiftDataError == .storeFailure)
      #expect(throws: SwiftDataError.storeFailure) { try fresh.save() }
    }
    try fresh.save()
    #expect(try count("ZTRIP") == ["0"])
    #expect(try count("ZBUCKETLISTITEM") == ["0"])
  }

  @Test
  func `a batch that cannot be read sets lastError`() throws {
    let fresh = store.context()
    var descriptor = FetchDescriptor<BucketListItem>()
    descriptor.includePendingChanges = false
    let items = try fresh.fetch(descriptor, batchSize: 10)
    try without("ZBUCKETLISTITEM") {
      _ = items[0]
      #expect(fresh.lastError as? SwiftDataError == .storeFailure)
    }
    fresh.rollback()
    #expect(fresh.lastError == nil)
  }

  @Test
  func `a value of another type in a custom store is an error`() throws {
    let container = try ModelContainer(for: Tag.self, configurations: LooseConfiguration())
    #expect(throws: SwiftDataError.storeFailure) {
      try ModelContext(container).fetch(FetchDescriptor<Tag>())
    }
  }
}

/// A store whose only tag has a number for a label.
private struct LooseConfiguration: DataStoreConfiguration {
  typealias Store = LooseStore

  var name = "loose"
  var schema: Schema?
}

private struct LooseSnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var label = 7

  init(_ identifier: PersistentIdentifier) { persistentIdentifier = identifier }

  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) { fatalError("nothing is saved") }

  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> LooseSnapshot { LooseSnapshot(persistentIdentifier) }

  init(from decoder: any Decoder) throws { throw DataStoreError.unsupportedFeature }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    try container.encode(label, forKey: .modeledProperty("label"))
  }
}

private final class LooseStore: DataStore {
  typealias Configuration = LooseConfiguration
  typealias Snapshot = LooseSnapshot

  let identifier = "loose"
  let schema = Schema([Tag.self])
  let configuration: LooseConfiguration

  init(_ configuration: LooseConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) {
    self.configuration = configuration
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, LooseSnapshot> where T: PersistentModel {
    let tag = try PersistentIdentifier.identifier(
      for: identifier, entityName: "Tag", primaryKey: 1)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: [LooseSnapshot(tag)])
  }

  func save(
    _ request: DataStoreSaveChangesRequest<LooseSnapshot>
  ) throws -> DataStoreSaveChangesResult<LooseSnapshot> {
    throw DataStoreError.unsupportedFeature
  }
}
