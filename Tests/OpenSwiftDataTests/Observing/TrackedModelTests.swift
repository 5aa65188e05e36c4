import Observation
import OpenSwiftData
import Synchronization
import TestSupport
import Testing

/// Observers of fetched models, of which only those that somebody tracks have a registrar.
@Suite(.bounded) struct TrackedModelTests {
  private final class Owner: Sendable {
    let changes = Mutex(0)
  }

  private let store: TripStore
  private let context: ModelContext

  init() throws {
    store = try TripStore()
    let writer = store.context()
    // Keys on both sides of a block of the registry.
    for number in 1...20 { writer.insert(Trip(name: "\(number)")) }
    try writer.save()
    context = store.context()
  }

  private func trips() throws -> [Trip] {
    try context.fetch(FetchDescriptor<Trip>())
  }

  @Test func `each model that is read while tracked reports its own change`() throws {
    let trips = try trips()
    // Nobody tracks this.
    #expect(Set(trips.map(\.name)).count == 20)
    for tracked in [trips[6], trips[7], trips[8]] {
      let owner = Owner()
      withObservationTracking {
        _ = tracked.name
      } onChange: {
        owner.changes.withLock { $0 += 1 }
      }
      for trip in trips where trip !== tracked { trip.name += "!" }
      #expect(owner.changes.withLock { $0 } == 0)
      tracked.name += "?"
      #expect(owner.changes.withLock { $0 } == 1)
    }
  }

  @Test func `a model is one object as long as it is used, whatever its key`() throws {
    let trips = try trips()
    let again = try self.trips()
    for (trip, same) in zip(trips, again) { #expect(trip === same) }
    for trip in trips {
      let known: Trip? = context.registeredModel(for: trip.persistentModelID)
      #expect(known === trip)
    }
  }

  @Test func `what tracks a model is released with it`() throws {
    weak var released: Owner?
    do {
      let owner = Owner()
      released = owner
      let trip = try #require(try trips().first)
      withObservationTracking {
        _ = trip.name
      } onChange: {
        owner.changes.withLock { $0 += 1 }
      }
    }
    // The context is still there.
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 20)
    #expect(released == nil)
  }
}
