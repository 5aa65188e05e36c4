import Foundation
import PersistentHistory
import StoreFormat

/// Makes transactions with typed changes from a recorded history.
///
/// Facts that all changes of an entity share, or all updates of the same properties, are looked up
/// once.
final class TransactionMaker {
  private let reader: HistoryReader
  private let schema: Schema
  private let storeIdentifier: String
  private let tokenKey: String
  /// By entity number; `nil` for a model that is not in the schema.
  private var makers: [Int64: MakeChange?] = [:]

  /// Makes a change of a row, for a kind, the key of the object, and the number of the transaction.
  private typealias MakeChange = (ChangeKind, Int64, Int64, ChangeCursor, HistoryReader) throws ->
    HistoryChange

  init(reader: HistoryReader, schema: Schema, storeIdentifier: String) {
    self.reader = reader
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    tokenKey = storeIdentifier.uppercased()
  }

  var entities: PersistentHistory.HistorySchema { reader.schema }

  /// Returns the next transaction, or `nil` after the last one.
  func next(includesChanges: Bool = true) throws -> DefaultHistoryTransaction? {
    try next { _ in includesChanges }
  }

  /// Returns the next transaction, with changes if the function returns `true` for its number.
  func next(includingChanges: (Int64) -> Bool) throws -> DefaultHistoryTransaction? {
    guard let recorded = try reader.nextTransaction() else { return nil }
    var changes: [HistoryChange] = []
    if includingChanges(recorded.number) {
      while let row = try reader.nextRow() {
        guard let kind = row.kind, let primaryKey = row.primaryKey, let entity = row.entityNumber
        else {
          throw SwiftDataError(
            .storeFailure,
            "change \(row.number) of transaction \(recorded.number) in store \(storeIdentifier) "
              + "has no known kind, entity or key; verify the store")
        }
        // Changes of models that are not in the schema have no type.
        guard let make = maker(of: entity) else { continue }
        changes.append(try make(kind, primaryKey, recorded.number, row, reader))
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

  private func maker(of number: Int64) -> MakeChange? {
    if let known = makers[number] { return known }
    func make<Model: PersistentModel>(_ type: Model.Type, _ layout: EntityLayout) -> MakeChange {
      ChangeMaker<Model>(layout, in: storeIdentifier).change
    }
    let layout = reader.entity(number).name.flatMap { schema.layouts[$0] }
    let maker = layout.map { make($0.type, $0) }
    makers[number] = .some(maker)
    return maker
  }
}

/// Makes the changes of one entity.
private final class ChangeMaker<Model: PersistentModel> {
  typealias Property = any PartialKeyPath<Model> & Sendable

  private let origin: PersistentIdentifier.Origin
  private let layout: EntityLayout
  /// The properties of masks, by the short keys of the masks.
  private var updatedAttributes: [UInt64: [Property]] = [:]

  init(_ layout: EntityLayout, in storeIdentifier: String) {
    self.layout = layout
    origin = PersistentIdentifier.Origin(layout.name, in: storeIdentifier)
  }

  func change(
    _ kind: ChangeKind, of primaryKey: Int64, _ transaction: Int64, _ row: ChangeCursor,
    _ reader: HistoryReader
  ) throws -> HistoryChange {
    let object = PersistentIdentifier(origin, .number(primaryKey))
    return switch kind {
    case .insert:
      .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: row.number, transactionIdentifier: transaction,
          changedPersistentIdentifier: object))
    case .update:
      .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: row.number, transactionIdentifier: transaction,
          changedPersistentIdentifier: object, updatedAttributes: attributes(row, reader),
          changedValues: reader.readsRecordedValues
            ? layout.changedValues(
              of: try reader.recordedValues(of: row).values,
              storeIdentifier: object.storeIdentifier ?? "") : [:]))
    case .delete:
      .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: row.number, transactionIdentifier: transaction,
          changedPersistentIdentifier: object,
          tombstone: HistoryTombstone(
            values: layout.preservedValues(of: reader.change(at: row)))))
    }
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
  /// A separate function, because Swift 6.3.1 casts another size inside the generic class.
  fileprivate func sendableKeyPath<Model: PersistentModel>(
    named name: String
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let index = index(named: name),
      let keyPath = properties[index].keyPath as? PartialKeyPath<Model>
    else { return nil }
    // Key paths of stored properties capture nothing, and Sendable leaves no trace in a value.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// Returns the values that a deleted object left, as far as today's types can hold them.
  fileprivate func preservedValues(
    of change: PersistentHistory.HistoryChange
  ) -> [String: any Sendable] {
    let preserved = change.preservedValues ?? []
    guard !preserved.isEmpty else { return [:] }
    let stored = Dictionary(keepingFirst: preserved.map { ($0.attribute.name, $0.value) })
    var values: [String: any Sendable] = [:]
    for property in properties {
      let columns = property.columnPaths.map { stored[$0] ?? .null }
      if columns.contains(where: { !$0.isNull }) {
        values[property.name] = property.codec?.value(of: columns).map(Self.sendable)
      }
    }
    return values
  }

  /// Returns the recorded values of an update, as far as today's properties can hold them.
  fileprivate func changedValues(
    of recorded: [RecordedValue], storeIdentifier: String
  ) -> [String: HistoryValueChange] {
    let byName = Dictionary(keepingFirst: recorded.map { ($0.name, $0) })
    var changes: [String: HistoryValueChange] = [:]
    for name in Set(recorded.map(\.property)) {
      guard let index = index(named: name) else { continue }
      let property = properties[index]
      if property.relationship != nil {
        guard let value = byName[name], let old = value.old, let new = value.new else { continue }
        changes[name] = HistoryValueChange(
          old: Self.identifier(old, storeIdentifier), new: Self.identifier(new, storeIdentifier))
      } else if let codec = property.codec {
        let parts = property.columnPaths.compactMap { byName[$0] }
        // Without all its parts, the whole value is unknown.
        guard parts.count == property.columnPaths.count,
          parts.allSatisfy({ $0.old != nil && $0.new != nil }),
          let old = Self.value(parts.compactMap(\.old), codec),
          let new = Self.value(parts.compactMap(\.new), codec)
        else { continue }
        changes[name] = HistoryValueChange(old: old, new: new)
      }
    }
    return changes
  }

  /// Returns a value from its columns: `.some(nil)` for none, `nil` for what the type cannot hold.
  private static func value(
    _ contents: [RecordedContent], _ codec: AttributeCodec
  ) -> (any Sendable)?? {
    if contents.count == 1, case .digest(let bytes, let byteCount) = contents[0] {
      return HistoryValueDigest(sha256: Data(bytes), byteCount: Int(clamping: byteCount))
    }
    let stored = contents.compactMap(\.value)
    guard stored.count == contents.count else { return nil }
    if stored.allSatisfy(\.isNull) { return .some(nil) }
    return codec.value(of: stored).map(sendable)
  }

  /// Values of attributes are plain data, and Sendable leaves no trace in a value.
  private static func sendable(_ value: Any) -> any Sendable {
    // `as Any` is needed: without it Swift 6.3.1 casts another size.
    unsafeBitCast(value as Any, to: (any Sendable).self)
  }

  private static func identifier(
    _ content: RecordedContent, _ storeIdentifier: String
  ) -> PersistentIdentifier? {
    guard case .value(.text(let text)) = content, let object = try? HistoryObject(text) else {
      return nil
    }
    return PersistentIdentifier(object.entityName, object.primaryKey, in: storeIdentifier)
  }
}
