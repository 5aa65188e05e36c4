import Foundation

/// What an update changed one value from, and to, where that was recorded; SwiftData itself records no
/// values.
///
/// A value of an attribute has the attribute's type, the other end of a to-one relationship is a
/// ``PersistentIdentifier``, and of a text or data of more than 64 KiB there is a
/// ``HistoryValueDigest`` instead.
public struct HistoryValueChange: Sendable {
  /// What stood in the store before the save; nil for nothing.
  public let old: (any Sendable)?
  /// What the save put there; nil for nothing.
  public let new: (any Sendable)?

  /// A change of a value, for stores of one's own.
  public init(old: (any Sendable)?, new: (any Sendable)?) {
    self.old = old
    self.new = new
  }
}

/// What tells a long value from others where the value itself is not recorded.
public struct HistoryValueDigest: Hashable, Sendable {
  /// The SHA-256 of its bytes; of a text those of its UTF-8.
  public let sha256: Data
  /// How many bytes it has.
  public let byteCount: Int

  /// A digest.
  public init(sha256: Data, byteCount: Int) {
    self.sha256 = sha256
    self.byteCount = byteCount
  }
}

extension HistoryUpdate {
  /// None.
  public var changedValues: [String: HistoryValueChange] { [:] }

  /// The value of an attribute before the update: nil where it was not recorded, and for an optional
  /// attribute `.some(nil)` where it was nothing.
  ///
  /// ```swift
  /// if let old = update.oldValue(of: \.name), let new = update.newValue(of: \.name) { … }
  /// ```
  public func oldValue<Value>(of keyPath: KeyPath<Model, Value>) -> Value? {
    change(of: keyPath).flatMap { Self.value($0.old) }
  }

  /// The value of an attribute behind the update, as ``oldValue(of:)`` gives the one before it.
  public func newValue<Value>(of keyPath: KeyPath<Model, Value>) -> Value? {
    change(of: keyPath).flatMap { Self.value($0.new) }
  }

  /// The model at the other end of a to-one relationship before the update: nil where it was not
  /// recorded, `.some(nil)` where there was none.
  public func oldIdentifier<Other: PersistentModel>(
    of keyPath: KeyPath<Model, Other?>
  ) -> PersistentIdentifier?? {
    change(of: keyPath).flatMap { Self.value($0.old) }
  }

  /// The model at the other end of a to-one relationship behind the update.
  public func newIdentifier<Other: PersistentModel>(
    of keyPath: KeyPath<Model, Other?>
  ) -> PersistentIdentifier?? {
    change(of: keyPath).flatMap { Self.value($0.new) }
  }

  private func change(of keyPath: PartialKeyPath<Model>) -> HistoryValueChange? {
    let layout = EntityLayout.of(Model.self)
    return layout.indexIfAny(of: keyPath).flatMap { changedValues[layout.properties[$0].name] }
  }

  /// A value with its type; nil where it has another one.
  private static func value<Value>(_ any: (any Sendable)?) -> Value? {
    if let any { return any as? Value }
    return Optional<any Sendable>.none as Any as? Value
  }
}

extension HistoryChange {
  /// What an update changed values from and to, by the name of the property; empty where nothing was
  /// recorded, and for an insert and a delete.
  public var changedValues: [String: HistoryValueChange] {
    if case .update(let update) = self { update.changedValues } else { [:] }
  }
}
