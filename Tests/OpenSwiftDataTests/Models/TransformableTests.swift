import OpenSwiftData
import TestSupport
import Testing

/// A colour that is not codable.
struct Colour: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
}

/// The same as an object.
final class Paint: Equatable {
  let name: String
  init(name: String) { self.name = name }
  static func == (left: Paint, right: Paint) -> Bool { left.name == right.name }
}

final class ColourTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? {
    guard let colour = value as? Colour else { return nil }
    return Data([colour.red, colour.green, colour.blue])
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 3 else { return nil }
    return Colour(red: data[0], green: data[1], blue: data[2])
  }
}

final class PaintTransformer: ValueTransformer {
  static let name = NSValueTransformerName(rawValue: "PaintTransformer")

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Paint).map { NSData(data: Data($0.name.utf8)) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Paint(name: String(decoding: $0, as: UTF8.self)) }
  }

  static func register() { ValueTransformer.setValueTransformer(PaintTransformer(), forName: name) }
}

@Model
final class Wall {
  var name: String
  @Attribute(.transformable(by: ColourTransformer.self), .preserveValueOnDeletion)
  var colour: Colour
  @Attribute(.transformable(by: ColourTransformer.self)) var trim: Colour? = nil
  @Attribute(.transformable(by: "PaintTransformer")) var paint: Paint?

  init(name: String, colour: Colour, paint: Paint? = nil) {
    self.name = name
    self.colour = colour
    self.paint = paint
  }
}

/// Attributes whose values transformers make data of.
@Suite(.bounded) struct TransformableTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Walls.store") }
  private static let red = Colour(red: 255, green: 1, blue: 2)
  private static let blue = Colour(red: 0, green: 0, blue: 255)

  init() throws {
    folder = try TemporaryFolder()
    PaintTransformer.register()
  }

  private func context(allowsSave: Bool = true) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Wall.self,
        configurations: ModelConfiguration(
          url: URL(fileURLWithPath: path), allowsSave: allowsSave)))
  }

  @Test func `values are stored as transformed data`() async throws {
    let context = try context()
    let wall = Wall(name: "north", colour: Self.red, paint: Paint(name: "lime"))
    context.insert(wall)
    context.insert(Wall(name: "south", colour: Self.blue))
    try context.save()
    let sqlite = try #require(Tool("sqlite3"))
    let rows = try await sqlite.run([
      path,
      "SELECT ZNAME, hex(ZCOLOUR), typeof(ZTRIM), typeof(ZPAINT), ZPAINT FROM ZWALL ORDER BY 1",
    ])
    #expect(rows.lines == ["north|FF0102|null|blob|lime", "south|0000FF|null|null|"])
    let columns = try StoreQuery(path: path).lines(
      "SELECT name, type FROM pragma_table_info('ZWALL') WHERE type = 'BLOB' ORDER BY 1")
    #expect(columns == ["ZCOLOUR|BLOB", "ZPAINT|BLOB", "ZTRIM|BLOB"])

    let other = try self.context()
    let found = try other.fetch(FetchDescriptor<Wall>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.colour) == [Self.red, Self.blue])
    #expect(found.map(\.trim) == [nil, nil])
    #expect(found.map(\.paint) == [Paint(name: "lime"), nil])
    found[0].trim = Self.blue
    found[0].paint = nil
    try other.save()
    let third = try self.context(allowsSave: false)
    let north = try #require(
      try third.fetch(FetchDescriptor<Wall>(predicate: #Predicate { $0.name == "north" })).first)
    #expect(north.trim == Self.blue)
    #expect(north.paint == nil)
    let verify = try await Tool.histctl.run(["verify", path])
    #expect(verify.status == 0, "\(verify.text)\(verify.errors)")
  }

  @Test func `the model of the store names the transformers`() async throws {
    _ = try context()
    let python = try #require(Tool("python3"))
    let script = """
      import plistlib, sqlite3, sys, zlib
      cache = sqlite3.connect(sys.argv[1]).execute('SELECT Z_CONTENT FROM Z_MODELCACHE').fetchone()
      objects = plistlib.loads(zlib.decompress(cache[0], -15))['$objects']
      for entry in objects:
        if isinstance(entry, dict) and entry.get('NSAttributeType') == 1800:
          print(*[objects[entry[key].data] for key in (
            'NSPropertyName', 'NSValueTransformerName', 'NSAttributeValueClassName')])
      """
    let result = try await python.run(["-c", script, path])
    let own = String(reflecting: ColourTransformer.self)
    #expect(
      result.lines.sorted() == [
        "colour \(own) Colour", "paint PaintTransformer Paint", "trim \(own) Colour",
      ], "\(result.errors)")
    guard let oracle = RealStores.oracle else { return }
    let decoded = try await python.run([oracle, path])
    #expect(decoded.status == 0, "\(decoded.errors)")
  }

  @Test func `history keeps a preserved value`() throws {
    let context = try context()
    let wall = Wall(name: "north", colour: Self.red)
    context.insert(wall)
    try context.save()
    wall.colour = Self.blue
    try context.save()
    context.delete(wall)
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    guard case .update(let update as DefaultHistoryUpdate<Wall>) = transactions[1].changes[0],
      case .delete(let deletion as DefaultHistoryDelete<Wall>) = transactions[2].changes[0]
    else {
      Issue.record("\(transactions)")
      return
    }
    #expect(update.updatedAttributes == [\Wall.colour])
    #expect(deletion.tombstone[\.colour] as? Colour == Self.blue)
  }

  @Test func `predicates can only compare a transformable value with nil`() throws {
    let context = try context()
    context.insert(Wall(name: "north", colour: Self.red, paint: Paint(name: "lime")))
    context.insert(Wall(name: "south", colour: Self.blue))
    try context.save()
    let other = try self.context()
    let bare = try other.fetch(
      FetchDescriptor<Wall>(predicate: #Predicate { $0.paint == nil }))
    #expect(bare.map(\.name) == ["south"])
  }

  @Test func `transformable values can be rolled back and read in other contexts`() throws {
    let first = try context()
    let wall = Wall(name: "north", colour: Self.red)
    first.insert(wall)
    try first.save()
    wall.colour = Self.blue
    first.rollback()
    #expect(wall.colour == Self.red)
    let second = try context()
    try #require(try second.fetch(FetchDescriptor<Wall>()).first).colour = Self.blue
    try second.save()
    _ = try first.fetch(FetchDescriptor<Wall>())
    #expect(wall.colour == Self.blue)
  }

  // MARK: - Mistakes

  @Test func `missing and failing transformers are errors`() throws {
    let context = try context()
    let wall = Wall(name: "north", colour: Self.red, paint: Paint(name: "lime"))
    context.insert(wall)
    try context.save()
    try StoreQuery(path: path).run("UPDATE ZWALL SET ZCOLOUR = x'00'")
    let error = try #require(throws: SwiftDataError.self) {
      try self.context().fetch(FetchDescriptor<Wall>())
    }
    #expect(error == .storeFailure)
    for word in ["Wall.colour", "ColourTransformer", "nothing", "Colour"] {
      #expect(error.explanation.contains(word), "\(error.explanation)")
    }
  }

  @Test(arguments: BrokenPaints.Kind.allCases)
  func `saving reports transformer errors`(_ kind: BrokenPaints.Kind) throws {
    let container = try ModelContainer(
      for: BrokenPaints.Broken.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let broken = BrokenPaints.Broken()
    switch kind {
    case .missing: broken.missing = Paint(name: "lime")
    case .nothing: broken.nothing = Paint(name: "lime")
    case .text: broken.text = Paint(name: "lime")
    case .oneWay: broken.oneWay = Paint(name: "lime")
    }
    context.insert(broken)
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    for word in ["Broken.\(kind)"] + kind.words {
      #expect(error.explanation.contains(word), "\(error.explanation)")
    }
    context.rollback()
    try context.save()
  }

  #if !canImport(ObjectiveC)
  @Test func `transformers are found by name`() {
    let name = NSValueTransformerName("TransformableTests.test")
    #expect(ValueTransformer(forName: name) == nil)
    let transformer = ColourTransformer()
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer(forName: name) === transformer)
    #expect(ColourTransformer(forName: name) === transformer)
    #expect(PaintTransformer(forName: name) == nil)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    #expect(ValueTransformer().transformedValue(1) == nil)
  }
  #endif
}

/// Transformers that do not do what they must.
enum BrokenPaints {
  enum Kind: String, CaseIterable, Sendable {
    case missing, nothing, text, oneWay

    var words: [String] {
      switch self {
      case .missing: ["NoSuchTransformer", "register it"]
      case .nothing: ["NothingTransformer", "nothing of the value"]
      case .text: ["TextTransformer", "String", "instead of Data"]
      case .oneWay: ["OneWayTransformer", "reverse"]
      }
    }
  }

  final class NothingTransformer: ValueTransformer {}

  final class TextTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { "lime" }
  }

  final class OneWayTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { Data() }
  }

  @Model
  final class Broken {
    @Attribute(.transformable(by: "NoSuchTransformer")) var missing: Paint?
    @Attribute(.transformable(by: NothingTransformer.self)) var nothing: Paint?
    @Attribute(.transformable(by: TextTransformer.self)) var text: Paint?
    @Attribute(.transformable(by: OneWayTransformer.self)) var oneWay: Paint?
    init() {}
  }
}
