import Foundation
import PersistentHistory
import StoreFormat

/// Makes transactions with typed changes of what a history has recorded.
///
/// What is the same for all changes of an entity, and for all updates of the same properties, is found
/// out once.
final class TransactionMaker {
  private let reader: HistoryReader
  private let schema: Schema
  private let storeIdentifier: String
  private let tokenKey: String
  /// By the number of the entity; nil for a model that the schema does not have.
  private var makers: [Int64: (any ChangeMaker)?] = [:]
  private var last: (number: Int64, maker: (any ChangeMaker)?)?

  /// - Parameters:
  ///   - reader: Reads what was recorded.
  ///   - schema: The models.
  ///   - storeIdentifier: The identifier of the store.
  init(reader: HistoryReader, schema: Schema, storeIdentifier: String) {
    self.reader = reader
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    tokenKey = storeIdentifier.uppercased()
  }

  /// The next transaction; `nil` after the last one.
  ///
  /// Changes of models that the schema does not have are left out, for they have no type.
  ///
  /// - Parameter includesChanges: Whether its changes are read.
  func next(includesChanges: Bool = true) throws -> DefaultHistoryTransaction? {
    try next { _ in includesChanges }
  }

  /// The same, where it depends on the transaction's number whether its changes are read.
  func next(includingChanges: (Int64) -> Bool) throws -> DefaultHistoryTransaction? {
    guard let recorded = try reader.nextTransaction() else { return nil }
    var changes: [HistoryChange] = []
    if includingChanges(recorded.number) {
      while let row = try reader.nextRow() {
        guard let kind = row.kind, let primaryKey = row.primaryKey, let entity = row.entityNumber,
          let maker = maker(of: entity)
        else { continue }
        let change = ChangeFacts(
          number: row.number, transaction: recorded.number,
          object: PersistentIdentifier(
            entityName: maker.layout.name, storeIdentifier: storeIdentifier,
            key: .number(primaryKey)))
        switch kind {
        case .insert: changes.append(maker.insert(change))
        case .update: changes.append(try maker.update(change, row, reader))
        case .delete: changes.append(maker.delete(change, row, reader))
        }
      }
    }
    return DefaultHistoryTransaction(
      timestamp: Date(
        timeIntervalSinceReferenceDate: recorded.timestamp?.secondsSinceReferenceDate ?? 0),
      changes: changes, token: DefaultHistoryToken(storeKey: tokenKey, number: recorded.number),
      transactionIdentifier: recorded.number, storeIdentifier: storeIdentifier,
      bundleIdentifier: recorded.bundle?.string ?? "",
      processIdentifier: recorded.process?.string ?? "", author: recorded.author?.string)
  }

  private func maker(of number: Int64) -> (any ChangeMaker)? {
    // Changes of one entity tend to stand together.
    if let last, last.number == number { return last.maker }
    let maker: (any ChangeMaker)?
    if let known = makers[number] {
      maker = known
    } else {
      if let name = reader.entity(number).name, let layout = schema.layouts[name] {
        maker = Self.maker(of: layout.type, layout: layout)
      } else {
        maker = nil
      }
      makers[number] = .some(maker)
    }
    last = (number, maker)
    return maker
  }

  private static func maker<Model: PersistentModel>(
    of type: Model.Type, layout: EntityLayout
  ) -> any ChangeMaker {
    TypedChangeMaker<Model>(layout)
  }
}

/// What every change has.
private struct ChangeFacts {
  let number: Int64
  let transaction: Int64
  let object: PersistentIdentifier
}

/// Makes the changes of one entity.
private protocol ChangeMaker: AnyObject {
  var layout: EntityLayout { get }
  func insert(_ change: ChangeFacts) -> HistoryChange
  func update(
    _ change: ChangeFacts, _ row: ChangeCursor, _ reader: HistoryReader
  ) throws
    -> HistoryChange
  func delete(
    _ change: ChangeFacts, _ row: ChangeCursor, _ reader: HistoryReader
  )
    -> HistoryChange
}

private final class TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
  typealias Property = any PartialKeyPath<Model> & Sendable

  let layout: EntityLayout
  /// The properties of masks, by the masks' short keys.
  private var updatedAttributes: [UInt64: [Property]] = [:]

  init(_ layout: EntityLayout) { self.layout = layout }

  func insert(_ change: ChangeFacts) -> HistoryChange {
    .insert(
      DefaultHistoryInsert<Model>(
        changeIdentifier: change.number, transactionIdentifier: change.transaction,
        changedPersistentIdentifier: change.object))
  }

  func update(
    _ change: ChangeFacts, _ row: ChangeCursor, _ reader: HistoryReader
  ) throws -> HistoryChange {
    .update(
      DefaultHistoryUpdate<Model>(
        changeIdentifier: change.number, transactionIdentifier: change.transaction,
        changedPersistentIdentifier: change.object,
        updatedAttributes: attributes(row, reader),
        changedValues: reader.readsRecordedValues
          ? layout.changedValues(
            of: try reader.recordedValues(of: row),
            storeIdentifier: change.object.storeIdentifier ?? "") : [:]))
  }

  func delete(
    _ change: ChangeFacts, _ row: ChangeCursor, _ reader: HistoryReader
  ) -> HistoryChange {
    .delete(
      DefaultHistoryDelete<Model>(
        changeIdentifier: change.number, transactionIdentifier: change.transaction,
        changedPersistentIdentifier: change.object,
        tombstone: HistoryTombstone(
          values: layout.preservedValues(of: reader.change(at: row)))))
  }

  private func attributes(_ row: ChangeCursor, _ reader: HistoryReader) -> [Property] {
    let key = row.mask?.shortKey
    if let key, let known = updatedAttributes[key] { return known }
    let attributes = (reader.change(at: row).attributes ?? []).compactMap { name -> Property? in
      layout.sendableKeyPath(named: name)
    }
    if let key { updatedAttributes[key] = attributes }
    return attributes
  }
}

extension EntityLayout {
  /// A property of the class.
  fileprivate func sendableKeyPath<Model: PersistentModel>(
    named name: String
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let index = index(named: name),
      let keyPath = properties[index].keyPath as? PartialKeyPath<Model>
    else { return nil }
    // Key paths of stored properties capture nothing, and being Sendable leaves no trace in a value.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// What a deleted object has left behind, by property.
  fileprivate func preservedValues(
    of change: PersistentHistory.HistoryChange
  ) -> [String: any Sendable] {
    let preserved = change.preservedValues ?? []
    guard !preserved.isEmpty else { return [:] }
    let stored = Dictionary(
      preserved.map { ($0.attribute.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    var values: [String: any Sendable] = [:]
    for property in properties {
      let columns = property.columnPaths.map { stored[$0] ?? .null }
      guard columns.contains(where: { !$0.isNull }), let value = property.codec?.value(of: columns)
      else { continue }
      // Values of attributes are plain data, and being Sendable leaves no trace in a value.
      values[property.name] = unsafeBitCast(value as Any, to: (any Sendable).self)
    }
    return values
  }
}
