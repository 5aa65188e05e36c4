import StoreFormat
import StoreTransactions

/// New values and related objects of one object.
///
/// A property that is not named stays as it is, or gets its default in a new object. An element of a
/// composite attribute is named `attribute.element`.
struct ObjectContent: Hashable, Sendable {
  /// Values by the name of the attribute, as a store keeps them.
  var values: [String: StoredValue] = [:]
  /// The destinations of to-one relationships; an inner `nil` for none.
  var toOne: [String: StoreObject?] = [:]
  /// All destinations of to-many relationships, in order if they are ordered.
  var toMany: [String: [StoreObject]] = [:]
  /// Destinations of to-many relationships that join those that are there.
  var added: [String: [StoreObject]] = [:]

  /// Replaces everything that another content names.
  mutating func merge(_ other: ObjectContent) {
    values.merge(other.values) { $1 }
    toOne.merge(other.toOne) { $1 }
    toMany.merge(other.toMany) { $1 }
    added.merge(other.added) { $0 + $1 }
  }
}

/// A save, which becomes one transaction when ``StoreEditor/append(_:)`` writes it.
///
/// ```swift
/// var save = StoreSave(author: "app", process: "Trips")
/// let rome = save.insert("Trip", values: ["name": .text("Rome")])
/// save.insert("BucketListItem", values: ["title": .text("Forum")], toOne: ["trip": rome])
/// let appended = try editor.append(save)
/// ```
///
/// As in the frameworks only the outcome counts: an object that is inserted and updated is inserted, and
/// one that is inserted and deleted leaves no trace.
package struct StoreSave: Equatable, Sendable {
  package var header: TransactionHeader
  /// Whether objects of the save may be missing because other programs have deleted them. Such an object
  /// is not deleted again, is omitted from lists, gets no lists of its own, and need not be detached.
  ///
  /// An object that gets values or a to-one destination, and the destination itself, must exist
  /// nevertheless.
  package var toleratesDeletions = false

  private(set) var inserted: [(object: StoreObject, content: ObjectContent)] = []
  private(set) var updated: [(object: StoreObject, content: ObjectContent)] = []
  private(set) var deleted: [StoreObject] = []
  /// The primary keys of inserted objects that had them before; the others get the next ones.
  private(set) var formerKeys: [StoreObject: Int64] = [:]

  package init(
    author: String? = nil, bundle: String? = nil, process: String? = nil, context: String? = nil,
    timestamp: StoreTimestamp? = nil
  ) {
    header = TransactionHeader(
      author: author, bundle: bundle, process: process, context: context, timestamp: timestamp)
  }

  /// Creates a save with objects that another save has named.
  init(
    header: TransactionHeader, inserted: [(object: StoreObject, content: ObjectContent)],
    updated: [(object: StoreObject, content: ObjectContent)], deleted: [StoreObject]
  ) {
    self.header = header
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Inserts an object and returns the reference by which this save names it.
  ///
  /// - Parameter formerKey: The primary key that the object had before it was deleted, which no row may have; `nil`
  ///   for the next one.
  @discardableResult
  package mutating func insert(
    _ entityName: String, values: [String: StoredValue] = [:],
    toOne: [String: StoreObject?] = [:], toMany: [String: [StoreObject]] = [:],
    formerKey: Int64? = nil
  ) -> StoreObject {
    let object = StoreObject(entityName: entityName, insertedAs: inserted.count)
    formerKeys[object] = formerKey
    inserted.append((object, ObjectContent(values: values, toOne: toOne, toMany: toMany)))
    return object
  }

  /// Changes some properties of an object; without any, only increments its version.
  ///
  /// - Parameter added: Destinations that join those that to-many relationships have.
  package mutating func update(
    _ object: StoreObject, values: [String: StoredValue] = [:],
    toOne: [String: StoreObject?] = [:], toMany: [String: [StoreObject]] = [:],
    added: [String: [StoreObject]] = [:]
  ) {
    updated.append(
      (object, ObjectContent(values: values, toOne: toOne, toMany: toMany, added: added)))
  }

  /// Deletes an object, and applies the delete rules of its relationships.
  package mutating func delete(_ object: StoreObject) { deleted.append(object) }

  package static func == (left: StoreSave, right: StoreSave) -> Bool {
    left.header == right.header && left.deleted == right.deleted
      && left.toleratesDeletions == right.toleratesDeletions && left.formerKeys == right.formerKeys
      && left.inserted.elementsEqual(right.inserted, by: ==)
      && left.updated.elementsEqual(right.updated, by: ==)
  }
}

extension StoreSave {
  /// Returns the outcome: updates of inserted objects become part of the insert, and objects that are
  /// inserted and deleted are omitted. Every object is then named once.
  func folded() -> StoreSave {
    if updated.isEmpty && deleted.isEmpty { return self }
    var folded = self
    let deletedObjects = Set(deleted)
    let vanished = Set(inserted.map(\.object)).intersection(deletedObjects)
    var contents = Dictionary(keepingFirst: inserted.map { ($0.object, $0.content) })
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
  /// The approximate length of the save in a ``JointSaveRecord``, in bytes.
  var approximateLength: Int {
    func length(_ value: StoredValue) -> Int {
      switch value {
      case .null: 1
      case .integer, .real: 8
      case .text(let text): text.utf8.count
      case .malformedText(let bytes), .blob(let bytes): bytes.count
      }
    }
    return (inserted + updated).reduce(deleted.count * 16) { sum, part in
      let content = part.content
      return sum + 64 + content.values.reduce(0) { $0 + 8 + length($1.value) }
        + content.toOne.count * 16
        + [content.toMany, content.added].joined().reduce(0) { $0 + 8 + $1.value.count * 16 }
    }
  }

  /// Returns the save without the changes that are unnecessary for missing objects.
  func reduced(to exists: (StoreObject) throws -> Bool) rethrows -> StoreSave {
    var reduced = self
    reduced.deleted = try deleted.filter(exists)
    reduced.inserted = try inserted.map { ($0.object, try $0.content.listing(exists)) }
    reduced.updated = try updated.compactMap { object, content in
      let content = try content.listing(exists)
      return try content.isUnnecessaryIfMissing && !exists(object) ? nil : (object, content)
    }
    return reduced
  }
}

extension ObjectContent {
  /// Whether the object only loses destinations or gets lists, which is unnecessary if it is missing.
  fileprivate var isUnnecessaryIfMissing: Bool {
    values.isEmpty && added.isEmpty && toOne.values.allSatisfy { $0 == nil }
  }

  /// Returns the content with only those list elements that satisfy a condition.
  fileprivate func listing(_ exists: (StoreObject) throws -> Bool) rethrows -> ObjectContent {
    guard !toMany.isEmpty || !added.isEmpty else { return self }
    return ObjectContent(
      values: values, toOne: toOne, toMany: try toMany.mapValues { try $0.filter(exists) },
      added: try added.mapValues { try $0.filter(exists) })
  }

  /// Returns the content without references to objects that leave no trace.
  fileprivate func without(_ vanished: Set<StoreObject>) -> ObjectContent {
    guard !vanished.isEmpty else { return self }
    return ObjectContent(
      values: values,
      toOne: toOne.mapValues { $0.flatMap { vanished.contains($0) ? nil : $0 } },
      toMany: toMany.mapValues { $0.filter { !vanished.contains($0) } },
      added: added.mapValues { $0.filter { !vanished.contains($0) } })
  }
}

/// The transaction that a save became.
package struct AppendedTransaction: Hashable, Sendable {
  package let position: TransactionPosition
  package let changeCount: Int
  let primaryKeys: [StoreObject: Int64]

  /// Returns the primary key of an object that the save inserted or that was in the store before; `nil`
  /// for an object of another save.
  package func primaryKey(of object: StoreObject) -> Int64? {
    object.primaryKey ?? primaryKeys[object]
  }

  /// Returns the reference by which the next save names an object; `nil` for one of another save.
  package func stored(_ object: StoreObject) -> StoreObject? {
    primaryKey(of: object).map { StoreObject(entityName: object.entityName, primaryKey: $0) }
  }
}
