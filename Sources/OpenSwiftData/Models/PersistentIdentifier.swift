import Foundation
import Synchronization

/// The identity of a model: its entity, its store, and its key in that store.
///
/// Before the first save of a model its identifier is temporary and names no store. Identifiers are
/// equal if they name the same model; unlike Apple's, a decoded identifier equals the encoded one.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// The value by which identifiers are compared.
  public struct ID: Hashable, Sendable {
    let origin: Origin
    let key: Key

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) {
      switch key {
      case .number(let number): hasher.combine(number)
      case .text(let text): hasher.combine(text)
      // The count differs in all keys of a process.
      case .temporary(let key): hasher.combine(TemporaryKeys.count(of: key))
      }
    }
  }

  /// The entity and the store of identifiers. Those that are made together share one, so that each
  /// takes little memory.
  final class Origin: Equatable, Sendable {
    let entityName: String
    let storeIdentifier: String?

    init(_ entityName: String, in storeIdentifier: String?) {
      self.entityName = entityName
      self.storeIdentifier = storeIdentifier
    }

    static func == (left: Origin, right: Origin) -> Bool {
      left === right
        || left.entityName == right.entityName && left.storeIdentifier == right.storeIdentifier
    }
  }

  /// Indirect where it is not a number, so that identifiers and the values of models take less memory.
  enum Key: Hashable, Sendable {
    case number(Int64)
    indirect case text(String)
    indirect case temporary(UUID)
  }

  /// The value by which identifiers are compared.
  public let id: ID

  /// The name of the model's entity, which is the name of its class.
  public var entityName: String { id.origin.entityName }

  /// The identifier of the store, or `nil` before the first save.
  public var storeIdentifier: String? { id.origin.storeIdentifier }

  init(entityName: String, storeIdentifier: String?, key: Key) {
    self.init(Origin(entityName, in: storeIdentifier), key)
  }

  init(_ origin: Origin, _ key: Key) { id = ID(origin: origin, key: key) }

  /// The identifier of an object of a ``DefaultStore``.
  init(_ entityName: String, _ primaryKey: Int64, in storeIdentifier: String) {
    self.init(entityName: entityName, storeIdentifier: storeIdentifier, key: .number(primaryKey))
  }

  static func temporary(_ origin: Origin) -> PersistentIdentifier {
    PersistentIdentifier(origin, .temporary(TemporaryKeys.next()))
  }

  /// Returns an identifier for a model in a custom store.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the model's entity.
  ///   - primaryKey: The key of the model, unique among those of the entity.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if the description of the key is empty.
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

  /// Whether the model was never saved, so that saving gives it another identifier.
  public var isTemporary: Bool {
    if case .temporary = id.key { true } else { false }
  }

  var number: Int64? {
    if case .number(let number) = id.key { number } else { nil }
  }

  /// Compares by store, entity and key.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    let (leftStore, rightStore) = (left.storeIdentifier ?? "", right.storeIdentifier ?? "")
    if leftStore != rightStore { return leftStore < rightStore }
    if left.entityName != right.entityName { return left.entityName < right.entityName }
    if let left = left.number, let right = right.number { return left < right }
    return left.keyText < right.keyText
  }

  /// The key as written in addresses.
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

  /// Decodes an identifier in SwiftData's form.
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

  /// Encodes the identifier in SwiftData's form.
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

/// Keys of models before their first save: unique like random ones, but random only once for each
/// process.
enum TemporaryKeys {
  private static let process = UInt64.random(in: .min ... .max)
  private static let count = Atomic<UInt64>(0)

  /// Returns the last eight bytes of a key.
  static func count(of key: UUID) -> UInt64 {
    withUnsafeBytes(of: key.uuid) { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
  }

  static func next() -> UUID {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return withUnsafeBytes(of: (process.bigEndian, number.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
