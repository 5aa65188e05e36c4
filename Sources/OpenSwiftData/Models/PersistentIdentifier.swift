import Foundation

/// Identifies a model: its entity, its store, and its key in that store.
///
/// Before a model is first saved its identifier is temporary and names no store. Two identifiers are
/// equal when they name the same model, wherever they come from; unlike Apple's, one that was decoded
/// equals the one that was encoded.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// What makes two identifiers the same.
  public struct ID: Hashable, Sendable {
    let entityName: String
    let storeIdentifier: String?
    let key: Key

    /// Feeds the key into a hasher, which tells identifiers apart well enough.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// The key of a model in its store.
  enum Key: Hashable, Sendable {
    case number(Int64)
    case text(String)
    case temporary(UUID)
  }

  /// What makes two identifiers the same.
  public let id: ID

  /// The name of the model's entity, which is that of its class.
  public var entityName: String { id.entityName }

  /// The identifier of the store; nil for a model that was never saved.
  public var storeIdentifier: String? { id.storeIdentifier }

  init(entityName: String, storeIdentifier: String?, key: Key) {
    id = ID(entityName: entityName, storeIdentifier: storeIdentifier, key: key)
  }

  /// A new identifier for a model that is not saved yet.
  static func temporary(entityName: String) -> PersistentIdentifier {
    PersistentIdentifier(
      entityName: entityName, storeIdentifier: nil, key: .temporary(TemporaryKeys.next()))
  }

  /// Makes the identifier of a model in a store of one's own.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the model's entity.
  ///   - primaryKey: The model's key, which no other model of the entity has.
  /// - Throws: ``SwiftDataError`` where the key's description is empty.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable, T: CustomStringConvertible, T: Decodable, T: Encodable, T: Hashable {
    let text = primaryKey.description
    guard !text.isEmpty else {
      throw SwiftDataError(
        .modelValidationFailure, "a primary key of \(entityName) has an empty description")
    }
    let key = (primaryKey as? any FixedWidthInteger).flatMap { Int64(exactly: $0) }
    return PersistentIdentifier(
      entityName: entityName, storeIdentifier: storeIdentifier,
      key: key.map(Key.number) ?? .text(text))
  }

  /// Whether the model was never saved.
  var isTemporary: Bool {
    if case .temporary = id.key { true } else { false }
  }

  /// The key as a number; nil for any other key.
  var number: Int64? {
    if case .number(let number) = id.key { number } else { nil }
  }

  /// The order by store, entity and key.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    let (leftStore, rightStore) = (left.storeIdentifier ?? "", right.storeIdentifier ?? "")
    if leftStore != rightStore { return leftStore < rightStore }
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    if let left = left.number, let right = right.number { return left < right }
    return left.keyText < right.keyText
  }

  /// The key as it stands in addresses.
  private var keyText: String {
    switch id.key {
    case .number(let number): "p\(number)"
    case .text(let text): "s\(text)"
    case .temporary(let uuid): "t\(uuid.uuidString)"
    }
  }

  // MARK: - Coding

  private enum CodingKeys: String, CodingKey { case implementation }

  private struct Implementation: Codable {
    var entityName: String
    var isTemporary: Bool
    var primaryKey: String
    var storeIdentifier: String?
    var uriRepresentation: String
  }

  /// Reads the shape in which SwiftData encodes identifiers.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let implementation = try container.decode(Implementation.self, forKey: .implementation)
    let rest = String(implementation.primaryKey.dropFirst())
    let key: Key? =
      switch implementation.primaryKey.first {
      case "p": Int64(rest).map(Key.number)
      case "s" where !rest.isEmpty: .text(rest)
      case "t": UUID(uuidString: rest).map(Key.temporary)
      default: nil
      }
    guard let key else {
      throw DecodingError.dataCorruptedError(
        forKey: .implementation, in: container,
        debugDescription: "'\(implementation.primaryKey)' is not a primary key, such as p12")
    }
    self.init(
      entityName: implementation.entityName, storeIdentifier: implementation.storeIdentifier,
      key: key)
  }

  /// Writes the shape in which SwiftData encodes identifiers.
  public func encode(to encoder: any Encoder) throws {
    let address =
      isTemporary
      ? "x-swiftdata://\(entityName)/\(keyText)"
      : "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(keyText)"
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(
      Implementation(
        entityName: entityName, isTemporary: isTemporary, primaryKey: keyText,
        storeIdentifier: storeIdentifier, uriRepresentation: address), forKey: .implementation)
  }
}
