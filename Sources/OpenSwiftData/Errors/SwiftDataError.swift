/// Why a container, a context or a store could not do what it was asked for.
///
/// Errors are compared by their kind, so that `catch SwiftDataError.historyTokenExpired` works;
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
  /// What is wrong and what to do; empty in the constants that errors are compared with.
  public let explanation: String
  /// The models that stand in the way of a save, because others have deleted them; empty for
  /// anything else.
  ///
  /// Once they are deleted in the context as well, the save does not name them any more.
  public let identifiers: [PersistentIdentifier]

  init(_ kind: Kind, _ explanation: String = "", identifiers: [PersistentIdentifier] = []) {
    self.kind = kind
    self.explanation = explanation
    self.identifiers = identifiers
  }

  /// Whether both are of one kind.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left.kind == right.kind
  }

  /// Feeds the kind into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Whether an error is of a kind, for patterns in `catch`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError) == pattern
  }

  /// Models in batches were asked for together with changes that were not saved.
  public static let includePendingChangesWithBatchSize = Self(.includePendingChangesWithBatchSize)
  /// A predicate asks for what can be neither translated nor evaluated.
  public static let unsupportedPredicate = Self(.unsupportedPredicate)
  /// A key path leads to no property that a store keeps.
  public static let unsupportedKeyPath = Self(.unsupportedKeyPath)
  /// Identifiers were asked for in an order that changes which were not saved may have touched.
  public static let sortingPendingChangesWithIdentifiers = Self(
    .sortingPendingChangesWithIdentifiers)
  /// An order that cannot be brought about.
  public static let unsupportedSortDescriptor = Self(.unsupportedSortDescriptor)
  /// Two configurations have one name, one file or one model in common.
  public static let duplicateConfiguration = Self(.duplicateConfiguration)
  /// The name of a configuration is too long for a file.
  public static let configurationFileNameTooLong = Self(.configurationFileNameTooLong)
  /// The name of a configuration cannot be that of a file.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration has a model that its container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    .configurationSchemaNotFoundInContainerSchema)
  /// A container could not open or create a store.
  public static let loadIssueModelContainer = Self(.loadIssueModelContainer)
  /// Models contradict their schema, so that they cannot be saved.
  public static let modelValidationFailure = Self(.modelValidationFailure)
  /// A model belongs to no context.
  public static let missingModelContext = Self(.missingModelContext)
  /// A store is of a newer version than the schema.
  public static let backwardMigration = Self(.backwardMigration)
  /// A store is of no version that is known.
  public static let unknownSchema = Self(.unknownSchema)
  /// A store of one's own has a schema that is not known; stores may throw it, and nothing else does.
  public static let unknownDataStoreSchema = Self(.unknownDataStoreSchema)
  /// History after a token was asked for, and the token's transaction is gone.
  public static let historyTokenExpired = Self(.historyTokenExpired)
  /// No store keeps transactions of the type that was asked for.
  public static let invalidTransactionFetchRequest = Self(.invalidTransactionFetchRequest)
  /// A store could not be read or written; SwiftData itself has other errors for this.
  public static let storeFailure = Self(.storeFailure)
  /// Models were changed while they were enumerated, which had not been announced.
  public static let mutationDuringEnumeration = Self(.mutationDuringEnumeration)
}

extension SwiftDataError: CustomStringConvertible {
  /// The kind and the explanation.
  public var description: String {
    explanation.isEmpty ? kind.rawValue : "\(kind.rawValue): \(explanation)"
  }
}
