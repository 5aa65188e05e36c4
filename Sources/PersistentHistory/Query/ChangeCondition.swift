import StoreFormat

/// Conditions on changes; a change must meet all of them.
public struct ChangeCondition: Hashable, Sendable {
  /// The change is of one of these kinds; empty for any.
  public var kinds: [ChangeKind]
  /// The object is of one of these entities, or of one that inherits from it, as in Core Data's fetches; empty for
  /// any. A number denotes an entity that the store does not name.
  ///
  /// Where inheritance is unknown, as in an archive without its store, only the named entities match.
  public var entities: [String]
  /// The object is of exactly one of these entities; empty for any. With ``entities``, it must be of one
  /// in either list.
  public var exactEntities: [String]
  /// The object is one of these; empty for any. Entities that inherit from each other share primary keys,
  /// so each of their names matches where inheritance is known.
  public var objects: [HistoryObject]
  /// The change is an update that touched one of these attributes or relationships; empty for any
  /// change.
  public var attributes: [String]
  /// The values that the change set or removed meet all of these conditions.
  package var values: [ValueCondition] = []
  /// Which changes meet ``values`` by what is known of their neighbors; `nil` if that was not found out.
  package var derived: DerivedValues?

  /// Creates a condition; without arguments, one that every change meets.
  public init(
    kinds: [ChangeKind] = [], entities: [String] = [], exactEntities: [String] = [],
    objects: [HistoryObject] = [], attributes: [String] = []
  ) {
    self.kinds = kinds
    self.entities = entities
    self.exactEntities = exactEntities
    self.objects = objects
    self.attributes = attributes
  }

  package var isEmpty: Bool {
    kinds.isEmpty && namesNoEntity && objects.isEmpty && attributes.isEmpty && values.isEmpty
  }

  /// Whether the names of attributes are needed to check it.
  package var namesAttributes: Bool { !attributes.isEmpty || !values.isEmpty }

  private var namesNoEntity: Bool { entities.isEmpty && exactEntities.isEmpty }
  private var namedEntities: [String] { entities + exactEntities }

  package func matches(_ change: HistoryChange) -> Bool {
    if !kinds.isEmpty {
      guard let kind = change.kind, kinds.contains(kind) else { return false }
    }
    guard matches(change.entity, change.primaryKey) else { return false }
    if !attributes.isEmpty {
      guard let names = change.attributes, attributes.contains(where: names.contains) else {
        return false
      }
    }
    return values.indices.allSatisfy {
      values[$0].isMet(by: change) || derived?.isMet($0, by: change.number) ?? false
    }
  }

  /// Returns whether an object meets the conditions on entities and objects; without a key, whether one of the
  /// entity may.
  func matches(_ entity: HistoryEntity?, _ primaryKey: Int64?) -> Bool {
    if !namesNoEntity {
      guard let entity, namedEntities.contains(where: entity.isCalled) else { return false }
    }
    return objects.isEmpty
      || entity.map { entity in
        objects.contains { $0.primaryKey == primaryKey && entity.isCalled($0.entityName) }
      } ?? false
  }

  /// Returns the condition in the numbers of a store.
  ///
  /// - Throws: ``HistoryError/unknownEntity(name:suggestions:)``,
  ///   ``HistoryError/unknownAttribute(name:suggestions:)``,
  ///   ``HistoryError/unusableValue(condition:expectation:)``, ``HistoryError/objectOfOtherStore(object:store:)``
  ///   or ``HistoryError/unknownModel(path:reason:)``, so that a mistake does not look like an empty result.
  func selection(in schema: HistorySchema, of snapshot: StoreSnapshot) throws -> ChangeSelection? {
    guard !isEmpty else { return nil }
    let names = NameLookup(schema: schema)
    var selection = ChangeSelection(kinds: kinds.isEmpty ? nil : kinds)
    if !namesNoEntity {
      selection.entityNumbers =
        try entities.flatMap {
          snapshot.entities.entityAndDescendants(of: try names.entityNumber($0))
        }
        + exactEntities.map { try names.entityNumber($0) }
    }
    if !objects.isEmpty {
      selection.objects = try objects.flatMap { object in
        try object.check(isOf: snapshot.metadata.storeIdentifier)
        let number = try names.entityNumber(object.entityName)
        return snapshot.entities.relatives(of: number).map {
          ChangeSelection.Object(entityNumber: $0, primaryKey: object.primaryKey)
        }
      }
    }
    if !attributes.isEmpty || !values.isEmpty {
      guard case .model(let model) = try snapshot.modelCache() else {
        throw HistoryError.unknownModel(
          path: snapshot.location.path, reason: "the store has no readable model cache")
      }
      let candidates = selection.entityNumbers.map { $0.map(schema.entity) } ?? schema.entities
      if !attributes.isEmpty {
        selection.slots = try names.slots(of: attributes, among: candidates)
      }
      // Values are compared when they are read.
      _ = try names.slots(of: values.map(\.property), among: candidates)
      for value in values {
        try value.object?.check(isOf: snapshot.metadata.storeIdentifier)
        try value.check(candidates.compactMap(\.name), in: model)
      }
    }
    return selection
  }

  /// Returns the condition with the names of all entities that inherit from the named ones, and each object
  /// by the names of all entities in its line of inheritance.
  func namingRelatives(in schema: HistorySchema, of snapshot: StoreSnapshot) throws -> Self {
    guard !objects.isEmpty || !entities.isEmpty else { return self }
    var condition = self
    let names = NameLookup(schema: schema)
    condition.exactEntities += try entities.flatMap { name in
      let number = try names.entityNumber(name)
      return snapshot.entities.entityAndDescendants(of: number).map { entity in
        entity == number ? name : schema.entity(number: entity).name ?? "\(entity)"
      }
    }
    condition.entities = []
    condition.objects = try objects.flatMap { object in
      let number = try names.entityNumber(object.entityName)
      return snapshot.entities.relatives(of: number).map { relative in
        guard relative != number else { return object }
        return HistoryObject(
          entityName: schema.entity(number: relative).name ?? "\(relative)",
          primaryKey: object.primaryKey, storeIdentifier: object.storeIdentifier)
      }
    }
    return condition
  }

  /// Throws for names that a history with an archive does not have, like ``selection(in:of:)``.
  func check(in schema: HistorySchema, of timeline: HistoryTimeline) throws {
    guard !isEmpty, let archive = timeline.archive else { return }
    let names = NameLookup(schema: schema)
    for entity in namedEntities { _ = try names.entityNumber(entity) }
    for object in objects {
      try object.check(isOf: timeline.storeIdentifier)
      _ = try names.entityNumber(object.entityName)
    }
    guard !attributes.isEmpty || !values.isEmpty else { return }
    let numbers = try namedEntities.flatMap { name in
      let number = try names.entityNumber(name)
      return timeline.snapshot?.entities.entityAndDescendants(of: number) ?? [number]
    }
    let candidates = namesNoEntity ? schema.entities : numbers.map(schema.entity)
    guard candidates.contains(where: { $0.slots != nil }) else {
      throw HistoryError.unknownModel(
        path: archive.path, reason: "its entities were sealed without their model")
    }
    _ = try names.slots(of: attributes + values.map(\.property), among: candidates)
    // An archive does not record the types of values.
    if !values.isEmpty, case .model(let model)? = try timeline.snapshot?.modelCache() {
      for value in values { try value.check(candidates.compactMap(\.name), in: model) }
    }
  }
}

extension HistoryObject {
  /// Throws an error if the object is of another store.
  fileprivate func check(isOf store: String?) throws(HistoryError) {
    if let named = storeIdentifier, named != store?.uppercased() {
      throw .objectOfOtherStore(object: description, store: store)
    }
  }
}

extension HistoryEntity {
  /// Returns whether a text is the name of the entity or, if it has none, its number.
  fileprivate func isCalled(_ text: String) -> Bool {
    name.map { $0 == text } ?? (number != nil && Int64(text) == number)
  }
}
