/// Reads the values of a snapshot of any kind.
enum SnapshotReader {
  /// The values, in the order of the layout's properties.
  static func values<Snapshot: DataStoreSnapshot>(
    of snapshot: Snapshot, layout: EntityLayout
  ) throws -> [PropertyValue] {
    if let snapshot = snapshot as? DefaultSnapshot {
      try check(snapshot.values, layout)
      return snapshot.values
    }
    guard case .named(let parts) = try ElementEncoder.parts(of: snapshot) else {
      throw SwiftDataError(
        .storeFailure,
        "a snapshot of \(layout.name) does not encode its properties by name; use "
          + "DataStoreSnapshotCodingKey")
    }
    var values = layout.properties.indices.map { layout.emptyValue(at: $0) }
    for part in parts {
      guard let index = layout.index(named: part.name),
        let value = PropertyLayout.unwrapped(part.value)
      else { continue }
      switch value {
      case let identifier as PersistentIdentifier: values[index] = .toOne(.identifier(identifier))
      case let identifiers as [PersistentIdentifier]:
        values[index] = .toMany(identifiers.map(ModelReference.identifier))
      default: if layout.properties[index].codec != nil { values[index] = .value(value) }
      }
    }
    try check(values, layout)
    return values
  }

  /// Refuses what no property could give later, where nothing can be thrown any more.
  private static func check(_ values: [PropertyValue], _ layout: EntityLayout) throws {
    for index in layout.placesThatNeedValues {
      let property = layout.properties[index]
      let isReadable =
        switch values[index] {
        case .fault, .value: true
        case .stored(let stored): property.codec?.value(of: stored) != nil
        case .elements(let elements): property.codec?.value(of: elements) != nil
        case .null, .toOne, .toMany, .toManyFault: false
        }
      guard isReadable else {
        throw SwiftDataError(
          .storeFailure,
          "\(layout.name).\(property.name) holds what is no \(property.valueType) in a stored "
            + "model; make the property optional, or its type able to hold it")
      }
    }
  }
}
