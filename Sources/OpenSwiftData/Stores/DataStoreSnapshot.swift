/// What a property's value must be to stand in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of a model at one moment, as a store gives and takes them.
///
/// A context reads a snapshot by encoding it: ``DataStoreSnapshotCodingKey`` names its parts.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// What identifies the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model.
  ///
  /// - Parameters:
  ///   - backingData: The values.
  ///   - relatedBackingDatas: The values of other models of the same save, by identifier.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: The identifiers of related models that change as well.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The parts of an encoded snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The model's identifier.
  case persistentIdentifier
  /// The value of a property; of a relationship an identifier, or a list of identifiers.
  case modeledProperty(String)

  private static let identifierName = "persistentIdentifier"

  /// The name of the part.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  /// A part by its name.
  public init?(stringValue: String) {
    self =
      stringValue == Self.identifierName
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Nil: parts have names.
  public var intValue: Int? { nil }

  /// Nil: parts have names.
  public init?(intValue: Int) { nil }
}
