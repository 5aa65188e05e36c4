import OpenSwiftData
import TestSupport
import Testing

/// Values that have no columns of their own, or more than one form.
private enum Depot {
  enum Carrier: Codable, Equatable {
    case pickup
    case post(code: String, weight: Double)
    case courier(String?)
  }

  struct Size: Codable, Equatable {
    var width: Double
    var height: Double
  }

  /// A structure all of whose members may be `nil`.
  struct Contact: Codable, Equatable {
    var phone: String?
    var floor: Int?
  }

  /// A color that is written as one text, and was once written in parts.
  struct Color: Codable, Equatable {
    var name: String

    private enum CodingKeys: String, CodingKey { case name }

    init(name: String) { self.name = name }

    init(from decoder: any Decoder) throws {
      if let parts = try? decoder.container(keyedBy: CodingKeys.self),
        let name = try? parts.decode(String.self, forKey: .name)
      {
        self.name = name
      } else {
        name = try decoder.singleValueContainer().decode(String.self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(name)
    }
  }

  /// A version that is one text, and refuses a blank one.
  struct Version: Codable, Equatable {
    var major: Int
    var minor: Int

    struct Malformed: Error {}

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    init(from decoder: any Decoder) throws {
      let parts = try decoder.singleValueContainer().decode(String.self).split(separator: ".")
        .compactMap { Int($0) }
      guard parts.count == 2 else { throw Malformed() }
      self.init(parts[0], parts[1])
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode("\(major).\(minor)")
    }
  }

  @Model
  final class Crate {
    @Attribute(.unique) var label: String
    var carrier: Carrier?
    var size: Size
    var contact: Contact?
    @Attribute(.codable) var keptContact: Contact?
    var color: Color
    var secondColor: Color?
    var version: Version
    var firstVersion: Version?

    init(label: String) {
      self.label = label
      size = Size(width: 1, height: 2)
      color = Color(name: "red")
      version = Version(1, 2)
    }
  }
}

@Suite(.bounded) struct UnusualValueTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Depot.store") }

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Depot.Crate.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  private func read() throws -> Depot.Crate {
    try #require(try open().fetch(FetchDescriptor<Depot.Crate>()).first)
  }

  private func lines(_ sql: String) throws -> [String] { try StoreQuery(path: path).lines(sql) }

  /// The attributes that each update in the history names, by histctl.
  private func updates() async throws -> [[String]] {
    let result = try await Tool.histctl.run(["log", "--json", "--reverse", path])
    return try result.lines.flatMap { line in
      let transaction = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return (transaction["changes"] as? [[String: Any]] ?? [])
        .filter { $0["kind"] as? String == "update" }.map { $0["attributes"] as? [String] ?? [] }
    }
  }

  @Test
  func
    `an optional enumeration with associated values comes back while history is read between saves`()
    async throws
  {
    let context = try open()
    let crate = Depot.Crate(label: "a")
    context.insert(crate)
    try context.save()
    #expect(crate.carrier == nil)
    let values: [Depot.Carrier?] = [
      .post(code: "X1", weight: 2.5), .pickup, .courier(nil), .courier("Ann"), nil,
      .post(code: "X2", weight: 0),
    ]
    var token = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    for value in values {
      crate.carrier = value
      try context.save()
      let last = token
      let history = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
      #expect(history.count == 1)
      token = try #require(history.last?.token)
      guard
        case .update(let update as DefaultHistoryUpdate<Depot.Crate>)? = history.first?.changes
          .first
      else {
        Issue.record("\(history)")
        return
      }
      #expect(update.updatedAttributes == [\Depot.Crate.carrier])
      #expect(crate.carrier == value)
      #expect(try read().carrier == value)
    }
    crate.size.height = 9
    try context.save()
    #expect(try read().size == Depot.Size(width: 1, height: 9))
    #expect(
      try await updates() == Array(repeating: ["carrier"], count: values.count) + [["size"]])
    #expect(try lines("SELECT ZWIDTH, ZHEIGHT, ZCARRIER IS NULL FROM ZCRATE") == ["1.0|9.0|0"])
  }

  @Test func `an optional structure without values is nil, unless it is stored as JSON`() throws {
    let context = try open()
    let crate = Depot.Crate(label: "a")
    context.insert(crate)
    try context.save()
    #expect(try read().contact == nil)
    #expect(try read().keptContact == nil)
    crate.contact = Depot.Contact()
    crate.keptContact = Depot.Contact()
    try context.save()
    #expect(try lines("SELECT ZPHONE IS NULL, ZFLOOR IS NULL FROM ZCRATE") == ["1|1"])
    #expect(try read().contact == nil)
    #expect(try read().keptContact == Depot.Contact())
    for contact in [Depot.Contact(phone: nil, floor: 3), Depot.Contact(phone: "1", floor: nil)] {
      crate.contact = contact
      crate.keptContact = contact
      try context.save()
      #expect(try read().contact == contact)
      #expect(try read().keptContact == contact)
    }
    crate.contact = nil
    crate.keptContact = nil
    try context.save()
    #expect(try read().contact == nil)
    #expect(try read().keptContact == nil)
  }

  @Test func `a type that writes one text comes back, whatever else it can read`() async throws {
    let context = try open()
    let crate = Depot.Crate(label: "a")
    context.insert(crate)
    try context.save()
    crate.color = Depot.Color(name: "blue")
    crate.secondColor = Depot.Color(name: "")
    crate.version = Depot.Version(3, 4)
    crate.firstVersion = Depot.Version(0, 1)
    try context.save()
    let again = try read()
    #expect(again.color == Depot.Color(name: "blue"))
    #expect(again.secondColor == Depot.Color(name: ""))
    #expect(again.version == Depot.Version(3, 4))
    #expect(again.firstVersion == Depot.Version(0, 1))
    #expect(try lines("SELECT CAST(ZCOLOR AS TEXT), ZVERSION FROM ZCRATE") == ["\"blue\"|3.4"])
    #expect(
      try await updates().map { $0.sorted() } == [
        ["color", "firstVersion", "secondColor", "version"]
      ])
  }
}
