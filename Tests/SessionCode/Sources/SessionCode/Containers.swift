#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// The containers that the sessions make.
enum Containers {
  /// One model, and with it all that it leads to, at the usual place.
  static func usual() throws -> ModelContainer { try ModelContainer(for: Trip.self) }

  /// One store that is gone with the container.
  static func inMemory() throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// One store in a file.
  static func trips(in folder: URL) throws -> ModelContainer {
    let schema = Schema([Trip.self, BucketListItem.self, LivingAccommodation.self])
    let configuration = ModelConfiguration(
      schema: schema, url: folder.appendingPathComponent("trips.store"))
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// Two stores, each with models of its own; only one of them is to be mirrored.
  static func tripsAndPeople(in folder: URL) throws -> ModelContainer {
    let fullSchema = Schema([
      Trip.self, BucketListItem.self, LivingAccommodation.self, Person.self, Address.self,
    ])
    let trips = ModelConfiguration(
      "Trips", schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self]),
      url: folder.appendingPathComponent("trip.store"), cloudKitDatabase: .none)
    let people = ModelConfiguration(
      "People", schema: Schema([Person.self, Address.self]),
      url: folder.appendingPathComponent("people.store"), cloudKitDatabase: .none)
    return try ModelContainer(for: fullSchema, configurations: trips, people)
  }

  /// A store that is no SQLite file.
  static func json(at url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      configurations: JSONStoreConfiguration(
        name: "JSON", schema: Schema([Trip.self]), fileURL: url))
  }
}
