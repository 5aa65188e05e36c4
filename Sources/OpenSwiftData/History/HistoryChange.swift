import Foundation

/// A change that a transaction made to one model.
public enum HistoryChange: Sendable {
  /// The model was inserted.
  case insert(any HistoryInsert)
  /// The model was updated.
  case update(any HistoryUpdate)
  /// The model was deleted.
  case delete(any HistoryDelete)

  /// The identifier of the changed model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }
}

/// The insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type that identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type that identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The update of a model.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type that identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type that identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A property that was updated.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were set, whether or not their value differs from the one before.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
  /// The recorded old and new values by property name (not in SwiftData); empty if none were
  /// recorded.
  var changedValues: [String: HistoryValueChange] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type that identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type that identifies a change.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The values that the deleted model left.
  var tombstone: HistoryTombstone<Model> { get }
}

/// The values that a deleted model left: those of properties marked with
/// `.preserveValueOnDeletion`.
///
/// ```swift
/// if let name = delete.tombstone[\.name] as? String { … }
/// ```
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
  /// A preserved value.
  public typealias Element = Any

  /// The values by property name (not in SwiftData).
  public let preservedValues: [String: any Sendable]

  /// An iterator over the values of a tombstone.
  public struct Iterator: IteratorProtocol {
    private var values: IndexingIterator<[any Sendable]>

    fileprivate init(_ values: [any Sendable]) { self.values = values.makeIterator() }

    /// Returns the next value, or `nil` after the last one.
    public mutating func next() -> Any? { values.next() }
  }

  /// Creates a tombstone for a custom store (not in SwiftData).
  ///
  /// - Parameter values: The values by property name, without those that were `nil`.
  public init(values: [String: any Sendable]) { preservedValues = values }

  /// The value of a property, or `nil` if it was `nil` or not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    EntityLayout.of(Model.self).name(of: keyPath).flatMap { preservedValues[$0] }
  }

  /// Returns an iterator over the values in the order in which the class declares the properties.
  public func makeIterator() -> Iterator {
    Iterator(EntityLayout.of(Model.self).properties.compactMap { preservedValues[$0.name] })
  }
}

// MARK: - Changes without types

/// Properties that SwiftData provides only after a cast to the class of the model.
extension HistoryChange {
  /// The kind of a change.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// The model was inserted.
    case insert
    /// The model was updated.
    case update
    /// The model was deleted.
    case delete
  }

  /// The kind of the change (not in SwiftData).
  public var kind: Kind {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }

  /// The name of the model's entity (not in SwiftData).
  public var entityName: String { changedPersistentIdentifier.entityName }

  /// The names of the properties that an update set, in the order of
  /// ``HistoryUpdate/updatedAttributes``; empty for other changes (not in SwiftData).
  public var updatedAttributeNames: [String] {
    if case .update(let update) = self { update.updatedAttributeNames } else { [] }
  }

  /// The values that a deleted model left, by property name; empty for other changes (not in
  /// SwiftData).
  public var preservedValues: [String: any Sendable] {
    if case .delete(let delete) = self { delete.preservedValues } else { [:] }
  }

  /// The recorded old and new values of an update, by property name; empty for other changes (not
  /// in SwiftData).
  public var changedValues: [String: HistoryValueChange] {
    if case .update(let update) = self { update.changedValues } else { [:] }
  }
}

extension HistoryUpdate {
  /// Returns whether the update set a property.
  public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
    EntityLayout.of(Model.self).name(of: keyPath).map(updatedAttributeNames.contains) ?? false
  }

  /// The names of the properties that were set, in the order of ``updatedAttributes`` (not in
  /// SwiftData).
  public var updatedAttributeNames: [String] {
    let layout = EntityLayout.of(Model.self)
    return updatedAttributes.compactMap { layout.name(of: $0) }
  }
}

extension HistoryDelete {
  /// The values that the model left, by property name (not in SwiftData).
  public var preservedValues: [String: any Sendable] { tombstone.preservedValues }
}

extension EntityLayout {
  fileprivate func name(of keyPath: AnyKeyPath) -> String? {
    indexIfAny(of: keyPath).map { properties[$0].name }
  }
}

// MARK: - Old and new values

/// The recorded old and new value of a property (not in SwiftData, which records no values).
///
/// The value of an attribute has the attribute's type, the target of a to-one relationship is a
/// ``PersistentIdentifier``, and a text or data of more than 64 KiB is a ``HistoryValueDigest``.
public struct HistoryValueChange: Sendable {
  /// The value in the store before the save, or `nil` if there was none.
  public let old: (any Sendable)?
  /// The value that was saved, or `nil` if there was none.
  public let new: (any Sendable)?

  /// Creates a change of a value for a custom store.
  public init(old: (any Sendable)?, new: (any Sendable)?) {
    self.old = old
    self.new = new
  }
}

/// The digest of a value that is too long to be recorded.
public struct HistoryValueDigest: Hashable, Sendable {
  /// The SHA-256 of the bytes; for a text, of its UTF-8.
  public let sha256: Data
  /// The number of bytes.
  public let byteCount: Int

  /// Creates a digest.
  public init(sha256: Data, byteCount: Int) {
    self.sha256 = sha256
    self.byteCount = byteCount
  }
}

extension HistoryUpdate {
  /// No recorded values.
  public var changedValues: [String: HistoryValueChange] { [:] }

  /// Returns the value of an attribute before the update, or `nil` if it was not recorded.
  ///
  /// The result for an optional attribute without a value is `.some(nil)`.
  ///
  /// ```swift
  /// if let old = update.oldValue(of: \.name), let new = update.newValue(of: \.name) { … }
  /// ```
  public func oldValue<Value>(of keyPath: KeyPath<Model, Value>) -> Value? {
    change(of: keyPath).flatMap { Self.value($0.old) }
  }

  /// Returns the value of an attribute after the update, or `nil` if it was not recorded.
  public func newValue<Value>(of keyPath: KeyPath<Model, Value>) -> Value? {
    change(of: keyPath).flatMap { Self.value($0.new) }
  }

  /// Returns the target of a to-one relationship before the update: `nil` if it was not recorded,
  /// `.some(nil)` if there was none.
  public func oldIdentifier<Other: PersistentModel>(
    of keyPath: KeyPath<Model, Other?>
  ) -> PersistentIdentifier?? {
    change(of: keyPath).flatMap { Self.value($0.old) }
  }

  /// Returns the target of a to-one relationship after the update: `nil` if it was not recorded,
  /// `.some(nil)` if there was none.
  public func newIdentifier<Other: PersistentModel>(
    of keyPath: KeyPath<Model, Other?>
  ) -> PersistentIdentifier?? {
    change(of: keyPath).flatMap { Self.value($0.new) }
  }

  private func change(of keyPath: PartialKeyPath<Model>) -> HistoryValueChange? {
    EntityLayout.of(Model.self).name(of: keyPath).flatMap { changedValues[$0] }
  }

  private static func value<Value>(_ any: (any Sendable)?) -> Value? {
    if let any { return any as? Value }
    return Optional<any Sendable>.none as Any as? Value
  }
}
