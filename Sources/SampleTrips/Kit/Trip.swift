import OpenSwiftData

/// A journey.
///
/// What is marked with `.preserveValueOnDeletion` stays in the history when a trip is deleted.
@Model
public final class Trip {
  #Index<Trip>([\.startDate])

  /// What it is called; no two trips have the same name.
  @Attribute(.unique, .preserveValueOnDeletion) public var name: String
  /// Where it leads to.
  public var destination: String
  /// When it begins.
  @Attribute(.preserveValueOnDeletion) public var startDate: Date
  /// When it is over.
  public var endDate: Date
  /// What is to be done there.
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  public var bucketList: [BucketListItem] = []
  /// Where one lives there.
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  public var livingAccommodation: LivingAccommodation?

  /// A journey.
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
  /// What it is.
  @Attribute(.preserveValueOnDeletion) public var title: String
  /// The trip.
  public var trip: Trip?

  /// Something to do.
  public init(title: String) { self.title = title }
}

/// Where one lives on a trip.
@Model
public final class LivingAccommodation {
  /// The name of the place.
  public var placeName: String
  /// Whether there is a reservation.
  public var isConfirmed: Bool
  /// The trip.
  public var trip: Trip?

  /// A place to live at, without a reservation.
  public init(placeName: String) {
    self.placeName = placeName
    isConfirmed = false
  }
}
