import OpenSwiftData

/// The store that the app and its widget share.
public struct TripBook {
  /// The author of a save.
  public enum Author: String, Sendable {
    /// The app.
    case app
    /// The widget.
    case widget
  }

  /// The store.
  public let container: ModelContainer
  /// The context for reading and changing trips.
  public let context: ModelContext

  /// Opens the store, and creates it if it does not exist.
  public init(path: String, as author: Author) throws {
    container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    context = ModelContext(container)
    context.author = author.rawValue
  }

  /// Returns all trips, the next one first.
  public func trips() throws -> [Trip] {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)])
    descriptor.relationshipKeyPathsForPrefetching = [\.livingAccommodation, \.bucketList]
    return try context.fetch(descriptor)
  }

  /// Returns the trip with a name, or `nil`.
  public func trip(named name: String) throws -> Trip? {
    try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first
  }

  /// Returns the trip with a name.
  ///
  /// - Throws: ``TripError/unknown(name:known:)``.
  public func existingTrip(named name: String) throws -> Trip {
    if let trip = try trip(named: name) { return trip }
    throw TripError.unknown(name: name, known: try trips().map(\.name))
  }
}

/// An error of a command.
public enum TripError: Error, CustomStringConvertible {
  /// There is no trip with the name.
  case unknown(name: String, known: [String])
  /// There is already a trip with the name.
  case known(name: String)
  /// The trip has no accommodation.
  case homeless(name: String)
  /// A text is not a date.
  case malformedDate(String)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .unknown(let name, let known):
      known.isEmpty
        ? "there is no trip \(name); add it with: sampletrips add"
        : "there is no trip \(name), but there are \(known.joined(separator: ", "))"
    case .known(let name):
      "there is a trip \(name) already; change it with: sampletrips edit"
    case .homeless(let name):
      "\(name) has no place to stay; give it one with: sampletrips edit \(name) --stay PLACE"
    case .malformedDate(let text): "'\(text)' is not a date such as 2026-12-01"
    }
  }
}
