import Foundation

/// An error of a container, a context or a store.
///
/// Errors are compared by kind, so that `catch SwiftDataError.historyTokenExpired` works.
/// ``explanation`` says what is wrong and what to do.
public struct SwiftDataError: Error, Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor
    case duplicateConfiguration, configurationFileNameTooLong
    case configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer
    case modelValidationFailure, missingModelContext, backwardMigration, unknownSchema
    case unknownDataStoreSchema
    case historyTokenExpired, invalidTransactionFetchRequest
    case storeFailure, mutationDuringEnumeration
  }

  let kind: Kind
  /// What is wrong and what to do (not in SwiftData); empty in the constants that errors are
  /// compared with.
  public let explanation: String
  /// The models that prevent a save, because others deleted them or because they belong to another
  /// context; empty for other errors (not in SwiftData).
  ///
  /// Deleting deleted ones in the context too lets the save continue.
  public let identifiers: [PersistentIdentifier]

  init(_ kind: Kind, _ explanation: String = "", identifiers: [PersistentIdentifier] = []) {
    self.kind = kind
    self.explanation = explanation
    self.identifiers = identifiers
  }

  /// Returns whether two errors are of the same kind.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left.kind == right.kind
  }

  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Returns whether an error is of a kind, for patterns in `catch`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError) == pattern
  }

  /// A fetch in batches includes unsaved changes.
  public static let includePendingChangesWithBatchSize = Self(.includePendingChangesWithBatchSize)
  /// A predicate can neither be translated nor evaluated.
  public static let unsupportedPredicate = Self(.unsupportedPredicate)
  /// A key path does not lead to a stored property.
  public static let unsupportedKeyPath = Self(.unsupportedKeyPath)
  /// A sorted fetch of identifiers includes unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = Self(
    .sortingPendingChangesWithIdentifiers)
  /// A sort descriptor is not supported.
  public static let unsupportedSortDescriptor = Self(.unsupportedSortDescriptor)
  /// Two configurations have the same name or file, or stores with the same identifier.
  public static let duplicateConfiguration = Self(.duplicateConfiguration)
  /// The name of a configuration is too long for a file.
  public static let configurationFileNameTooLong = Self(.configurationFileNameTooLong)
  /// The name of a configuration contains characters that the name of a file cannot.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration has a model that its container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    .configurationSchemaNotFoundInContainerSchema)
  /// A container could not open or create a store.
  public static let loadIssueModelContainer = Self(.loadIssueModelContainer)
  /// Models cannot be saved because they contradict their schema or belong to another context.
  public static let modelValidationFailure = Self(.modelValidationFailure)
  /// A model belongs to no context.
  public static let missingModelContext = Self(.missingModelContext)
  /// A store has a newer version than the schema.
  public static let backwardMigration = Self(.backwardMigration)
  /// A store has a version that is not known.
  public static let unknownSchema = Self(.unknownSchema)
  /// A custom store has an unknown schema; only custom stores throw it.
  public static let unknownDataStoreSchema = Self(.unknownDataStoreSchema)
  /// History after a token is incomplete, because the token's transaction is gone or belongs to
  /// another store.
  public static let historyTokenExpired = Self(.historyTokenExpired)
  /// No store keeps transactions of the requested type.
  public static let invalidTransactionFetchRequest = Self(.invalidTransactionFetchRequest)
  /// A store cannot be read or written (not in SwiftData).
  public static let storeFailure = Self(.storeFailure)
  /// Models were changed during an enumeration that does not allow it (not in SwiftData).
  public static let mutationDuringEnumeration = Self(.mutationDuringEnumeration)
}

extension SwiftDataError: CustomStringConvertible {
  /// The kind and the explanation.
  public var description: String {
    explanation.isEmpty ? kind.rawValue : "\(kind.rawValue): \(explanation)"
  }
}

extension SwiftDataError: LocalizedError {
  /// The explanation, or the kind if there is none; `localizedDescription` is the same.
  public var errorDescription: String? { explanation.isEmpty ? kind.rawValue : explanation }
}

extension SwiftDataError {
  static func unknownModel(_ name: String) -> SwiftDataError {
    SwiftDataError(
      .unknownSchema, "the container has no model \(name); name it when the container is made")
  }

  /// - Parameters:
  ///   - own: The class of the container with the same name.
  ///   - work: The part of a migration's stage in which the class was used.
  static func foreignClass(
    _ layout: EntityLayout, own: EntityLayout?, _ work: MigrationWork?
  ) -> SwiftDataError {
    guard own != nil || work != nil else { return unknownModel(layout.name) }
    let name = String(reflecting: layout.type)
    let other = own.map { ", which has \(String(reflecting: $0.type))" } ?? ""
    let remedy =
      switch work {
      case .willMigrate:
        "willMigrate works with the models of the older version; create and fetch those of the newer "
          + "version in didMigrate"
      case .didMigrate:
        "didMigrate works with the models of the newer version; fetch those of the older version in "
          + "willMigrate"
      case nil: "use that class, or name this one when the container is made"
      }
    return SwiftDataError(
      .unknownSchema, "\(name) is not a model of this container\(other); \(remedy)")
  }

  static func unmarkedModel(_ name: String) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "\(name) inherits from a model, but is not marked with @Model itself; mark it, and name it "
        + "when the container is made")
  }
}
