/// What is worked out for each object of a fetch, in terms of the model: a condition, a key to sort
/// by, or a part of one.
///
/// Values follow SQL with one exception: two nulls are equal, as two nils are in Swift.
package indirect enum ObjectExpression: Hashable, Sendable {
  /// Which of two values comes first.
  package enum Comparison: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// What is done with two numbers.
  package enum Arithmetic: Hashable, Sendable {
    case add, subtract, multiply, divide, remainder
  }

  /// Where in a text another one is looked for; as in Swift, characters are what is compared.
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

/// An object as an expression names it: one that a variable stands for, or one that to-one
/// relationships lead to from there.
package struct ObjectPath: Hashable, Sendable {
  /// The variable; 0 is the object that is fetched.
  package var variable: Int
  /// The to-one relationships that lead from the variable's object to this one.
  package var relationships: [String]
  /// Entities that objects on the way must be of, or inherit from, for the path to lead anywhere; by
  /// the number of relationships that lead to the object.
  package private(set) var casts: [Int: String] = [:]

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

  /// What the object itself must be of; nil for whatever it is.
  var ownCast: String? { casts[relationships.count] }

  /// The object whatever it is of.
  var uncast: ObjectPath {
    var path = self
    path.casts[relationships.count] = nil
    return path
  }

  /// The object that has the last relationship; nil where there is none.
  var owner: ObjectPath? {
    guard !relationships.isEmpty else { return nil }
    var path = uncast
    path.relationships.removeLast()
    return path
  }
}

/// The objects at the other end of a to-many relationship that meet a condition.
package struct RelatedObjects: Hashable, Sendable {
  /// The object that has the relationship.
  package var owner: ObjectPath
  /// The relationship.
  package var relationship: String
  /// What the condition calls one of the objects; a number that nothing around it uses.
  package var variable: Int
  /// The condition; nil for all objects.
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
