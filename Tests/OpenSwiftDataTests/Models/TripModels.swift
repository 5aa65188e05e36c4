import OpenSwiftData

/// The models of the app in Apple's sessions, with a tag besides.
@Model
final class Trip {
  #Unique<Trip>([\.name, \.startDate, \.endDate])
  #Index<Trip>([\.name], [\.startDate, \.endDate])

  @Attribute(.preserveValueOnDeletion) var identifier: UUID
  @Attribute(.preserveValueOnDeletion) var name: String
  var destination: String
  @Attribute(.preserveValueOnDeletion) var startDate: Date
  var endDate: Date
  var notes: String?
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?
  @Relationship(inverse: \Tag.trips) var tags: [Tag] = []
  @Transient var isUnread = false

  init(name: String, destination: String = "", startDate: Date = .distantPast, days: Double = 7) {
    identifier = UUID()
    self.name = name
    self.destination = destination
    self.startDate = startDate
    endDate = startDate.addingTimeInterval(days * 86_400)
  }
}

@Model
final class BucketListItem {
  @Attribute(.preserveValueOnDeletion) var title: String
  var details: String = ""
  var hasReservation = false
  var trip: Trip?

  init(title: String, trip: Trip? = nil) {
    self.title = title
    self.trip = trip
  }
}

@Model
final class LivingAccommodation {
  var placeName: String
  var isConfirmed: Bool
  var trip: Trip?

  init(placeName: String, isConfirmed: Bool = false) {
    self.placeName = placeName
    self.isConfirmed = isConfirmed
  }
}

@Model
final class Tag {
  @Attribute(.unique) var label: String
  var trips: [Trip]

  init(label: String) {
    self.label = label
    trips = []
  }
}
