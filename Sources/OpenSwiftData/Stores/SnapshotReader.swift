/// Reads the values of a snapshot of any kind.
enum SnapshotReader {
  /// The values, in the order of the layout's properties.
  static func values<Snapshot: DataStoreSnapshot>(
    of snapshot: Snapshot, layout: EntityLayout
  ) throws -> [PropertyValue] {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
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
    return values
  }
}
