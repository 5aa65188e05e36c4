import OpenSwiftData

/// The store that the app and its widget share.
public struct TripBook {
  /// Who saves.
  public enum Author: String, Sendable {
    /// The app, in the hands of its user.
    case app
    /// The widget, behind the app's back.
    case widget
  }

  /// The store.
  public let container: ModelContainer
  /// Where the models are read and changed.
  public let context: ModelContext

  /// Opens the store, and creates it where it is not there.
  public init(path: String, as author: Author) throws {
    container = try ModelContainer(
      for: Trip.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    context = ModelContext(container)
    context.author = author.rawValue
  }

  /// All trips, the next one first.
  public func trips() throws -> [Trip] {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)])
    descriptor.relationshipKeyPathsForPrefetching = [\.livingAccommodation, \.bucketList]
    return try context.fetch(descriptor)
  }

  /// The trip of a name; nil for none.
  public func trip(named name: String) throws -> Trip? {
    try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first
  }

  /// The trip of a name.
  ///
  /// - Throws: ``TripError/unknown(name:known:)``.
  public func existingTrip(named name: String) throws -> Trip {
    if let trip = try trip(named: name) { return trip }
    throw TripError.unknown(name: name, known: try trips().map(\.name))
  }
}

/// What cannot be done with trips.
public enum TripError: Error, CustomStringConvertible {
  /// There is no trip of this name.
  case unknown(name: String, known: [String])
  /// There is a trip of this name already.
  case known(name: String)
  /// The trip has no place to live at.
  case homeless(name: String)
  /// A text is no date.
  case malformedDate(String)

  /// What is wrong, and what to do.
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
