import OpenSwiftData
import Synchronization
import TestSupport
import Testing

@Suite(.bounded) struct NotificationTests {
  /// The notifications of one name that were received.
  private final class ReceivedNotifications: @unchecked Sendable {
    private(set) var all: [[AnyHashable: Any]] = []
    private let lock = Mutex(())
    private var observer: (any NSObjectProtocol)?

    init(_ name: Notification.Name, of object: AnyObject, _ body: @escaping () -> Void = {}) {
      nonisolated(unsafe) let body = body
      observer = NotificationCenter.default.addObserver(
        forName: name, object: object, queue: nil
      ) { [weak self] notification in
        body()
        self?.lock.withLock { _ in self?.all.append(notification.userInfo ?? [:]) }
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var count: Int { lock.withLock { _ in all.count } }

    func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
      lock.withLock { _ in all.last?[key.rawValue] as? [PersistentIdentifier] }
    }

    var generation: DefaultHistoryToken? {
      lock.withLock { _ in
        all.last?[ModelContext.NotificationKey.queryGeneration.rawValue] as? DefaultHistoryToken
      }
    }

    var tokens: [String: any HistoryToken]? {
      lock.withLock { _ in
        all.last?[ModelContext.NotificationKey.historyTokens.rawValue]
          as? [String: any HistoryToken]
      }
    }
  }

  @Test func `saves list their models`() throws {
    let store = try TripStore()
    let context = store.context()
    let (rome, paris) = (Trip(name: "Rome"), Trip(name: "Paris"))
    context.insert(rome)
    context.insert(paris)
    try context.save()
    let will = ReceivedNotifications(ModelContext.willSave, of: context)
    let did = ReceivedNotifications(ModelContext.didSave, of: context)
    rome.name = "Roma"
    let gone = paris.persistentModelID
    context.delete(paris)
    let oslo = Trip(name: "Oslo")
    context.insert(oslo)
    let temporary = oslo.persistentModelID
    try context.save()
    #expect(will.identifiers(.insertedIdentifiers) == [temporary])
    #expect(will.identifiers(.updatedIdentifiers) == [rome.persistentModelID])
    #expect(will.identifiers(.deletedIdentifiers) == [gone])
    #expect(will.tokens == nil)
    #expect(did.identifiers(.insertedIdentifiers) == [oslo.persistentModelID])
    #expect(did.identifiers(.updatedIdentifiers) == [rome.persistentModelID])
    #expect(did.identifiers(.deletedIdentifiers) == [gone])
    let identifier = try #require(gone.storeIdentifier)
    #expect((did.tokens?[identifier] as? DefaultHistoryToken)?.tokenValue == [identifier: 2])
    try context.save()
    #expect(did.count == 1)
  }

  @Test func `a save reports invalidated models`() throws {
    let store = try TripStore()
    let (context, others) = (store.context(), store.context())
    let (rome, paris) = (Trip(name: "Rome"), Trip(name: "Paris"))
    context.insert(rome)
    context.insert(paris)
    let did = ReceivedNotifications(ModelContext.didSave, of: context)
    try context.save()
    let identifier = try #require(rome.persistentModelID.storeIdentifier)
    #expect(did.generation?.tokenValue == [identifier: 1])
    #expect(did.identifiers(.invalidatedAllIdentifiers) == [])
    // What others have saved is known from the next fetch on.
    others.delete(
      try #require(try others.fetch(FetchDescriptor<Trip>()).first { $0.name == "Paris" }))
    try others.save()
    rome.notes = "one"
    try context.save()
    #expect(did.generation?.tokenValue == [identifier: 1])
    let gone = paris.persistentModelID
    #expect(try context.fetch(FetchDescriptor<Trip>()) == [rome])
    rome.notes = "two"
    try context.save()
    #expect(did.generation?.tokenValue == [identifier: 4])
    #expect(did.identifiers(.invalidatedAllIdentifiers) == [gone])
    rome.notes = "three"
    try context.save()
    #expect(did.identifiers(.invalidatedAllIdentifiers) == [])
  }

  @Test func `changes made in willSave are saved`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    nonisolated(unsafe) let trip = rome
    let will = ReceivedNotifications(ModelContext.willSave, of: context) { trip.notes = "saved" }
    try context.save()
    #expect(will.count == 1)
    #expect(try StoreQuery(path: store.path).lines("SELECT ZNOTES FROM ZTRIP") == ["saved"])
  }

  @Test func `only changes of others are remote`() async throws {
    let store = try SharedStore()
    let remote = ReceivedNotifications(ModelContainer.remoteChange, of: store.container)
    let context = ModelContext(store.container)
    context.insert(SavedEntry(author: "app", number: 1))
    try context.save()
    try await store.saveElsewhere(1)
    try await wait(until: "a save of another process is reported") { remote.count >= 1 }
    let identifier = try #require(
      store.container.storeIdentifier(forConfigurationNamed: "Saved"))
    // The first that was told is the second transaction.
    #expect((remote.tokens?[identifier] as? DefaultHistoryToken)?.tokenValue == [identifier: 2])
  }

  @Test func `a container created later is watched too`() async throws {
    let name = ModelContainer.remoteChange
    let store = try SharedStore()
    let remote = ReceivedNotifications(name, of: store.container)
    try await store.saveElsewhere(1)
    try await wait(until: "a save of another process is reported") { remote.count >= 1 }
    let identifier = try #require(
      store.container.storeIdentifier(forConfigurationNamed: "Saved"))
    #expect((remote.tokens?[identifier] as? DefaultHistoryToken)?.tokenValue == [identifier: 1])
  }
}
