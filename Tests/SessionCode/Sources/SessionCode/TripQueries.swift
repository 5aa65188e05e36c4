#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// Every form of fetching and going through that the sessions show.
struct TripQueries {
  let context: ModelContext

  /// Everything.
  func all() throws -> [Trip] { try context.fetch(FetchDescriptor<Trip>()) }

  /// Trips whose accommodation has one of some names, which come from outside.
  func staying(at hotelNames: [String]) throws -> [Trip] {
    let predicate = #Predicate<Trip> { trip in
      if let accommodation = trip.livingAccommodation {
        return hotelNames.contains(accommodation.placeName)
      } else {
        return false
      }
    }
    return try context.fetch(FetchDescriptor(predicate: predicate))
  }

  /// Trips on which something is still without a reservation.
  func withoutReservation() throws -> [Trip] {
    let predicate = #Predicate<Trip> { trip in
      trip.bucketList.filter { item in
        item.hasReservation == false
      }.count > 0
    }
    return try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.startDate)]))
  }

  /// Trips whose items have one of some titles.
  func planning(_ titles: [String]) throws -> [Trip] {
    let predicate = #Predicate<Trip> { trip in
      trip.bucketList.filter { titles.contains($0.title) }.count > 0
    }
    return try context.fetch(FetchDescriptor(predicate: predicate))
  }

  /// A page of the trips after a day, in order, with what is shown of them read ahead.
  func page(after day: Date, offset: Int, limit: Int) throws -> [Trip] {
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.startDate > day },
      sortBy: [SortDescriptor(\.startDate, order: .reverse), SortDescriptor(\.name)])
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset
    descriptor.includePendingChanges = false
    descriptor.propertiesToFetch = [\.name, \.startDate]
    descriptor.relationshipKeyPathsForPrefetching = [\.bucketList, \.livingAccommodation]
    return try context.fetch(descriptor)
  }

  /// How many, without reading any.
  func count(to destination: String) throws -> Int {
    try context.fetchCount(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == destination }))
  }

  /// Identifiers, without values.
  func identifiers() throws -> [PersistentIdentifier] {
    try context.fetchIdentifiers(FetchDescriptor<Trip>())
  }

  /// In batches, as they are looked at.
  func names(batchSize: Int) throws -> [String] {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, comparator: .lexical)])
    descriptor.includePendingChanges = false
    return try context.fetch(descriptor, batchSize: batchSize).map(\.name)
  }

  /// One after the other, 5,000 at a time.
  func namesOneByOne() throws -> [String] {
    var names: [String] = []
    try context.enumerate(FetchDescriptor<Trip>()) { trip in names.append(trip.name) }
    return names
  }

  /// More at a time: fewer reads, and more memory.
  func itemCount() throws -> Int {
    var count = 0
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { !$0.bucketList.isEmpty })
    try context.enumerate(descriptor, batchSize: 10_000) { trip in
      count += trip.bucketList.count
    }
    return count
  }

  /// Fewer at a time, for what is large.
  func largest() throws -> Int {
    var largest = 0
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 500) { trip in
      largest = max(largest, trip.name.utf8.count)
    }
    return largest
  }

  /// Changing what is gone through, and saying so.
  func confirmEverything() throws {
    try context.enumerate(
      FetchDescriptor<LivingAccommodation>(), batchSize: 500, allowEscapingMutations: true
    ) { accommodation in
      accommodation.isConfirmed = true
    }
    try context.save()
  }
}
