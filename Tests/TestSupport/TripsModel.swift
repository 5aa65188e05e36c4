import StoreFormat

/// The model of the stores that tests write: trips, their items and accommodations.
package enum TripsModel {
  /// Every kind of slot occurs: to-one, order key, entity key, attributes, a composite attribute,
  /// to-many and many-to-many, an inherited property; and every type of preserved attribute.
  package static let model = ManagedModel(
    entities: [
      ManagedEntity(
        name: "Trip",
        properties: [
          .attribute(.init(name: "name", type: .string, preservesValueOnDeletion: true)),
          .attribute(.init(name: "identifier", type: .uuid, preservesValueOnDeletion: true)),
          .attribute(.init(name: "startDate", type: .date, preservesValueOnDeletion: true)),
          .attribute(.init(name: "isFavorite", type: .boolean, preservesValueOnDeletion: true)),
          .attribute(.init(name: "score", type: .integer64, preservesValueOnDeletion: true)),
          .attribute(.init(name: "token", type: .binaryData, preservesValueOnDeletion: true)),
          .attribute(.init(name: "cost", type: .double)),
          .attribute(.init(name: "draft", type: .string, isTransient: true)),
          .attribute(
            .init(
              name: "place", type: .composite,
              elements: [
                .init(name: "latitude", type: .double), .init(name: "longitude", type: .double),
              ])),
          .relationship(
            .init(
              name: "items", destinationName: "BucketListItem", inverseName: "trip",
              isToMany: true, isOrdered: true)),
          .relationship(
            .init(name: "stay", destinationName: "Accommodation", inverseName: "trip")),
          .relationship(
            .init(name: "tags", destinationName: "Tag", inverseName: "trips", isToMany: true)),
        ]),
      ManagedEntity(
        name: "BucketListItem",
        properties: [
          .attribute(.init(name: "title", type: .string)),
          .attribute(.init(name: "isDone", type: .boolean)),
          .relationship(.init(name: "trip", destinationName: "Trip", inverseName: "items")),
        ]),
      ManagedEntity(
        name: "Accommodation", isAbstract: true,
        properties: [
          .attribute(.init(name: "address", type: .string)),
          .relationship(.init(name: "trip", destinationName: "Trip", inverseName: "stay")),
        ]),
      ManagedEntity(
        name: "LivingAccommodation", superentityName: "Accommodation",
        properties: [
          .attribute(.init(name: "placeName", type: .string, preservesValueOnDeletion: true)),
          .attribute(.init(name: "isConfirmed", type: .boolean)),
        ]),
      ManagedEntity(
        name: "Tag",
        properties: [
          .attribute(.init(name: "label", type: .string)),
          .relationship(
            .init(name: "trips", destinationName: "Trip", inverseName: "tags", isToMany: true)),
        ]),
    ])

  /// The slots of its entities.
  package static let slots = model.entitySlots()

  /// The entities by number, as the frameworks number them: depth first, siblings by name.
  package static let numbers: [(number: Int64, name: String, superNumber: Int64)] = [
    (1, "Accommodation", 0), (2, "LivingAccommodation", 1), (3, "BucketListItem", 0),
    (4, "Tag", 0), (5, "Trip", 0),
  ]

  /// The number of an entity.
  package static func number(_ name: String) -> Int64 {
    numbers.first { $0.name == name }?.number ?? 0
  }
}
