import StoreFormat

/// Who saved, with what and when: what a transaction says of itself.
package struct TransactionHeader: Hashable, Sendable {
  /// Who saved, as the app sets it.
  package var author: String?
  /// The bundle identifier of the program.
  package var bundle: String?
  /// The name of the process.
  package var process: String?
  /// The name of the context.
  package var context: String?
  /// When; nil for the moment at which the store is written.
  package var timestamp: StoreTimestamp?

  /// A header.
  package init(
    author: String? = nil, bundle: String? = nil, process: String? = nil, context: String? = nil,
    timestamp: StoreTimestamp? = nil
  ) {
    self.author = author
    self.bundle = bundle
    self.process = process
    self.context = context
    self.timestamp = timestamp
  }

  package func text(_ role: StringRole) -> String? {
    switch role {
    case .author: author
    case .bundle: bundle
    case .process: process
    case .context: context
    }
  }
}

/// What changes about an object: values by attribute, objects by relationship.
///
/// A property that is not named stays as it is, or in a new object gets its default. An element of
/// a composite attribute is named `attribute.element`.
package struct ObjectContent: Hashable, Sendable {
  /// Values by the name of the attribute, in the form in which a store keeps them.
  package var values: [String: StoredValue]
  /// The other end of to-one relationships; an inner nil for none.
  package var toOne: [String: StoreObject?]
  /// All objects at the other end of to-many relationships, in their order where there is one.
  package var toMany: [String: [StoreObject]]

  /// A content.
  package init(
    values: [String: StoredValue] = [:], toOne: [String: StoreObject?] = [:],
    toMany: [String: [StoreObject]] = [:]
  ) {
    self.values = values
    self.toOne = toOne
    self.toMany = toMany
  }

  /// Takes over what another content names.
  mutating func merge(_ other: ObjectContent) {
    values.merge(other.values) { $1 }
    toOne.merge(other.toOne) { $1 }
    toMany.merge(other.toMany) { $1 }
  }
}

/// One save: what becomes one transaction when ``StoreEditor/append(_:)`` writes it.
///
/// ```swift
/// var save = StoreSave(author: "app", process: "Trips")
/// let rome = save.insert("Trip", values: ["name": .text("Rome")])
/// save.insert("BucketListItem", values: ["title": .text("Forum")], toOne: ["trip": rome])
/// let appended = try editor.append(save)
/// ```
///
/// As in the frameworks only the outcome counts: an object that is inserted and updated is inserted,
/// one that is inserted and deleted was never there.
package struct StoreSave: Hashable, Sendable {
  /// Who saves, with what and when.
  package var header: TransactionHeader
  /// Whether others may have deleted what the save names: then it is not deleted once more, is left
  /// out of lists, has none of its own, and need not be detached from anything.
  ///
  /// An object that gets values or leads to another one, and the other end of a to-one relationship,
  /// must be there all the same.
  package var toleratesDeletions = false

  private(set) var inserted: [(object: StoreObject, content: ObjectContent)] = []
  private(set) var updated: [(object: StoreObject, content: ObjectContent)] = []
  private(set) var deleted: [StoreObject] = []
  private var nextNumber = 0

  /// A save that does not change anything yet.
  package init(
    author: String? = nil, bundle: String? = nil, process: String? = nil, context: String? = nil,
    timestamp: StoreTimestamp? = nil
  ) {
    header = TransactionHeader(
      author: author, bundle: bundle, process: process, context: context, timestamp: timestamp)
  }

  /// A save whose objects were named before.
  init(
    header: TransactionHeader, inserted: [(object: StoreObject, content: ObjectContent)],
    updated: [(object: StoreObject, content: ObjectContent)], deleted: [StoreObject]
  ) {
    self.header = header
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    nextNumber = inserted.count
  }

  /// Whether nothing was inserted, updated or deleted.
  package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Inserts an object and gives what other parts of this save name it by.
  @discardableResult
  package mutating func insert(
    _ entityName: String, values: [String: StoredValue] = [:],
    toOne: [String: StoreObject?] = [:], toMany: [String: [StoreObject]] = [:]
  ) -> StoreObject {
    let object = StoreObject(entityName: entityName, insertedAs: nextNumber)
    nextNumber += 1
    inserted.append((object, ObjectContent(values: values, toOne: toOne, toMany: toMany)))
    return object
  }

  /// Changes some properties of an object; with none of them, just counts its version up.
  package mutating func update(
    _ object: StoreObject, values: [String: StoredValue] = [:],
    toOne: [String: StoreObject?] = [:], toMany: [String: [StoreObject]] = [:]
  ) {
    updated.append((object, ObjectContent(values: values, toOne: toOne, toMany: toMany)))
  }

  /// Deletes an object; the delete rules of its relationships say what becomes of others.
  package mutating func delete(_ object: StoreObject) { deleted.append(object) }

  /// Whether both would write the same.
  package static func == (left: StoreSave, right: StoreSave) -> Bool {
    left.header == right.header && left.deleted == right.deleted
      && left.toleratesDeletions == right.toleratesDeletions
      && left.inserted.elementsEqual(right.inserted, by: ==)
      && left.updated.elementsEqual(right.updated, by: ==)
  }

  /// Feeds what ``==(_:_:)`` compares into a hasher.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(header)
    hasher.combine(deleted)
    for (object, content) in inserted + updated {
      hasher.combine(object)
      hasher.combine(content)
    }
  }
}

extension StoreSave {
  /// The outcome: inserts with all that was done to them, and without what was deleted again.
  func folded() -> StoreSave {
    // Every object is named once then.
    if updated.isEmpty && deleted.isEmpty { return self }
    var folded = self
    let deletedObjects = Set(deleted)
    let vanished = Set(inserted.map(\.object)).intersection(deletedObjects)
    var contents = Dictionary(
      inserted.map { ($0.object, $0.content) }, uniquingKeysWith: { first, _ in first })
    var updates: [(object: StoreObject, content: ObjectContent)] = []
    var positions: [StoreObject: Int] = [:]
    for (object, content) in updated {
      if contents[object] != nil {
        contents[object]?.merge(content)
      } else if let position = positions[object] {
        updates[position].content.merge(content)
      } else {
        positions[object] = updates.count
        updates.append((object, content))
      }
    }
    folded.inserted = inserted.map(\.object).filter { !vanished.contains($0) }
      .map { ($0, (contents[$0] ?? ObjectContent()).without(vanished)) }
    folded.updated = updates.filter { !deletedObjects.contains($0.object) }
      .map { ($0.object, $0.content.without(vanished)) }
    folded.deleted = deleted.filter { !vanished.contains($0) }
    return folded
  }
}

extension StoreSave {
  /// The save without what need not be done to objects that are not there.
  func reduced(to isThere: (StoreObject) throws -> Bool) rethrows -> StoreSave {
    var reduced = self
    reduced.deleted = try deleted.filter(isThere)
    reduced.inserted = try inserted.map { ($0.object, try $0.content.listing(isThere)) }
    reduced.updated = try updated.compactMap { object, content in
      let content = try content.listing(isThere)
      return try content.isOfOthers && !isThere(object) ? nil : (object, content)
    }
    return reduced
  }
}

extension ObjectContent {
  /// Whether the object is merely let go by others, or put into lists, which for an object that is
  /// gone comes to nothing.
  fileprivate var isOfOthers: Bool { values.isEmpty && toOne.values.allSatisfy { $0 == nil } }

  /// The content with lists of some objects only.
  fileprivate func listing(_ isThere: (StoreObject) throws -> Bool) rethrows -> ObjectContent {
    guard !toMany.isEmpty else { return self }
    return ObjectContent(
      values: values, toOne: toOne, toMany: try toMany.mapValues { try $0.filter(isThere) })
  }

  /// The content without objects that never come to be.
  fileprivate func without(_ vanished: Set<StoreObject>) -> ObjectContent {
    guard !vanished.isEmpty else { return self }
    return ObjectContent(
      values: values,
      toOne: toOne.mapValues { $0.flatMap { vanished.contains($0) ? nil : $0 } },
      toMany: toMany.mapValues { $0.filter { !vanished.contains($0) } })
  }
}

/// What a save became.
package struct AppendedTransaction: Hashable, Sendable {
  /// The transaction's number and when it was saved.
  package let position: TransactionPosition
  /// How many changes it has.
  package let changeCount: Int
  let primaryKeys: [StoreObject: Int64]

  /// The primary key of an object that the save inserted, or of one that was in the store before;
  /// nil for an object of another save.
  package func primaryKey(of object: StoreObject) -> Int64? {
    object.primaryKey ?? primaryKeys[object]
  }

  /// The object as the next save can name it; nil for an object of another save.
  package func stored(_ object: StoreObject) -> StoreObject? {
    primaryKey(of: object).map { StoreObject(entityName: object.entityName, primaryKey: $0) }
  }
}
