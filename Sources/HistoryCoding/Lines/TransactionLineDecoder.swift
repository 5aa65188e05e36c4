import PersistentHistory
import StoreEditing
import StoreFormat

/// Reads JSON lines back into transactions, bit for bit.
///
/// The schema puts the attributes of a tombstone back into their slots, and gives every change the
/// entity that a reader of the store would give it.
public struct TransactionLineDecoder: Sendable {
  private let schema: HistorySchema
  /// What the entities are that lines name; nil where the schema tells.
  private let entities: LineEntities?
  private let reader = JSONReader()

  /// A decoder for lines of one store.
  public init(schema: HistorySchema) {
    self.schema = schema
    entities = nil
  }

  /// A decoder for lines of a store that is not there: masks and tombstones get the names that stand
  /// in their lines.
  package init(entities: LineEntities) {
    schema = HistorySchema(entities: [])
    self.entities = entities
  }

  /// Reads one line, with or without the line end.
  ///
  /// - Throws: ``LineError``.
  public func decode(_ line: [UInt8]) throws(LineError) -> HistoryLine {
    let json: JSONValue
    do {
      json = try reader.read(line)
    } catch {
      throw .malformed(error)
    }
    guard case .object(let object) = json else {
      throw .unexpected(key: "the line", expectation: "an object")
    }
    let number = try object.integer("schema") ?? 0
    guard number == HistoryLine.schema else { throw .unknownSchema(number) }
    switch try object.string("type") {
    case "transaction": return .transaction(try transaction(object))
    case "gap":
      return .gap(
        HistoryGap(
          store: try object.string("store"), after: try object.required("after"),
          oldest: try object.integer("oldest")))
    case let type: throw .unknownType(type ?? "")
    }
  }

  /// Reads one element of a line's changes by itself.
  ///
  /// - Throws: ``LineError``.
  public func decodeChange(
    _ text: UnsafeBufferPointer<UInt8>
  ) throws(LineError) -> HistoryChange {
    let json: JSONValue
    do {
      json = try reader.read(text)
    } catch {
      throw .malformed(error)
    }
    guard case .object(let object) = json else {
      throw .unexpected(key: "changes", expectation: "an array of objects")
    }
    return try change(object)
  }

  private func transaction(_ object: JSONObject) throws(LineError) -> HistoryTransaction {
    let number = try object.required("transaction")
    switch object["partial"] {
    case nil, .boolean(false): break
    case .boolean(true): throw .partial(transaction: number)
    default: throw .unexpected(key: "partial", expectation: "true")
    }
    guard case .array(let changes)? = object["changes"] else {
      throw .unexpected(key: "changes", expectation: "an array")
    }
    var transaction = HistoryTransaction(
      store: try object.string("store"), number: number, timestamp: try timestamp(object),
      author: try object.text("author"), bundle: try object.text("bundle"),
      process: try object.text("process"), context: try object.text("context"),
      queryGeneration: try object.blob("queryGenerationRaw"), extra: try object.extra())
    transaction.changes.reserveCapacity(changes.count)
    for change in changes {
      guard case .object(let change) = change else {
        throw .unexpected(key: "changes", expectation: "an array of objects")
      }
      transaction.changes.append(try self.change(change))
    }
    return transaction
  }

  private func timestamp(_ object: JSONObject) throws(LineError) -> StoreTimestamp? {
    guard let json = object["timestampRaw"] else { return nil }
    guard let timestamp = StoreTimestamp(raw: json) else {
      throw .unexpected(key: "timestampRaw", expectation: "a number")
    }
    return timestamp
  }

  private func change(_ object: JSONObject) throws(LineError) -> HistoryChange {
    var kind: ChangeKind?
    if let name = try object.string("kind") {
      kind = ChangeKind(name: name)
      if kind == nil { throw .unexpected(key: "kind", expectation: "insert, update or delete") }
    }
    var mask: ColumnMask?
    if let digits = try object.string("columnsRaw") {
      guard let bytes = Hexadecimal.bytes(of: digits) else {
        throw .unexpected(key: "columnsRaw", expectation: "pairs of hexadecimal digits")
      }
      mask = ColumnMask(bytes)
    }
    var entity: HistoryEntity?
    if let name = try object.string("entity") {
      entity =
        try entities?.entity(of: object, named: name, mask: kind == .update ? mask : nil)
        ?? schema.entity(named: name) ?? HistoryEntity(name: name)
    } else if let number = try object.integer("entityRaw") {
      entity = schema.entity(number: number)
    }
    return HistoryChange(
      number: try object.required("change"), kind: kind, entity: entity,
      primaryKey: try object.integer("pk"), mask: mask, tombstone: try tombstone(object, entity),
      extra: try object.extra(), values: try values(object))
  }

  private func values(_ object: JSONObject) throws(LineError) -> [RecordedValue] {
    guard let json = object["values"] else { return [] }
    guard case .object(let members) = json else {
      throw .unexpected(key: "values", expectation: "an object")
    }
    var values: [RecordedValue] = []
    for member in members { values.append(try RecordedValue(member.key, member.value)) }
    return values
  }

  private func tombstone(
    _ object: JSONObject, _ entity: HistoryEntity?
  ) throws(LineError) -> [StoredValue] {
    if let raw = object["tombstoneRaw"] {
      guard case .array(let elements) = raw else {
        throw .unexpected(key: "tombstoneRaw", expectation: "an array")
      }
      var values: [StoredValue] = []
      for element in elements {
        guard let value = StoredValue(raw: element) else {
          throw .unexpected(key: "tombstoneRaw", expectation: "an array of raw values")
        }
        values.append(value)
      }
      return values
    }
    guard let json = object["tombstone"] else { return [] }
    guard case .object(let members) = json else {
      throw .unexpected(key: "tombstone", expectation: "an object")
    }
    if members.isEmpty { return [] }
    guard let attributes = entity?.slots?.tombstoneAttributes else {
      throw .unknownEntity(name: entity?.label ?? "")
    }
    var values = [StoredValue](repeating: .null, count: attributes.count)
    for member in members {
      guard let index = attributes.firstIndex(where: { $0.name == member.key }),
        let value = TombstoneCoding.value(member.value, of: attributes[index].type)
      else {
        throw .unexpected(
          key: "tombstone.\(member.key)",
          expectation: "a preserved attribute of \(entity?.label ?? "")")
      }
      values[index] = value
    }
    while values.last?.isNull == true { values.removeLast() }
    return values
  }
}
