import OpenSwiftData
import TestSupport
import Testing

/// A figure that decodes other parts for each kind.
struct Figure: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable { case circle, square }

  var kind: Kind
  var size: Double

  init(kind: Kind, size: Double) {
    self.kind = kind
    self.size = size
  }

  private enum CodingKeys: String, CodingKey { case kind, radius, side }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    kind = try container.decode(Kind.self, forKey: .kind)
    size = try container.decode(Double.self, forKey: kind == .circle ? .radius : .side)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(size, forKey: kind == .circle ? .radius : .side)
  }
}

/// A link that has a title only where it says so.
struct Link: Codable, Hashable {
  var isTitled: Bool
  var title: String

  init(title: String?) {
    isTitled = title != nil
    self.title = title ?? ""
  }

  private enum CodingKeys: String, CodingKey { case isTitled, title }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isTitled = try container.decode(Bool.self, forKey: .isTitled)
    title = isTitled ? try container.decode(String.self, forKey: .title) : ""
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isTitled, forKey: .isTitled)
    if isTitled { try container.encode(title, forKey: .title) }
  }
}

/// A number that is written in one of two ways, of which decoding tries the first one first.
struct Reading: Codable, Hashable {
  var whole: Int?
  var text: String?

  init(whole: Int? = nil, text: String? = nil) {
    self.whole = whole
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    whole = try container.decodeIfPresent(Int.self, forKey: .whole)
    if whole == nil { text = try container.decodeIfPresent(String.self, forKey: .text) }
  }
}

/// A structure all of whose members may be nil.
struct Address: Codable, Hashable {
  var street: String?
  var city: String?
}

@Model
final class Drawing {
  var figure: Figure
  var link: Link
  var address: Address
  var maybeAddress: Address?
  var reading: Reading
  var place: Place

  init() {
    figure = Figure(kind: .circle, size: 1)
    link = Link(title: nil)
    address = Address()
    reading = Reading(whole: 1)
    place = Place(latitude: 1, longitude: 2, label: nil, seen: .distantPast)
  }
}

/// Nothing of a structure is lost between a property and its columns without a word.
@Suite(.bounded) struct CompositeValueTests {
  private func open(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Drawing.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("D.store")))))
  }

  private func read(_ folder: TemporaryFolder) throws -> Drawing {
    try #require(try open(folder).fetch(FetchDescriptor<Drawing>()).first)
  }

  @Test func `a type whose parts depend on each other is read back`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let drawing = Drawing()
    drawing.figure = Figure(kind: .square, size: 7)
    drawing.link = Link(title: "Forum")
    context.insert(drawing)
    try context.save()
    #expect(try read(folder).figure == Figure(kind: .square, size: 7))
    #expect(try read(folder).link == Link(title: "Forum"))
    drawing.figure = Figure(kind: .circle, size: 8)
    drawing.link = Link(title: nil)
    try context.save()
    #expect(try read(folder).figure == Figure(kind: .circle, size: 8))
    #expect(try read(folder).link == Link(title: nil))
  }

  @Test func `a part without a column is refused`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let drawing = Drawing()
    context.insert(drawing)
    try context.save()
    #expect(try read(folder).reading == Reading(whole: 1))
    drawing.reading = Reading(text: "one")
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation.contains("Drawing.reading") == true, "\(String(describing: error))")
    #expect(error?.explanation.contains("text") == true, "\(String(describing: error))")
    // Nor does a column hold what is no number.
    drawing.reading = Reading(whole: 2)
    drawing.place.latitude = .nan
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    drawing.place.latitude = 3
    try context.save()
    #expect(try read(folder).place.latitude == 3)
  }

  @Test func `a structure of nil values is read back`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let drawing = Drawing()
    context.insert(drawing)
    try context.save()
    #expect(try read(folder).address == Address())
    #expect(try read(folder).maybeAddress == nil)
    drawing.address.city = "Rome"
    try context.save()
    #expect(try read(folder).address == Address(street: nil, city: "Rome"))
    drawing.address = Address()
    try context.save()
    #expect(try read(folder).address == Address())
  }

  @Test func `a blank structure has nil for optional parts`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let drawing = Drawing()
    context.insert(drawing)
    try context.save()
    let other = try open(folder)
    let read = try #require(try other.fetch(FetchDescriptor<Drawing>()).first)
    let gone = try #require(read.modelContext?.model(for: drawing.id) as? Drawing)
    try StoreQuery(path: folder.file("D.store")).run("DELETE FROM ZDRAWING")
    let blank = try open(folder).model(for: gone.id)
    #expect((blank as? Drawing)?.address == Address())
  }
}
