#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// A journey; what identifies it outlives it in the history.
@Model
final class Trip {
  #Unique<Trip>([\.name, \.startDate, \.endDate])
  #Index<Trip>([\.name], [\.startDate, \.endDate])

  @Attribute(.preserveValueOnDeletion) var name: String
  var destination: String
  @Attribute(.preserveValueOnDeletion) var startDate: Date
  @Attribute(.preserveValueOnDeletion) var endDate: Date

  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

/// Something to do on a trip.
@Model
final class BucketListItem {
  var title: String
  var details: String
  var hasReservation: Bool
  var isInPlan: Bool
  var trip: Trip?

  init(title: String, details: String = "", hasReservation: Bool = false, isInPlan: Bool = false) {
    self.title = title
    self.details = details
    self.hasReservation = hasReservation
    self.isInPlan = isInPlan
  }
}

/// Where one lives on a trip.
@Model
final class LivingAccommodation {
  var address: String
  var placeName: String
  var isConfirmed: Bool
  var trip: Trip?

  init(address: String, placeName: String, isConfirmed: Bool = false) {
    self.address = address
    self.placeName = placeName
    self.isConfirmed = isConfirmed
  }
}
