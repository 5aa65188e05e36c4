/// Which objects of an entity to read, and in which order.
package struct ObjectFetch: Hashable, Sendable {
  /// A key to sort by.
  package struct Order: Hashable, Sendable {
    package var key: ObjectExpression
    package var isAscending: Bool

    package init(_ key: ObjectExpression, isAscending: Bool = true) {
      self.key = key
      self.isAscending = isAscending
    }
  }

  /// The entity; objects of entities that inherit from it are read as well.
  package var entityName: String
  /// What an object must meet; nil for nothing.
  package var condition: ObjectExpression?
  /// The keys to sort by, the first one first; objects that are equal in all come by primary key.
  package var order: [Order]
  /// At most so many objects; nil for all.
  package var limit: Int?
  /// How many objects are left out at the beginning.
  package var offset: Int
  /// The properties whose values are read; nil for all.
  package var properties: Set<FetchedObjects.Property>?

  package init(
    _ entityName: String, where condition: ObjectExpression? = nil, order: [Order] = [],
    limit: Int? = nil, offset: Int = 0, properties: Set<FetchedObjects.Property>? = nil
  ) {
    self.entityName = entityName
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
    self.properties = properties
  }
}

/// What a fetch found.
package struct FetchedObjects: Sendable {
  /// A property whose values were read.
  ///
  /// Entities that inherit from the same one may have properties of the same name, each in a column
  /// of its own.
  package struct Property: Hashable, Sendable {
    /// The entity that adds the property.
    package let entityName: String
    /// The name; an element of a composite attribute is named `attribute.element`.
    package let path: String

    package init(entityName: String, path: String) {
      self.entityName = entityName
      self.path = path
    }
  }

  /// One object.
  package struct Object: Sendable {
    /// The object's own entity.
    package let entityName: String
    package let primaryKey: Int64
    /// The attributes' values in the order of ``FetchedObjects/attributes``; null for those that
    /// the object's entity does not have.
    package let values: [StoredValue]
    /// The values that stand in files, by their place in ``FetchedObjects/attributes``; among the
    /// values they are null.
    package let files: [Int: LargeValueFile]
    /// What to-one relationships lead to, in the order of ``FetchedObjects/references``.
    package let references: [StoreObject?]
  }

  /// The attributes of the entity and of all that inherit from it, as far as they were asked for.
  package let attributes: [Property]
  /// The to-one relationships of the entity and of all that inherit from it, as far as they were asked
  /// for.
  package let references: [Property]
  /// The objects.
  package let objects: [Object]
}
