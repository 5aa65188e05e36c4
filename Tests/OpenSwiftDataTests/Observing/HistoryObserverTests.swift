import OpenSwiftData
import Synchronization
import TestSupport
import Testing

@Suite(.bounded) struct HistoryObserverTests {
  /// Waits until an observer has counted a number of saves.
  private func wait(for count: Int, _ observer: HistoryObserver) async throws {
    try await TestSupport.wait(until: "\(count) saves are counted") {
      observer.eventCounter >= count
    }
  }

  @Test func `saves of the container are counted immediately`() throws {
    let store = try TripStore()
    let observer = try HistoryObserver(modelContainer: store.container, isolation: nil)
    #expect(observer.eventCounter == 0)
    #expect(observer.lastEventOrigin == nil)
    let change = ObservedChange()
    change.observe { _ = observer.eventCounter }
    let context = store.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(change.hasChanged)
    #expect(observer.eventCounter == 1)
    #expect(observer.lastEventOrigin == .container)
    // A save that comes to nothing is none.
    try context.save()
    #expect(observer.eventCounter == 1)
    let identifier = try #require(store.container.storeIdentifier(forConfigurationNamed: "Trips"))
    #expect(
      (observer.historyTokens[identifier] as? DefaultHistoryToken)?.tokenValue == [identifier: 1])
  }

  @Test func `erasing is one deletion of the container`() async throws {
    let store = try SharedStore()
    let observer = try HistoryObserver(
      observedModels: [SavedEntry.self], modelContainer: store.container, isolation: nil)
    let ofCounters = try HistoryObserver(
      observedModels: [SavedCounter.self], modelContainer: store.container, isolation: nil)
    let results = try ResultsObserver<SavedEntry, Never>(modelContainer: store.container)
    let remoteChanges = Mutex(0)
    let listening = NotificationCenter.default.addObserver(
      forName: Notification.Name("ModelContainer.remoteChange"), object: store.container, queue: nil
    ) { _ in remoteChanges.withLock { $0 += 1 } }
    defer { NotificationCenter.default.removeObserver(listening) }
    let context = ModelContext(store.container)
    for number in 1...3 { context.insert(SavedEntry(author: "app", number: number)) }
    try context.save()
    #expect(results.results.count == 3)
    try store.container.erase()
    #expect(observer.eventCounter == 2)
    #expect(observer.lastEventOrigin == .container)
    #expect(ofCounters.eventCounter == 0)
    #expect(results.results.count == 0)
    let identifier = try #require(store.container.storeIdentifier(forConfigurationNamed: "Saved"))
    #expect(
      (observer.historyTokens[identifier] as? DefaultHistoryToken)?.tokenValue == [identifier: 2])
    // Without models there is nothing to delete.
    try store.container.erase()
    #expect(observer.eventCounter == 2)
    // The watcher of files does not count it again.
    try await store.saveElsewhere(1)
    try await wait(for: 3, observer)
    #expect(observer.eventCounter == 3)
    #expect(observer.lastEventOrigin == .elsewhere)
    #expect(remoteChanges.withLock { $0 } == 1)
    #expect(
      try StoreQuery(path: store.folder.file("Saved.store")).lines(
        "SELECT ZTRANSACTIONID, ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY 1, 2")
        == ["2|2|3", "3|0|2"])
  }

  /// In a store without a log, whoever commits keeps everybody out for a moment.
  @Test func `an observer waits for a commit`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    _ = try TripStore.open(path)
    nonisolated(unsafe) let query = try StoreQuery(path: path)
    #expect(try query.lines("PRAGMA journal_mode = DELETE") == ["delete"])
    let container = try TripStore.open(path)
    try query.run("BEGIN EXCLUSIVE")
    // On a thread of its own, since all others may be waiting.
    let released = Mutex<(any Error)?>(nil)
    let thread = DispatchGroup()
    DispatchQueue.global().async(group: thread) {
      Thread.sleep(forTimeInterval: 0.3)
      do { try query.run("COMMIT") } catch { released.withLock { $0 = error } }
    }
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    thread.wait()
    #expect(released.withLock { $0 } == nil)
    #expect(observer.eventCounter == 0)
    let context = ModelContext(try TripStore.open(path))
    context.insert(Trip(name: "Rome"))
    try context.save()
    try await wait(for: 1, observer)
    #expect(observer.lastEventOrigin == .elsewhere)
  }

  @Test func `another process is counted once for each save`() async throws {
    let store = try SharedStore()
    let observer = try HistoryObserver(modelContainer: store.container, isolation: nil)
    let change = ObservedChange()
    change.observe { _ = observer.eventCounter }
    try await store.saveElsewhere(5)
    try await wait(for: 5, observer)
    #expect(change.hasChanged)
    #expect(observer.lastEventOrigin == .elsewhere)
    let context = ModelContext(store.container)
    context.insert(SavedEntry(author: "app", number: 1))
    try context.save()
    #expect(observer.eventCounter == 6)
    #expect(observer.lastEventOrigin == .container)
    try await store.saveElsewhere(1)
    try await wait(for: 7, observer)
    // Nothing comes late or twice.
    try await store.saveElsewhere(1, as: "last")
    try await wait(for: 8, observer)
    #expect(observer.eventCounter == 8)
  }

  @Test func `own and other saves are each counted once`() async throws {
    let store = try SharedStore()
    let observer = try HistoryObserver(modelContainer: store.container, isolation: nil)
    let (own, others) = (100, 60)
    async let elsewhere: Void = store.saveElsewhere(others)
    try await Task.detached {
      let context = ModelContext(store.container)
      for number in 1...own {
        context.insert(SavedEntry(author: "app", number: number))
        try context.save()
      }
    }.value
    try await elsewhere
    try await wait(for: own + others, observer)
    try await store.saveElsewhere(1, as: "last")
    try await wait(for: own + others + 1, observer)
    #expect(observer.eventCounter == own + others + 1)
    #expect(observer.lastEventOrigin == .elsewhere)
  }

  @Test func `authors and models filter transactions`() throws {
    let store = try TripStore()
    let byWidget = try HistoryObserver(
      authors: ["widget"], modelContainer: store.container, isolation: nil)
    let ofTags = try HistoryObserver(
      observedModels: [Tag.self], modelContainer: store.container, isolation: nil)
    let (app, widget, nobody) = (
      store.context(author: "app"), store.context(author: "widget"), store.context()
    )
    app.insert(Trip(name: "Rome"))
    try app.save()
    nobody.insert(Tag(label: "city"))
    try nobody.save()
    #expect(byWidget.eventCounter == 0)
    #expect(ofTags.eventCounter == 1)
    widget.insert(Trip(name: "Paris"))
    try widget.save()
    #expect(byWidget.eventCounter == 1)
    #expect(ofTags.eventCounter == 1)
    #expect(byWidget.authors == ["widget"])
    #expect(ofTags.observedModels.count == 1)
  }

  @Test func `an observer begins after its token`() throws {
    let store = try TripStore()
    let context = store.context()
    var tokens: [DefaultHistoryToken] = []
    for name in ["Rome", "Paris", "Oslo"] {
      context.insert(Trip(name: name))
      try context.save()
      tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .map(\.token)
    }
    let identifier = tokens[0].storeIdentifier
    let observer = try HistoryObserver(
      historyTokens: [identifier: tokens[0]], modelContainer: store.container, isolation: nil)
    #expect(observer.eventCounter == 2)
    context.insert(Trip(name: "Bern"))
    try context.save()
    #expect(observer.eventCounter == 3)
    // It goes on where another has ended.
    let next = try HistoryObserver(
      historyTokens: observer.historyTokens, modelContainer: store.container, isolation: nil)
    #expect(next.eventCounter == 0)
    let third = tokens[2]
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(
        historyTokens: [identifier: tokens[0]], modelContainer: store.container, isolation: nil)
    }
  }

  @MainActor @Test func `the counter changes on the actor`() async throws {
    let store = try SharedStore()
    let observer = try HistoryObserver(modelContainer: store.container)
    let isOnMainActor = Mutex<Bool?>(nil)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      MainActor.assumeIsolated { isOnMainActor.withLock { $0 = true } }
    }
    try await store.saveElsewhere(1)
    try await wait(for: 1, observer)
    #expect(isOnMainActor.withLock { $0 } == true)
  }

  @Test func `an observer is not retained by its store`() async throws {
    let store = try TripStore()
    weak var observer: HistoryObserver?
    do {
      let kept = try HistoryObserver(modelContainer: store.container, isolation: nil)
      observer = kept
      #expect(observer === kept)
    }
    #expect(observer == nil)
    let context = store.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
  }

  @Test func `a custom store notifies observers`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: JournalConfiguration(
        name: "journal", url: URL(fileURLWithPath: folder.file("trips.jsonl"))))
    let observer = try HistoryObserver(modelContainer: container, isolation: nil)
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    try context.save()
    #expect(observer.eventCounter == 1)
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "journal"))
    #expect((observer.historyTokens[identifier] as? JournalToken)?.number == 1)
  }
}
