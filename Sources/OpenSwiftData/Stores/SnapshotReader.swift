import Foundation
import StoreFormat

/// Reads the values of a snapshot of any kind.
enum SnapshotReader {
  /// The values, in the order of the layout's properties.
  static func values<Snapshot: DataStoreSnapshot>(
    of snapshot: Snapshot, layout: EntityLayout
  ) throws -> [PropertyValue] {
    if let snapshot = snapshot as? DefaultSnapshot {
      var values = snapshot.values
      try readFiles(of: &values, layout)
      try transform(&values, layout)
      try check(values, layout)
      return values
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
    try transform(&values, layout)
    try check(values, layout)
    return values
  }

  /// Makes the values out of what a store keeps for them, while it can be said what is wrong.
  private static func transform(_ values: inout [PropertyValue], _ layout: EntityLayout) throws {
    for index in layout.transformedPlaces {
      guard let transformed = layout.properties[index].codec?.transformed else { continue }
      let stored: StoredValue
      switch values[index] {
      case .stored(let value): stored = value
      // A store of one's own gives what it was given.
      case .value(let data as Data) where transformed.type != Data.self:
        stored = .blob(Array(data))
      default: continue
      }
      do {
        values[index] = .value(try transformed.value(of: stored))
      } catch {
        throw SwiftDataError(
          .storeFailure,
          "\(layout.name).\(layout.properties[index].name) cannot be read: \(error)")
      }
    }
  }

  /// Refuses values in files that cannot be read; whoever fetches models is told so.
  static func checkFiles<Snapshot: DataStoreSnapshot>(of snapshot: Snapshot) throws {
    guard let snapshot = snapshot as? DefaultSnapshot else { return }
    for index in snapshot.layout.largePlaces {
      if case .inFile(let file) = snapshot.values[index], let problem = file.problem {
        throw SwiftDataError(.storeFailure, "\(problem)")
      }
    }
  }

  /// Reads the values in files without which a model could not be used at all.
  private static func readFiles(
    of values: inout [PropertyValue], _ layout: EntityLayout
  ) throws {
    for index in layout.placesThatNeedValues {
      guard case .inFile(let file) = values[index] else { continue }
      do {
        values[index] = .stored(.blob(try file.read()))
      } catch {
        throw SwiftDataError(.storeFailure, "\(error)")
      }
    }
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
        case .null, .inFile, .toOne, .toMany, .toManyFault: false
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
