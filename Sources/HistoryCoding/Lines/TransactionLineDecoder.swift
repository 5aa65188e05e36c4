import PersistentHistory
import StoreFormat

/// Reads JSON lines back into transactions, bit for bit.
///
/// The schema puts the attributes of a tombstone back into their slots, and gives every change the same
/// entity as a reader of the store.
public struct TransactionLineDecoder: Sendable {
  let schema: HistorySchema
  /// The entities that lines name; `nil` if the schema has them.
  private let entities: LineEntities?

  /// Creates a decoder for lines of one store.
  public init(schema: HistorySchema) {
    self.schema = schema
    entities = nil
  }

  /// Creates a decoder for lines of a store that is missing: masks and tombstones get the names that
  /// their lines have.
  package init(entities: LineEntities) {
    schema = HistorySchema(entities: [])
    self.entities = entities
  }

  /// Reads one line, with or without the line end and with its keys in any order.
  ///
  /// - Throws: ``LineError``.
  public func decode(_ line: [UInt8]) throws(LineError) -> HistoryLine {
    do {
      return try line.withUnsafeBufferPointer { try decode($0) }
    } catch let error as LineError {
      throw error
    } catch let error as JSONError {
      throw .malformed(error)
    } catch {
      throw .malformed(JSONError(offset: 0, message: "\(error)"))
    }
  }

  private func decode(_ line: UnsafeBufferPointer<UInt8>) throws -> HistoryLine {
    var parser = JSONParser(line)
    guard try parser.peek() == JSONParser.object else {
      try parser.skipValue()
      try parser.expectEnd()
      throw LineError.unexpected(key: "the line", expectation: "an object")
    }
    let members = try LineMembers(&parser)
    try parser.expectEnd()
    let head = try decode(members)
    guard case .transaction(var transaction) = head, var changes = members.parser(at: .changes)
    else { return head }
    guard try changes.peek() == JSONParser.array else {
      throw LineError.unexpected(key: LineKey.changes.name, expectation: "an array")
    }
    guard try changes.enter(JSONParser.array) else { return head }
    repeat {
      transaction.changes.append(try decodeChange(&changes))
    } while try changes.hasNext(in: JSONParser.array)
    return .transaction(transaction)
  }

  /// Reads a line up to its changes, after whose opening bracket the parser stops, or a line without
  /// changes to its end.
  func decodeHead(_ parser: inout JSONParser) throws -> HistoryLine {
    try decode(try LineMembers(&parser, stopsAtChanges: true))
  }

  private func decode(_ members: LineMembers) throws -> HistoryLine {
    let schema = try members.integer(.schema) ?? 0
    guard schema == HistoryLine.schema else { throw LineError.unknownSchema(schema) }
    switch try members.string(.type) {
    case "transaction":
      var transaction = HistoryTransaction(number: 0)
      try members.read(LineFields.ofTransactions, into: &transaction, self)
      return .transaction(transaction)
    case "gap": return .gap(try HistoryGap(members))
    case let type: throw LineError.unknownType(type ?? "")
    }
  }

  /// Reads the next element of a line's changes.
  func decodeChange(_ parser: inout JSONParser) throws -> HistoryChange {
    guard try parser.peek() == JSONParser.object else {
      throw LineError.unexpected(key: LineKey.changes.name, expectation: "an array of objects")
    }
    var change = HistoryChange(number: 0, kind: nil, entity: nil, primaryKey: nil)
    try LineMembers(&parser).read(LineFields.ofChanges, into: &change, self)
    return change
  }

  /// Returns the entity that a change names.
  func entity(of members: LineMembers, _ kind: ChangeKind?) throws -> HistoryEntity? {
    guard let name = try members.string(.entity) else { return nil }
    if let entities {
      return try entities.entity(
        of: members, named: name, mask: kind == .update ? members.mask() : nil)
    }
    return schema.entity(named: name) ?? HistoryEntity(name: name)
  }
}

/// The members of one object of a line, each as the place of its value in the text.
struct LineMembers {
  /// The maximum number of values of one tombstone or the like: SQLite allows 32,767 columns.
  private static let elementLimit = 32_767
  /// The maximum number of members with keys that this code does not know.
  private static let unknownLimit = 1024
  /// The maximum number of JSON values that one stored or recorded value consists of.
  private static let valueLimit = 64

  private static let keys = Array(LineKey.allCases.prefix { $0 != .object })
  private static let keysByName = Dictionary(
    uniqueKeysWithValues: keys.map { ($0.name, $0) })

  private let text: UnsafeBufferPointer<UInt8>
  private var places = SIMD32<UInt32>()
  private var found: UInt32 = 0

  /// Reads the object that comes next.
  ///
  /// - Parameter stopsAtChanges: Whether to stop after the opening bracket of the changes.
  init(_ parser: inout JSONParser, stopsAtChanges: Bool = false) throws {
    text = parser.bytes
    guard parser.bytes.count <= UInt32.max else {
      throw LineError.tooLarge(limit: Int(UInt32.max))
    }
    var unknown = UniqueKeys()
    var next = 0
    guard try parser.enter(JSONParser.object) else { return }
    repeat {
      parser.skipBlanks()
      let start = parser.position
      guard let key = try Self.takeKey(&parser, from: next, &unknown) else {
        try parser.skipValue()
        continue
      }
      let bit = UInt32(1) << UInt32(key.rawValue)
      guard found & bit == 0 else { throw JSONParser.repeatedKey(key.name, at: start) }
      found |= bit
      places[key.rawValue] = UInt32(truncatingIfNeeded: parser.position)
      if stopsAtChanges, key == .changes, parser.take(JSONParser.array) { return }
      try parser.skipValue()
      next = key.rawValue &+ 1
    } while try parser.hasNext(in: JSONParser.object)
  }

  /// Steps over the next key; returns `nil` for one that the decoder does not read.
  ///
  /// - Parameter next: The number of the key to try first.
  @inline(__always)
  private static func takeKey(
    _ parser: inout JSONParser, from next: Int, _ unknown: inout UniqueKeys
  ) throws -> LineKey? {
    for key in keys[next...] where parser.takeText(key.text) { return key }
    // Out of order, written in another way, or unknown.
    let start = parser.position
    let name = parser.text(of: try parser.keySpan())
    if let key = keysByName[name] { return key }
    guard unknown.count < unknownLimit else {
      throw JSONError(offset: start, message: "the object has too many unknown keys")
    }
    guard unknown.insert(name) else {
      throw JSONParser.repeatedKey(name, at: start)
    }
    return nil
  }

  /// Whether the object has a key.
  @inline(__always)
  func has(_ key: LineKey) -> Bool { found & 1 << UInt32(key.rawValue) != 0 }

  /// A parser that begins at a key's value; `nil` if the key is missing.
  @inline(__always)
  func parser(at key: LineKey) -> JSONParser? {
    has(key) ? JSONParser(text, at: Int(places[key.rawValue])) : nil
  }

  /// A value that is not a long array or object.
  @inline(__always)
  func value(_ key: LineKey) throws -> JSONValue? {
    guard var parser = parser(at: key) else { return nil }
    return try parser.value(limit: Self.valueLimit)
  }

  @inline(__always)
  func integer(_ key: LineKey) throws -> Int64? {
    switch try value(key) {
    case nil: return nil
    case .integer(let value)?: return value
    default: throw LineError.unexpected(key: key.name, expectation: "an integer")
    }
  }

  func required(_ key: LineKey) throws -> Int64 {
    guard let value = try integer(key) else {
      throw LineError.unexpected(key: key.name, expectation: "there, an integer")
    }
    return value
  }

  @inline(__always)
  func string(_ key: LineKey) throws -> String? {
    switch try value(key) {
    case nil: return nil
    case .string(let value)?: return value
    default: throw LineError.unexpected(key: key.name, expectation: "a string")
    }
  }

  /// A value that must have a form.
  func value<Value>(
    _ key: LineKey, _ expectation: String, _ read: (JSONValue) -> Value?
  ) throws -> Value? {
    guard let json = try value(key) else { return nil }
    guard let value = read(json) else {
      throw LineError.unexpected(key: key.name, expectation: expectation)
    }
    return value
  }

  /// A string that must have a form.
  @inline(__always)
  func string<Value>(
    _ key: LineKey, _ expectation: String, _ read: (String) -> Value?
  ) throws -> Value? {
    guard let string = try string(key) else { return nil }
    guard let value = read(string) else {
      throw LineError.unexpected(key: key.name, expectation: expectation)
    }
    return value
  }

  /// A text that need not be clean UTF-8.
  func text(_ key: LineKey) throws -> RecordedText? {
    try value(key, "a text") { StoredValue(raw: $0).flatMap { RecordedText($0) } }
  }

  func mask() throws -> ColumnMask? {
    guard var digits = try string(.columnsRaw) else { return nil }
    let mask = digits.withUTF8 { digits -> ColumnMask? in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits.count / 2) { bytes in
        Hexadecimal.decode(digits, to: bytes)
          ? ColumnMask(bytes: UnsafeRawBufferPointer(bytes)) : nil
      }
    }
    guard let mask else {
      throw LineError.unexpected(
        key: LineKey.columnsRaw.name, expectation: "pairs of hexadecimal digits")
    }
    return mask
  }

  /// The columns that other members cannot express.
  func extraColumns() throws -> [ExtraColumn] {
    var columns: [ExtraColumn] = []
    try forEachMember(of: .extra) { name, json in
      guard let value = StoredValue(raw: json) else {
        throw LineError.unexpected(key: "extra.\(name)", expectation: "a raw value")
      }
      columns.append(ExtraColumn(column: name, value: value))
    }
    return columns
  }

  /// The values of a tombstone as they are stored.
  func storedTombstone() throws -> [StoredValue] {
    var values: [StoredValue] = []
    try forEachElement(of: .tombstoneRaw) { json in
      guard let value = StoredValue(raw: json) else {
        throw LineError.unexpected(
          key: LineKey.tombstoneRaw.name, expectation: "an array of raw values")
      }
      values.append(value)
    }
    return values
  }

  /// The values of a tombstone by attribute, put into the slots of an entity.
  func tombstone(of entity: HistoryEntity?) throws -> [StoredValue] {
    var values: [StoredValue] = []
    let attributes = entity?.slots?.tombstoneAttributes
    var next = 0
    try forEachMember(of: .tombstone) { name, json in
      guard let attributes else { throw LineError.unknownEntity(name: entity?.label ?? "") }
      if values.isEmpty { values = [StoredValue](repeating: .null, count: attributes.count) }
      // Members mostly come in the order of the attributes.
      guard
        let index = attributes[min(next, attributes.count)...].firstIndex(where: { $0.name == name }
        )
          ?? attributes.firstIndex(where: { $0.name == name }),
        let value = TypedValue.value(json, of: attributes[index].type)
      else {
        throw LineError.unexpected(
          key: "tombstone.\(name)", expectation: "a preserved attribute of \(entity?.label ?? "")")
      }
      values[index] = value
      next = index + 1
    }
    while values.last?.isNull == true { values.removeLast() }
    return values
  }

  /// Calls a closure with each member of the object under a key, if there is one.
  func forEachMember(
    of key: LineKey, _ body: (String, JSONValue) throws -> Void
  ) throws {
    guard var parser = parser(at: key) else { return }
    guard try parser.peek() == JSONParser.object else {
      throw LineError.unexpected(key: key.name, expectation: "an object")
    }
    guard try parser.enter(JSONParser.object) else { return }
    var names = UniqueKeys()
    repeat {
      let start = parser.position
      let name = try parser.key()
      guard names.insert(name) else {
        throw LineError.malformed(JSONParser.repeatedKey(name, at: start))
      }
      guard names.count <= Self.elementLimit else { throw Self.tooMany(key) }
      try body(name, try parser.value(limit: Self.valueLimit))
    } while try parser.hasNext(in: JSONParser.object)
  }

  /// Calls a closure with each element of the array under a key, if there is one.
  func forEachElement(
    of key: LineKey, _ body: (JSONValue) throws -> Void
  ) throws {
    guard var parser = parser(at: key) else { return }
    guard try parser.peek() == JSONParser.array else {
      throw LineError.unexpected(key: key.name, expectation: "an array")
    }
    guard try parser.enter(JSONParser.array) else { return }
    var count = 0
    repeat {
      count += 1
      guard count <= Self.elementLimit else { throw Self.tooMany(key) }
      try body(try parser.value(limit: Self.valueLimit))
    } while try parser.hasNext(in: JSONParser.array)
  }

  private static func tooMany(_ key: LineKey) -> LineError {
    .unexpected(key: key.name, expectation: "a list of at most \(elementLimit) values")
  }
}
