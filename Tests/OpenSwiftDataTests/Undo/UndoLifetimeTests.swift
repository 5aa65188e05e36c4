#if !canImport(ObjectiveC)
import OpenSwiftData
import TestSupport
import Testing

/// What is kept for the sake of undoing, and what is not.
@Suite(.bounded) struct UndoLifetimeTests {
  private let store: TripStore

  init() throws { store = try TripStore() }

  /// A context that has saved with an undo manager, and goes with its last user.
  private func gone(_ manager: UndoManager?) throws -> (context: ModelContext?, trip: Trip?) {
    weak var context: ModelContext?
    weak var trip: Trip?
    do {
      let own = store.context()
      own.undoManager = manager ?? UndoManager()
      own.undoManager?.groupsByEvent = false
      let rome = Trip(name: "Rome")
      own.insert(rome)
      try own.save()
      rome.name = "Roma"
      try own.save()
      own.undoManager?.undo()
      try own.save()
      (context, trip) = (own, rome)
    }
    return (context, trip)
  }

  @Test func `undo records do not retain the context`() throws {
    let (context, trip) = try gone(nil)
    #expect(context == nil)
    #expect(trip == nil)
  }

  @Test func `an undo manager of the app does not retain the context`() throws {
    let manager = UndoManager()
    #expect(try gone(manager).context == nil)
    manager.removeAllActions()
  }

  @Test func `models retain the context once no record names them`() throws {
    let rome = Trip(name: "Rome")
    weak var context: ModelContext?
    do {
      let own = store.context()
      let manager = UndoManager()
      manager.groupsByEvent = false
      own.undoManager = manager
      own.insert(rome)
      try own.save()
      manager.removeAllActions()
      context = own
    }
    #expect(context != nil)
    #expect(rome.modelContext === context)
  }

  @Test func `prefetched models do not retain the context`() throws {
    weak var context: ModelContext?
    do {
      let own = store.context()
      let rome = Trip(name: "Rome")
      rome.bucketList = [BucketListItem(title: "Forum")]
      own.insert(rome)
      try own.save()
      var descriptor = FetchDescriptor<Trip>()
      descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
      let trip = try #require(try own.fetch(descriptor).first)
      trip.bucketList.first?.title = "Foro"
      try own.save()
      context = own
    }
    #expect(context == nil)
  }

  @Test func `identifiers are known as long as records name them`() throws {
    let context = store.context()
    let manager = UndoManager()
    manager.groupsByEvent = false
    manager.levelsOfUndo = 3
    context.undoManager = manager
    var trips: [Trip] = []
    for number in 0..<6 {
      let trip = Trip(name: "Trip \(number)")
      trip.tags = [Tag(label: "\(number)")]
      context.insert(trip)
      try context.save()
      trips.append(trip)
    }
    context.delete(trips[5])
    try context.save()
    #expect(manager.undoCount == 3)
    manager.undo()
    try context.save()
    #expect(trips[5].tags.map(\.label) == ["5"])
    manager.undo()
    manager.undo()
    try context.save()
    #expect(!manager.canUndo)
    let names = try context.fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(names == (0..<4).map { "Trip \($0)" })
    manager.redo()
    try context.save()
    #expect(trips[4].tags.map(\.label) == ["4"])
  }
}
#endif
