extension Schema {
  /// Properties whose values together no two models may share; `#Unique` makes it.
  public final class Unique<T>: SchemaConstraint, @unchecked Sendable
  where T: PersistentModel {
    /// The lists of properties.
    public let constraints: [[PartialKeyPath<T>]]

    /// Lists of properties.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// True.
    public var isUniqueness: Bool { true }
    /// The lists of properties.
    public var keyPaths: [[AnyKeyPath]] { constraints }
  }

  /// Properties that a store is to have an index for; `#Index` makes it.
  public final class Index<T>: SchemaConstraint, @unchecked Sendable
  where T: PersistentModel {
    /// A kind of index and its properties.
    public enum Types<Model>: Sendable where Model: PersistentModel {
      /// An index by which values are looked up and sorted.
      case binary([PartialKeyPath<Model> & Sendable])
      /// An index by which ranges in several dimensions are looked up; it becomes one as `binary`
      /// makes.
      case rtree([PartialKeyPath<Model> & Sendable])
    }

    /// The lists of properties.
    public let indices: [[PartialKeyPath<T>]]

    /// Lists of properties.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices }

    /// Lists of properties with the kind of index.
    public init(_ indices: Types<T>...) {
      self.indices = indices.map { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// False.
    public var isUniqueness: Bool { false }
    /// The lists of properties.
    public var keyPaths: [[AnyKeyPath]] { indices }
  }
}

/// What `#Unique` and `#Index` leave in a model's metadata.
public protocol SchemaConstraint: SchemaProperty {
  /// Whether the values must be unique.
  var isUniqueness: Bool { get }
  /// The lists of properties.
  var keyPaths: [[AnyKeyPath]] { get }
}

extension SchemaConstraint {
  /// Empty: it is no property.
  public var name: String { "" }
  /// Empty.
  public var originalName: String { "" }
  /// No type.
  public var valueType: Any.Type { Never.self }
  /// False.
  public var isAttribute: Bool { false }
  /// False.
  public var isRelationship: Bool { false }
  /// True: nothing is stored.
  public var isTransient: Bool { true }
  /// False.
  public var isOptional: Bool { false }
  /// Whether values must be unique.
  public var isUnique: Bool { false }
}
