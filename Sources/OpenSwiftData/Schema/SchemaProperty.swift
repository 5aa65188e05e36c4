/// A property as a schema describes it.
public protocol SchemaProperty: Sendable {
  /// The name.
  var name: String { get }
  /// The name that it had before; the name itself where it never had another.
  var originalName: String { get }
  /// The type as the class declares it.
  var valueType: Any.Type { get }
  /// Whether it is a value.
  var isAttribute: Bool { get }
  /// Whether it leads to other models.
  var isRelationship: Bool { get }
  /// Whether the store does not keep it.
  var isTransient: Bool { get }
  /// Whether it may be nil.
  var isOptional: Bool { get }
  /// Whether no two models may have the same value.
  var isUnique: Bool { get }
}
