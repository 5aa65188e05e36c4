import StoreFormat

/// The model of the sample store, that of the app in Apple's sessions on SwiftData.
enum DemoModel {
  static let model = ManagedModel(
    entities: [trip, bucketListItem, livingAccommodation], versionIdentifiers: ["1.0.0"])

  /// A trip; its items and its accommodation are deleted with it.
  private static let trip = ManagedEntity(
    name: "Trip",
    properties: [
      attribute("identifier", .uuid, preserved: true),
      attribute("name", .string, preserved: true),
      attribute("destination", .string),
      attribute("startDate", .date),
      attribute("endDate", .date),
      .relationship(
        .init(
          name: "bucketList", destinationName: "BucketListItem", inverseName: "trip",
          isToMany: true, deleteRule: .cascade)),
      .relationship(
        .init(
          name: "livingAccommodation", destinationName: "LivingAccommodation",
          inverseName: "trip", deleteRule: .cascade)),
    ], uniquenessConstraints: [["name", "startDate", "endDate"]])

  /// Something to see or do on a trip.
  private static let bucketListItem = ManagedEntity(
    name: "BucketListItem",
    properties: [
      attribute("title", .string, preserved: true),
      attribute("details", .string),
      attribute("hasReservation", .boolean),
      attribute("isInPlan", .boolean),
      .relationship(.init(name: "trip", destinationName: "Trip", inverseName: "bucketList")),
    ])

  /// The accommodation of a trip, without preserved values.
  private static let livingAccommodation = ManagedEntity(
    name: "LivingAccommodation",
    properties: [
      attribute("placeName", .string),
      attribute("address", .string),
      attribute("isConfirmed", .boolean),
      .relationship(
        .init(name: "trip", destinationName: "Trip", inverseName: "livingAccommodation")),
    ])

  private static func attribute(
    _ name: String, _ type: AttributeType, preserved: Bool = false
  ) -> ManagedProperty {
    .attribute(
      .init(name: name, type: type, isOptional: false, preservesValueOnDeletion: preserved))
  }
}
