import StoreFormat

/// Which objects of an entity to read, and in which order.
package struct ObjectFetch: Hashable, Sendable {
  package struct Order: Hashable, Sendable {
    var key: ObjectExpression
    var isAscending: Bool
    /// The order of texts, or `nil` to compare their bytes.
    var collation: TextCollation?

    package init(
      _ key: ObjectExpression, isAscending: Bool = true, collation: TextCollation? = nil
    ) {
      self.key = key
      self.isAscending = isAscending
      self.collation = collation
    }
  }

  /// The entity; objects of entities that inherit from it are read as well.
  var entityName: String
  /// The condition, or `nil` for none.
  package var condition: ObjectExpression?
  /// The keys to sort by, the first one first; objects that are equal in all come by primary key.
  package var order: [Order]
  /// The maximum number of objects, or `nil` for all.
  package var limit: Int?
  /// The number of objects to skip at the beginning.
  package var offset: Int
  /// The properties whose values are read, or `nil` for all.
  package var properties: Set<EntityTables.Property>?

  package init(
    _ entityName: String, where condition: ObjectExpression? = nil, order: [Order] = [],
    limit: Int? = nil, offset: Int = 0, properties: Set<EntityTables.Property>? = nil
  ) {
    self.entityName = entityName
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
    self.properties = properties
  }
}

/// An expression over an object, in terms of the model: a condition, a sort key, or a part of one.
///
/// Values follow SQL, except that two nulls are equal, as in Swift.
package indirect enum ObjectExpression: Hashable, Sendable {
  package enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  package enum Arithmetic: Hashable, Sendable {
    case add, subtract, multiply, divide, remainder
  }

  /// How a text is searched for another one; as in Swift, characters are compared.
  package enum TextMatch: Hashable, Sendable {
    case contains, startsWith
  }

  /// A value that is the same for all objects.
  case constant(StoredValue)
  /// A value of an attribute; an element of a composite one is named `attribute.element`.
  case attribute(ObjectPath, String)
  /// The primary key of an object; null at the end of a to-one relationship that leads nowhere.
  case primaryKey(ObjectPath)
  /// The number of an object's own entity; null where there is no object.
  case entityNumber(ObjectPath)
  case compare(Comparison, ObjectExpression, ObjectExpression)
  case and(ObjectExpression, ObjectExpression)
  case or(ObjectExpression, ObjectExpression)
  case not(ObjectExpression)
  case isNull(ObjectExpression)
  case arithmetic(Arithmetic, ObjectExpression, ObjectExpression)
  case negative(ObjectExpression)
  case contained(ObjectExpression, [StoredValue])
  case text(TextMatch, ObjectExpression, ObjectExpression)
  case coalesce(ObjectExpression, ObjectExpression)
  case conditional(ObjectExpression, ObjectExpression, ObjectExpression)
  /// How many objects there are at the other end of a to-many relationship.
  case count(RelatedObjects)
  /// Whether there is an object at the other end of a to-many relationship.
  case exists(RelatedObjects)
}

/// An object as an expression names it: that of a variable, or one that to-one relationships lead
/// to from there.
package struct ObjectPath: Hashable, Sendable {
  /// The variable; 0 is the object that is fetched.
  var variable: Int
  /// The to-one relationships that lead from the variable's object to this one.
  package var relationships: [String]
  /// Entities that objects on the way must be of, or inherit from, for the path to lead anywhere; by
  /// the number of relationships that lead to the object.
  private(set) var casts: [Int: String] = [:]

  package init(variable: Int, relationships: [String] = []) {
    self.variable = variable
    self.relationships = relationships
  }

  /// The object that a to-one relationship leads to.
  package func following(_ relationship: String) -> ObjectPath {
    var path = self
    path.relationships.append(relationship)
    return path
  }

  /// The same object where it is of an entity or inherits from it, and no object elsewhere.
  package func cast(to entityName: String) -> ObjectPath {
    var path = self
    path.casts[relationships.count] = entityName
    return path
  }

  /// The entity that the object itself must be of, or `nil` for any.
  var ownCast: String? { casts[relationships.count] }

  var uncast: ObjectPath {
    var path = self
    path.casts[relationships.count] = nil
    return path
  }

  /// The object that has the last relationship, or `nil` where there is none.
  var owner: ObjectPath? {
    guard !relationships.isEmpty else { return nil }
    var path = uncast
    path.relationships.removeLast()
    return path
  }
}

/// The objects at the other end of a to-many relationship that meet a condition.
package struct RelatedObjects: Hashable, Sendable {
  var owner: ObjectPath
  var relationship: String
  /// The variable of the condition; a number that no enclosing expression uses.
  package var variable: Int
  /// The condition, or `nil` for all objects.
  package var condition: ObjectExpression?

  package init(
    owner: ObjectPath, relationship: String, variable: Int, condition: ObjectExpression? = nil
  ) {
    self.owner = owner
    self.relationship = relationship
    self.variable = variable
    self.condition = condition
  }
}
