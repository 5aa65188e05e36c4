import OpenSwiftData
import TestSupport
import Testing

enum Mood: String, Codable, CaseIterable { case good, bad }

struct Place: Codable, Hashable {
  var latitude: Double
  var longitude: Double
  var label: String?
  var seen: Date
}

enum Shape: Codable, Hashable {
  case circle(radius: Double)
  case square
}

/// An enumeration of which no value can be made out of nothing.
enum Grade: String, Codable { case first, second }

@Model
final class Ticket {
  var grade: Grade

  init(grade: Grade) { self.grade = grade }
}

/// A model with a property of every type that a store keeps.
@Model
final class Everything {
  var flag: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var unsigned: UInt32
  var double: Double
  var float: Float
  var string: String
  var date: Date
  var data: Data
  var uuid: UUID
  var url: URL
  var decimal: Decimal
  var maybeInt: Int?
  var maybeString: String?
  var maybeDate: Date?
  var mood: Mood
  var maybeMood: Mood?
  var place: Place
  var maybePlace: Place?
  var shape: Shape
  var words: [String]
  var places: [Place]
  var scores: [String: Int]
  @Attribute(.ephemeral) var scratch = 0
  var `default`: String

  init() {
    flag = true
    int = -7
    int8 = .min
    int16 = .max
    int32 = .min
    int64 = .max
    unsigned = .max
    double = 0.1
    float = 1.5
    string = "naïve 🚆"
    date = Date(timeIntervalSinceReferenceDate: 743_906_557.824189)
    data = Data([0, 1, 255])
    uuid = UUID(uuidString: "6DA761F8-75C8-4017-892F-CD82AAF9A0B5") ?? UUID()
    url = URL(string: "https://example.com/a?b=c") ?? URL(fileURLWithPath: "/")
    decimal = Decimal(string: "12.34") ?? 0
    mood = .bad
    place = Place(latitude: 41.9, longitude: 12.5, label: nil, seen: .distantPast)
    shape = .circle(radius: 2)
    words = ["a", "b"]
    places = [Place(latitude: 1, longitude: 2, label: "x", seen: .distantFuture)]
    scores = ["one": 1]
    `default` = "keyword"
  }
}

@Suite(.bounded) struct PropertyTypeTests {
  private func open(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Everything.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("All.store")))))
  }

  @Test func `values of every type are read back`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let saved = Everything()
    saved.scratch = 5
    context.insert(saved)
    try context.save()

    let read = try #require(try open(folder).fetch(FetchDescriptor<Everything>()).first)
    #expect(read.flag && read.int == -7 && read.int8 == .min && read.int16 == .max)
    #expect(read.int32 == .min && read.int64 == .max && read.unsigned == .max)
    #expect(read.double == 0.1 && read.float == 1.5 && read.string == "naïve 🚆")
    #expect(read.date.timeIntervalSinceReferenceDate == 743_906_557.824189)
    #expect(read.data == Data([0, 1, 255]) && read.uuid == saved.uuid && read.url == saved.url)
    #expect(read.decimal == Decimal(string: "12.34"))
    #expect(read.maybeInt == nil && read.maybeString == nil && read.maybeDate == nil)
    #expect(read.mood == .bad && read.maybeMood == nil)
    #expect(read.place == saved.place && read.maybePlace == nil && read.shape == saved.shape)
    #expect(read.words == ["a", "b"] && read.places == saved.places && read.scores == ["one": 1])
    #expect(read.default == "keyword")
    // What is ephemeral is not saved.
    #expect(read.scratch == 0 && saved.scratch == 5)
  }

  @Test func `values are stored as the frameworks store them`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    context.insert(Everything())
    try context.save()
    let query = try StoreQuery(path: folder.file("All.store"))
    #expect(
      try query.lines(
        // Elements of the same name are told apart by a digit, in the order of the properties.
        "SELECT ZFLAG, ZINT8, ZDATE, hex(ZDATA), hex(ZUUID), ZURL, ZDECIMAL, ZMOOD, "
          + "ZLATITUDE1, ZLABEL1, CAST(ZWORDS AS TEXT) FROM ZEVERYTHING")
        == [
          "1|-128|743906557.824189|0001FF|6DA761F875C84017892FCD82AAF9A0B5|"
            + "https://example.com/a?b=c|12.34|bad|41.9||[\"a\",\"b\"]"
        ])
    let types = try query.lines(
      "SELECT type FROM pragma_table_info('ZEVERYTHING') WHERE name IN "
        + "('ZFLAG', 'ZDATE', 'ZDATA', 'ZUUID', 'ZURL', 'ZDECIMAL', 'ZDOUBLE', 'ZMOOD') "
        + "ORDER BY name")
    #expect(
      types == ["BLOB", "TIMESTAMP", "DECIMAL", "FLOAT", "INTEGER", "VARCHAR", "VARCHAR", "BLOB"])
    // Nothing of what is ephemeral.
    #expect(
      try query.lines(
        "SELECT count(*) FROM pragma_table_info('ZEVERYTHING') WHERE name = 'ZSCRATCH'") == ["0"])
  }

  @Test func `optionals can be set and cleared`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let model = Everything()
    context.insert(model)
    try context.save()
    model.maybeInt = 5
    model.maybeMood = .good
    model.maybePlace = Place(latitude: 0, longitude: 0, label: "here", seen: .distantPast)
    model.maybeString = "x"
    try context.save()
    let other = try open(folder)
    let read = try #require(try other.fetch(FetchDescriptor<Everything>()).first)
    #expect(read.maybeInt == 5 && read.maybeMood == .good && read.maybePlace?.label == "here")
    read.maybeInt = nil
    read.maybeMood = nil
    read.maybePlace = nil
    read.maybeString = nil
    try other.save()
    let again = try #require(try open(folder).fetch(FetchDescriptor<Everything>()).first)
    #expect(again.maybeInt == nil && again.maybeMood == nil && again.maybePlace == nil)
    #expect(again.maybeString == nil)
  }

  @Test func `NaN is refused`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let model = Everything()
    model.double = .nan
    context.insert(model)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    model.double = 1
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Everything>()) == 1)
  }

  /// A property could not throw when it is asked for, so that reading the model does.
  @Test(arguments: ["'third'", "NULL", "7", "x'00'"])
  func `undecodable values are refused`(_ value: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Tickets.store")
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Ticket.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
    }
    let context = try open()
    context.insert(Ticket(grade: .second))
    try context.save()
    #expect(try open().fetch(FetchDescriptor<Ticket>()).map(\.grade) == [.second])
    try StoreQuery(path: path).run("UPDATE ZTICKET SET ZGRADE = \(value)")
    let error = #expect(throws: SwiftDataError.self) {
      try open().fetch(FetchDescriptor<Ticket>())
    }
    #expect(error?.explanation.contains("Ticket.grade holds what is no Grade") == true)
  }
}
