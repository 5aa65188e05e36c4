import Foundation
import StoreFormat

/// Reads the values of any snapshot.
enum SnapshotReader {
  /// Returns the values in the order of the layout's properties.
  ///
  /// A value that its property could not return later, where nothing can be thrown, is an error
  /// here.
  ///
  /// - Parameter note: Receives the problem of an unreadable value, which stays unread unless it
  ///   throws.
  static func values<Snapshot: DataStoreSnapshot>(
    of snapshot: Snapshot, layout: EntityLayout,
    orElse note: (SwiftDataError) throws -> Void = { throw $0 }
  ) throws -> [PropertyValue] {
    if let snapshot = snapshot.asDefault, !snapshot.needsCheck { return snapshot.values }
    var values = try rawValues(of: snapshot, layout)
    let isCustom = Snapshot.self != DefaultSnapshot.self
    for index in layout.storedPlaces where !layout.isUsual(values[index], at: index) {
      let property = layout.properties[index]
      do {
        if isCustom { try checkType(of: values[index], property, of: layout) }
        try read(&values[index], property, of: layout)
      } catch let error as SwiftDataError {
        try note(error)
        values[index] = .fault
      }
    }
    return values
  }

  private static func rawValues<Snapshot: DataStoreSnapshot>(
    of snapshot: Snapshot, _ layout: EntityLayout
  ) throws -> [PropertyValue] {
    if let snapshot = snapshot.asDefault { return snapshot.values }
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
      default:
        guard layout.properties[index].codec != nil else {
          throw unreadable(layout.properties[index], of: layout)
        }
        values[index] = .value(value)
      }
    }
    return values
  }

  static func checkFiles<Snapshot: DataStoreSnapshot>(of snapshot: Snapshot) throws {
    guard let snapshot = snapshot.asDefault else { return }
    for index in snapshot.layout.largePlaces {
      if case .inFile(let file) = snapshot.values[index], let problem = file.problem {
        throw SwiftDataError(.storeFailure, "\(problem)")
      }
    }
  }

  // MARK: - One value

  /// Refuses a value of a custom store that has another type than the property.
  private static func checkType(
    of value: PropertyValue, _ property: PropertyLayout, of layout: EntityLayout
  ) throws {
    guard let codec = property.codec, codec.transformed == nil, case .value(let value) = value
    else { return }
    func isValue<Value>(_ type: Value.Type) -> Bool { value is Value }
    guard isValue(codec.type) else { throw unreadable(property, of: layout) }
  }

  private static func read(
    _ value: inout PropertyValue, _ property: PropertyLayout, of layout: EntityLayout
  ) throws {
    guard let codec = property.codec else { return }
    switch value {
    case .fault, .toOne, .toMany, .toManyFault: break
    case .null: if property.needsValue { throw unreadable(property, of: layout) }
    case .value(let data as Data):
      // A custom store returns the data that it was given.
      guard let transformed = codec.transformed, transformed.type != Data.self else { break }
      value = try made(transformed, of: .blob(Array(data)), property, layout)
    case .value: break
    case .inFile(let file):
      // A value that can be blank is read when it is used.
      guard property.needsValue else { break }
      do {
        value = .stored(.blob(try file.read()))
      } catch {
        throw SwiftDataError(.storeFailure, "\(error)")
      }
      try read(&value, property, of: layout)
    case .stored(let stored):
      if let transformed = codec.transformed {
        value = try made(transformed, of: stored, property, layout)
      } else if !codec.isKnownToRead(stored) {
        guard let made = codec.value(of: stored) else { throw unreadable(property, of: layout) }
        if codec.isWorthKeeping { value = .value(made) }
      }
    case .elements(let elements):
      if elements.count == 1, codec.isKnownToRead(elements[0]) { break }
      if let made = codec.value(of: elements) {
        if codec.isWorthKeeping { value = .value(made) }
      } else if property.needsValue || elements.contains(where: { !$0.isNull }) {
        throw unreadable(property, of: layout)
      }
    }
  }

  private static func made(
    _ transformed: TransformedValues, of stored: StoredValue, _ property: PropertyLayout,
    _ layout: EntityLayout
  ) throws -> PropertyValue {
    do {
      return .value(try transformed.value(of: stored))
    } catch {
      throw SwiftDataError(
        .storeFailure, "\(layout.name).\(property.name) cannot be read: \(error)")
    }
  }

  private static func unreadable(
    _ property: PropertyLayout, of layout: EntityLayout
  ) -> SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "\(layout.name).\(property.name) holds what is no \(property.valueType) in a stored "
        + "model; make the property optional, or its type able to hold it")
  }
}
