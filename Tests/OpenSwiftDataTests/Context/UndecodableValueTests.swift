import OpenSwiftData
import TestSupport
import Testing

/// An enumeration of which no list is to be had.
enum Level: String, Codable { case low, high }

/// A structure with a part of few values.
struct Spot: Codable, Hashable {
  var x: Double
  var mood: Mood
}

@Model
final class Box {
  var name: String
  var level: Level
  var mood: Mood
  var tags: [String]
  var spot: Spot
  var small: UInt8
  var shape: Shape
  var rack: Rack?

  init(_ name: String, rack: Rack?) {
    self.name = name
    level = .high
    mood = .bad
    tags = ["a", "b"]
    spot = Spot(x: 1, mood: .bad)
    small = 7
    shape = .circle(radius: 1)
    self.rack = rack
  }
}

@Model
final class Rack {
  var title: String
  var level: Level
  @Relationship(deleteRule: .cascade, inverse: \Box.rack) var boxes: [Box] = []

  init(_ title: String) {
    self.title = title
    level = .low
  }
}

/// A value that is none of its property's type, as a newer version of an app may have saved it, is an
/// error where one can be thrown, and is never written over by accident.
@Suite(.bounded) struct UndecodableValueTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = try open()
    let rack = Rack("Top")
    context.insert(rack)
    for name in ["first", "second", "third"] { context.insert(Box(name, rack: rack)) }
    try context.save()
  }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Box.self, Rack.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("B.store")))))
  }

  private func query() throws -> StoreQuery { try StoreQuery(path: folder.file("B.store")) }

  static let damages = [
    "ZLEVEL = 'purple'", "ZMOOD = 'purple'", "ZTAGS = x'00'", "ZMOOD1 = x'00'", "ZSMALL = 300",
    "ZSHAPE = x'7b7d'", "ZNAME = x'00'",
  ]

  @Test(arguments: damages)
  func `fetching and enumerating throw`(_ damage: String) throws {
    try query().run("UPDATE ZBOX SET \(damage) WHERE ZNAME = 'second'")
    #expect(throws: SwiftDataError.storeFailure) { try open().fetch(FetchDescriptor<Box>()) }
    var names: [String] = []
    #expect(throws: SwiftDataError.storeFailure) {
      try open().enumerate(FetchDescriptor<Box>(sortBy: [SortDescriptor(\Box.small)]), batchSize: 1)
      {
        names.append($0.name)
      }
    }
    #expect(!names.contains("second") && !names.contains("") && names.count <= 2)
    // Others are not concerned.
    let descriptor = FetchDescriptor<Box>(predicate: #Predicate { $0.name == "third" })
    #expect(try open().fetch(descriptor).map(\.level) == [.high])
  }

  @Test(arguments: damages)
  func `nonthrowing reads return all other values`(_ damage: String) throws {
    try query().run("UPDATE ZBOX SET \(damage) WHERE ZNAME = 'second'")
    let rack = try #require(try open().fetch(FetchDescriptor<Rack>()).first)
    #expect(rack.boxes.count == 3)
    var descriptor = FetchDescriptor<Box>()
    descriptor.includePendingChanges = false
    for boxes in [rack.boxes, Array(try open().fetch(descriptor, batchSize: 2))] {
      for box in boxes {
        // Whatever these give, they give something.
        _ = (box.level, box.mood, box.tags, box.spot, box.small, box.shape)
      }
      let damagesName = damage.hasPrefix("ZNAME")
      #expect(
        Set(boxes.map(\.name)) == ["first", damagesName ? "" : "second", "third"], "\(damage)")
      #expect(boxes.allSatisfy { $0.rack?.title == "Top" })
    }
  }

  @Test func `a blank value does not overwrite the stored one`() throws {
    try query().run("UPDATE ZBOX SET ZTAGS = x'00', ZMOOD1 = x'00' WHERE ZNAME = 'second'")
    let before = try query().lines("SELECT ZTAGS, ZMOOD1, ZX FROM ZBOX ORDER BY Z_PK")
    let context = try open()
    let rack = try #require(try context.fetch(FetchDescriptor<Rack>()).first)
    let box = try #require(rack.boxes.first { $0.name == "second" })
    box.tags.append("new")
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .storeFailure)
    #expect(error?.explanation.contains("Box.tags") == true, "\(String(describing: error))")
    context.rollback()
    box.spot.x = 9
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.rollback()
    #expect(try query().lines("SELECT ZTAGS, ZMOOD1, ZX FROM ZBOX ORDER BY Z_PK") == before)
    // What else the model has can be saved, and what nobody has looked at can be set.
    box.small = 8
    try context.save()
    let other = try open()
    let same = try #require(other.model(for: box.persistentModelID) as? Box)
    same.tags = ["mended"]
    same.spot = Spot(x: 2, mood: .good)
    try other.save()
    let read = try open().fetch(FetchDescriptor<Box>(predicate: #Predicate { $0.small == 8 }))
    #expect(read.map(\.tags) == [["mended"]] && read.map(\.spot.mood) == [.good])
  }

  @Test func `a predicate on an undecodable value throws`() throws {
    try query().run("UPDATE ZRACK SET ZLEVEL = 'purple'")
    let context = try open()
    context.insert(Box("fourth", rack: nil))
    let low = Level.low
    let descriptor = FetchDescriptor<Box>(predicate: #Predicate { $0.rack?.level == low })
    #expect(throws: SwiftDataError.storeFailure) { try context.fetch(descriptor) }
    try query().run("UPDATE ZRACK SET ZLEVEL = 'low'")
    #expect(try context.fetch(descriptor).count == 3)
  }

  @Test func `a deleted model is blank`() throws {
    let context = try open()
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Box>())
    try query().run("DELETE FROM ZBOX")
    let other = try open()
    let identifier = try #require(identifiers.first)
    let box = try #require(other.model(for: identifier) as? Box)
    #expect(box.name == "" && box.level == .low && box.mood == .good && box.tags.isEmpty)
    #expect(box.spot == Spot(x: 0, mood: .good) && box.small == 0 && box.rack == nil)
    if case .circle(let radius) = box.shape { #expect(radius == 0) }
  }

  /// What cannot be read at all, such as a damaged page or a store that is busy.
  @Test func `enumerate throws read errors`() throws {
    let query = try query()
    var names: [String] = []
    #expect(throws: SwiftDataError.storeFailure) {
      try open().enumerate(FetchDescriptor<Box>(), batchSize: 1) { box in
        names.append(box.name)
        try query.run("ALTER TABLE ZBOX RENAME TO AWAY")
      }
    }
    #expect(names == ["first"])
    try query.run("ALTER TABLE AWAY RENAME TO ZBOX")
  }

  @Test func `a batch that cannot be read is not saved`() throws {
    let query = try query()
    let context = try open()
    var descriptor = FetchDescriptor<Box>()
    descriptor.includePendingChanges = false
    let boxes = try context.fetch(descriptor, batchSize: 1)
    try query.run("ALTER TABLE ZBOX RENAME TO AWAY")
    let box = boxes[1]
    box.name = box.name.uppercased()
    try query.run("ALTER TABLE AWAY RENAME TO ZBOX")
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.rollback()
    box.name = box.name.uppercased()
    try context.save()
    #expect(try query.lines("SELECT ZNAME FROM ZBOX ORDER BY 1") == ["SECOND", "first", "third"])
  }
}
