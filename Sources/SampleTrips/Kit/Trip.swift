import OpenSwiftData

/// A journey.
///
/// The history keeps the values of a deleted trip that are marked with `.preserveValueOnDeletion`.
@Model
public final class Trip {
  #Index<Trip>([\.startDate])

  /// The name, which no two trips share.
  @Attribute(.unique, .preserveValueOnDeletion) public var name: String
  /// The destination.
  public var destination: String
  /// The first day.
  @Attribute(.preserveValueOnDeletion) public var startDate: Date
  /// The last day.
  public var endDate: Date
  /// The plans for the trip.
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  public var bucketList: [BucketListItem] = []
  /// The accommodation.
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  public var livingAccommodation: LivingAccommodation?

  /// Creates a trip.
  public init(name: String, destination: String, startDate: Date, endDate: Date) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

/// Something to do on a trip.
@Model
public final class BucketListItem {
  /// The text of the plan.
  @Attribute(.preserveValueOnDeletion) public var title: String
  /// The trip.
  public var trip: Trip?

  /// Creates a plan.
  public init(title: String) { self.title = title }
}

/// The accommodation of a trip.
@Model
public final class LivingAccommodation {
  /// The name of the place.
  public var placeName: String
  /// Whether the reservation is confirmed.
  public var isConfirmed: Bool
  /// The trip.
  public var trip: Trip?

  /// Creates an accommodation without a reservation.
  public init(placeName: String) {
    self.placeName = placeName
    isConfirmed = false
  }
}
