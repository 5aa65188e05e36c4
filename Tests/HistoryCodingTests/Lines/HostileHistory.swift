import StoreFormat
import TestSupport

/// A store in which every column holds every class of value, right and wrong, the same in every run.
struct HostileHistory {
  private typealias Row = [(column: String, value: StoredValue)]

  /// An entity that preserves an attribute of every type.
  static let everything = ManagedEntity(
    name: "Everything",
    properties: types.enumerated().map { index, type in
      let digits = (index < 10 ? "0" : "") + String(index)
      return .attribute(.init(name: "value\(digits)", type: type, preservesValueOnDeletion: true))
    })
  private static let types: [AttributeType] = [
    .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean,
    .date, .binaryData, .uuid, .uri, .transformable, .objectIdentifier, .composite, .unknown(4242),
  ]
  /// The number of that entity.
  static let everythingNumber: Int64 = 6

  private static let values: [StoredValue] = [
    .null, .integer(0), .integer(1), .integer(2), .integer(-1), .integer(.max), .integer(.min),
    .integer(9_007_199_254_740_993), .real(0), .real(-0.0), .real(1), .real(.infinity),
    .real(-.infinity), .real(1e300), .real(-1e300), .real(.leastNonzeroMagnitude),
    .real(2.2250738585072014e-308),
    .real(.greatestFiniteMagnitude), .real(0.1), .real(743_906_557.824189),
    .real(-63_113_904_000), .real(-63_113_904_000.5), .real(252_423_993_599.999),
    .real(252_423_993_600), .real(-978_307_200.000001), .real(-1e-5), .real(1e22), .real(1e15),
    .text(""), .text("Rome"), .text("é"), .text("e\u{301}"), .text("1"), .text("true"),
    .text("2024-07-29T00:42:37Z"), .text("1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"),
    .text("\"\\/\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{2028}\u{feff}🚀\u{10ffff}"), .text("$null"),
    .text(String(repeating: "long é ", count: 140)), .malformedText([0xff]),
    .malformedText([0x61, 0, 0x62]), .malformedText([0]), .malformedText([0xed, 0xa0, 0x80]),
    .malformedText([0xc0, 0x80]), .malformedText([0xf4, 0x90, 0x80, 0x80]), .blob([]), .blob([0]),
    .blob(Array(0..<16)), .blob(Array(240...255)), .blob(Array(0...255)), .blob([0x61]),
  ]

  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Writes the store.
  mutating func write(to path: String, hasPlainStrings: Bool) throws {
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = hasPlainStrings
    shape.tombstoneColumns = Self.types.count + 1
    shape.modelCache = try ModelArchive.cache(
      of: ManagedModel(
        entities: Array(TripsModel.model.entities.values) + [Self.everything]))
    let writer = try StoreWriter(path: path, shape: shape)
    try writer.sql(
      """
      INSERT INTO Z_PRIMARYKEY VALUES (\(Self.everythingNumber), 'Everything', 0, 0);
      INSERT INTO Z_PRIMARYKEY VALUES (7, NULL, 0, 0), (8, 'Twice', 0, 0), (9, 'Twice', 0, 0);
      ALTER TABLE ATRANSACTION ADD COLUMN ZNEW;
      ALTER TABLE ATRANSACTION ADD COLUMN "a ""quoted"" é";
      ALTER TABLE ACHANGE ADD COLUMN ZLATER BLOB;
      """)
    if !hasPlainStrings {
      try writer.insert(
        into: "ATRANSACTIONSTRING",
        Self.values.enumerated().filter { !Self.isNumber($0.element) }.map {
          [("Z_PK", .integer(Int64($0.offset + 1))), ("ZNAME", $0.element)]
        })
    }
    var number: Int64 = 0
    for transaction: Int64 in 1...60 {
      try writer.insert(into: "ATRANSACTION", [self.transaction(transaction, hasPlainStrings)])
      let changes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        number += 1
        return change(number, of: transaction)
      }
      try writer.insert(into: "ACHANGE", changes)
    }
    try writer.close()
  }

  /// Numbers become texts in the table of texts, which has each text once.
  private static func isNumber(_ value: StoredValue) -> Bool {
    switch value {
    case .integer, .real: true
    default: false
    }
  }

  private mutating func transaction(_ number: Int64, _ hasPlainStrings: Bool) -> Row {
    var row: Row = [
      ("Z_PK", .integer(number)), ("Z_ENT", mostly(.integer(16002))), ("Z_OPT", mostly(.null)),
      ("ZTIMESTAMP", mostly(.real(743_906_557.824189))), ("ZQUERYGEN", anything()),
      ("ZNEW", mostly(.null)), ("a \"\"quoted\"\" é", mostly(.null)),
    ]
    for role in StringRole.allCases {
      if hasPlainStrings {
        row.append((role.plainColumn, anything()))
        continue
      }
      row.append((role.plainColumn, mostly(.null)))
      let identifier = Int64.random(in: 1...Int64(Self.values.count) + 5, using: &generator)
      row.append((role.identifierColumn, mostly(.integer(identifier))))
    }
    return row
  }

  private mutating func change(_ number: Int64, of transaction: Int64) -> Row {
    let entity = Int64.random(in: 1...10, using: &generator)
    let isDelete = Bool.random(using: &generator)
    var row: Row = [
      ("Z_PK", .integer(number)), ("Z_ENT", mostly(.integer(16001))), ("Z_OPT", mostly(.null)),
      ("ZCHANGETYPE", mostly(.integer(isDelete ? 2 : .random(in: 0...3, using: &generator)))),
      ("ZENTITY", mostly(.integer(isDelete && entity > 5 ? Self.everythingNumber : entity))),
      ("ZENTITYPK", mostly(.integer(number))), ("ZTRANSACTIONID", .integer(transaction)),
      ("ZCOLUMNS", mostly(.blob(mask()))), ("ZLATER", mostly(.null)),
    ]
    let columns = Int.random(in: 0...Self.types.count + 1, using: &generator)
    for slot in 0..<columns {
      let fits = slot < Self.types.count && Bool.random(using: &generator)
      row.append(("ZTOMBSTONE\(slot)", fits ? fitting(Self.types[slot]) : anything()))
    }
    return row
  }

  /// A value that an attribute of a type can have.
  private mutating func fitting(_ type: AttributeType) -> StoredValue {
    let number = Double.random(in: -64_000_000_000...253_000_000_000, using: &generator)
    switch type {
    case .boolean: return .integer(.random(in: 0...1, using: &generator))
    case .date where Bool.random(using: &generator): return .real(number)
    case .date: return .real(number.rounded())
    case .uuid: return .blob((0..<16).map { _ in .random(in: 0...255, using: &generator) })
    case .string, .uri: return .text("Rome \(number)")
    case .decimal, .double, .float: return .real(number / 1e6)
    case .binaryData, .transformable: return .blob([1, 2, 3])
    default: return .integer(Int64(number))
    }
  }

  /// A mask of any length; the slots of the entities take one to three bytes.
  private mutating func mask() -> [UInt8] {
    let count = Bool.random(using: &generator) ? 2 : Int.random(in: 0...40, using: &generator)
    return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
  }

  private mutating func anything() -> StoredValue {
    Self.values[Int.random(in: 0..<Self.values.count, using: &generator)]
  }

  private mutating func mostly(_ value: StoredValue) -> StoredValue {
    Int.random(in: 0..<8, using: &generator) == 0 ? anything() : value
  }
}
