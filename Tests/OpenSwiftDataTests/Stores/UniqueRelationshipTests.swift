import OpenSwiftData
import TestSupport
import Testing

/// Models of which a relationship tells one from the other.
enum Cabinet {
  @Model
  final class Shelf {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Box.shelf) var boxes: [Box] = []

    init(name: String) { self.name = name }
  }

  @Model
  final class Box {
    #Unique<Box>([\.shelf, \.number])

    var shelf: Shelf?
    var number: Int
    var content: String

    init(_ shelf: Shelf?, _ number: Int, _ content: String) {
      self.number = number
      self.content = content
      self.shelf = shelf
    }
  }

  @Model
  final class Seal {
    #Unique<Seal>([\.box])

    var box: Box?
    var text: String

    init(_ box: Box?, _ text: String) {
      self.text = text
      self.box = box
    }
  }

  @Model
  final class Folder {
    #Unique<Folder>([\.name, \.parent])

    var name: String
    var parent: Folder?
    var color: String

    init(_ name: String, in parent: Folder? = nil, _ color: String = "") {
      self.name = name
      self.color = color
      self.parent = parent
    }
  }

  @Model
  class Paper {
    #Unique<Paper>([\.title, \.folder])

    @Attribute(.preserveValueOnDeletion) var title: String
    var folder: Folder?

    init(_ title: String, in folder: Folder?) {
      self.title = title
      self.folder = folder
    }
  }

  @Model
  final class Letter: Paper {
    var sender: String

    init(_ title: String, in folder: Folder?, from sender: String) {
      self.sender = sender
      super.init(title, in: folder)
    }
  }

  /// A store in a folder of its own.
  struct Store {
    let folder: TemporaryFolder
    let container: ModelContainer
    let query: StoreQuery

    init() throws {
      folder = try TemporaryFolder()
      let path = folder.file("C.store")
      container = try ModelContainer(
        for: Shelf.self, Seal.self, Folder.self, Letter.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
      query = try StoreQuery(path: path)
    }

    func context() -> ModelContext { ModelContext(container) }

    /// The changes of the last transaction by entity and kind: 0 for inserts, 1 for updates, 2 for
    /// deletes.
    func lastChanges() throws -> [String] {
      try query.lines(
        """
        SELECT p.Z_NAME, c.ZCHANGETYPE, count(*) FROM ACHANGE AS c JOIN Z_PRIMARYKEY AS p
          ON p.Z_ENT = c.ZENTITY WHERE c.ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)
          GROUP BY 1, 2 ORDER BY 1, 2
        """)
    }

    func boxes() throws -> [String] {
      try query.lines(
        """
        SELECT s.ZNAME, b.ZNUMBER, b.ZCONTENT FROM ZBOX AS b LEFT JOIN ZSHELF AS s
          ON s.Z_PK = b.ZSHELF ORDER BY 1, 2, 3
        """)
    }
  }
}

/// A new model whose unique values have a relationship among them is the one that has them already.
@Suite(.bounded) struct UniqueRelationshipTests {
  private typealias Shelf = Cabinet.Shelf
  private typealias Box = Cabinet.Box
  private typealias Seal = Cabinet.Seal
  private typealias Folder = Cabinet.Folder

  private func shelf(_ name: String, in context: ModelContext) throws -> Shelf {
    try #require(
      try context.fetch(FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test func `a relationship alone can be unique`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let box = Box(nil, 1, "pens")
    let first = Seal(box, "old")
    context.insert(first)
    try context.save()
    let other = store.context()
    let same = try #require(try other.fetch(FetchDescriptor<Box>()).first)
    let second = Seal(same, "new")
    other.insert(second)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(try store.query.lines("SELECT ZTEXT, ZBOX FROM ZSEAL") == ["new|1"])
    #expect(try store.lastChanges() == ["Seal|1|1"])
  }

  @Test func `an attribute and a relationship can be unique together`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let (left, right) = (Shelf(name: "left"), Shelf(name: "right"))
    let first = Box(left, 1, "pens")
    for box in [first, Box(left, 2, "ink"), Box(right, 1, "glue")] { context.insert(box) }
    try context.save()
    let other = store.context()
    let second = Box(try shelf("left", in: other), 1, "chalk")
    let new = Box(try shelf("right", in: other), 2, "tape")
    other.insert(second)
    other.insert(new)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(new.persistentModelID != first.persistentModelID)
    #expect(
      try store.boxes() == ["left|1|chalk", "left|2|ink", "right|1|glue", "right|2|tape"])
    // One shelf gets a box, and the other one has the same as before.
    #expect(try store.lastChanges() == ["Box|0|1", "Box|1|1", "Shelf|1|1"])
    // What the key says has not changed.
    let transaction = try #require(
      try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let updates = transaction.changes.compactMap { change -> DefaultHistoryUpdate<Box>? in
      if case .update(let update) = change { update as? DefaultHistoryUpdate<Box> } else { nil }
    }
    #expect(updates.map { $0.updatedAttributes.map { $0 as PartialKeyPath<Box> } } == [[\.content]])
  }

  @Test func `nil values are not equal`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    for content in ["a", "b"] { context.insert(Box(nil, 1, content)) }
    try context.save()
    context.insert(Box(nil, 1, "c"))
    context.insert(Seal(nil, "x"))
    context.insert(Seal(nil, "y"))
    try context.save()
    #expect(try store.boxes() == ["|1|a", "|1|b", "|1|c"])
    #expect(try store.query.lines("SELECT count(*) FROM ZSEAL") == ["2"])
  }

  @Test func `related models may be new`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let new = Shelf(name: "left")
    // The boxes come before what they are in, and are one.
    let (first, second) = (Box(nil, 1, "pens"), Box(nil, 1, "ink"))
    context.insert(first)
    context.insert(second)
    context.insert(new)
    first.shelf = new
    second.shelf = new
    try context.save()
    #expect(first.persistentModelID == second.persistentModelID)
    #expect(try store.boxes() == ["left|1|ink"])
    #expect(new.boxes.map(\.content) == ["ink"])

    // The shelf is one that is there, and so are the box and its seal.
    context.insert(Seal(first, "old"))
    try context.save()
    let other = store.context()
    let seal = Seal(Box(Shelf(name: "left"), 1, "chalk"), "new")
    let further = Box(seal.box?.shelf, 2, "tape")
    other.insert(seal)
    other.insert(further)
    try other.save()
    #expect(seal.box?.persistentModelID == first.persistentModelID)
    #expect(seal.box?.shelf?.persistentModelID == new.persistentModelID)
    #expect(try store.boxes() == ["left|1|chalk", "left|2|tape"])
    #expect(try store.query.lines("SELECT count(*) FROM ZSHELF") == ["1"])
    #expect(try store.query.lines("SELECT ZTEXT FROM ZSEAL") == ["new"])
    #expect(try store.lastChanges() == ["Box|0|1", "Box|1|1", "Seal|1|1", "Shelf|1|1"])

    // Two new shelves are one, and so are the boxes in them.
    let third = store.context()
    let boxes = (0..<2).map { Box(Shelf(name: "right"), 7, "\($0)") }
    for box in boxes { third.insert(box) }
    try third.save()
    #expect(boxes[0].persistentModelID == boxes[1].persistentModelID)
    #expect(try store.boxes().last == "right|7|1")
    #expect(try store.lastChanges() == ["Box|0|1", "Shelf|0|1"])
  }

  @Test func `models along a path of unique relationships are the existing ones`() throws {
    let store = try Cabinet.Store()
    func path(_ names: [String], _ color: String, in context: ModelContext) -> Folder {
      var folder = Folder("root", in: nil, color)
      // The root has no parent, so that it is told by nothing: the one that is there is taken.
      folder = (try? context.fetch(FetchDescriptor<Folder>()).first { $0.name == "root" }) ?? folder
      for name in names { folder = Folder(name, in: folder, color) }
      context.insert(folder)
      return folder
    }
    let names = (0..<40).map { "\($0 % 3)" }
    let context = store.context()
    let first = path(names, "red", in: context)
    try context.save()
    let other = store.context()
    let second = path(names, "blue", in: other)
    let longer = Folder("leaf", in: second, "green")
    other.insert(longer)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(
      try store.query.lines("SELECT ZCOLOR, count(*) FROM ZFOLDER GROUP BY 1 ORDER BY 1")
        == ["blue|40", "green|1", "red|1"])
    #expect(try store.lastChanges() == ["Folder|0|1", "Folder|1|40"])
  }

  @Test func `models in a circle of unique relationships are saved`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let (first, second) = (Folder("a"), Folder("b"))
    (first.parent, second.parent) = (second, first)
    let third = Folder("c", in: first)
    let own = Folder("own")
    own.parent = own
    for folder in [third, first, second, own] { context.insert(folder) }
    try context.save()
    #expect(
      try store.query.lines(
        """
        SELECT f.ZNAME, p.ZNAME FROM ZFOLDER AS f JOIN ZFOLDER AS p ON p.Z_PK = f.ZPARENT
          ORDER BY 1
        """) == ["a|b", "b|a", "c|a", "own|own"])
  }

  @Test func `subclasses have the unique key of their superclass`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let folder = Folder("mail")
    let first = Cabinet.Letter("offer", in: folder, from: "Ann")
    context.insert(first)
    try context.save()
    let other = store.context()
    let same = try #require(try other.fetch(FetchDescriptor<Folder>()).first)
    let second = Cabinet.Letter("offer", in: same, from: "Bob")
    other.insert(second)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(try store.query.lines("SELECT ZTITLE, ZSENDER FROM ZPAPER") == ["offer|Bob"])
    #expect(try store.lastChanges() == ["Letter|1|1"])
    // A model cannot change its class.
    other.insert(Cabinet.Paper("offer", in: same))
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
  }

  @Test(arguments: [false, true]) func `a unique key that a model leaves is free`(
    besidesADeletion: Bool
  ) throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let (left, right) = (Shelf(name: "left"), Shelf(name: "right"))
    let boxes = [Box(left, 1, "a"), Box(left, 2, "b"), Box(right, 1, "c"), Box(right, 9, "x")]
    for box in boxes { context.insert(box) }
    try context.save()
    // Two change places, and a third one moves on for a new one.
    if besidesADeletion { context.delete(boxes[3]) }
    boxes[0].shelf = right
    boxes[2].shelf = left
    boxes[1].shelf = nil
    context.insert(Box(left, 2, "new"))
    try context.save()
    let rest = besidesADeletion ? [] : ["right|9|x"]
    #expect(try store.boxes() == ["|2|b", "left|1|c", "left|2|new", "right|1|a"] + rest)
    // Both parts change at once.
    boxes[1].shelf = left
    boxes[1].number = 1
    boxes[2].shelf = right
    boxes[0].number = 5
    if besidesADeletion { context.delete(boxes[0]) }
    try context.save()
    #expect(
      try store.boxes() == ["left|1|b", "left|2|new", "right|1|c"]
        + (besidesADeletion ? [] : ["right|5|a"]) + rest)
    // What would be there twice is refused.
    boxes[1].number = 2
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  @Test func `the key of a deleted model is free`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let shelf = Shelf(name: "left")
    let box = Box(shelf, 1, "old")
    let seal = Seal(box, "old")
    context.insert(seal)
    try context.save()
    let number = seal.persistentModelID
    context.delete(seal)
    let new = Seal(box, "new")
    context.insert(new)
    try context.save()
    #expect(new.persistentModelID != number)
    #expect(try store.query.lines("SELECT ZTEXT, ZBOX FROM ZSEAL") == ["new|1"])
    #expect(try store.lastChanges() == ["Seal|0|1", "Seal|2|1"])
    context.delete(box)
    context.insert(Box(shelf, 1, "new"))
    try context.save()
    #expect(try store.boxes() == ["left|1|new"])
  }

  @Test func `the list of the other end has the model once`() throws {
    let store = try Cabinet.Store()
    let context = store.context()
    let shelf = Shelf(name: "left")
    shelf.boxes = [Box(nil, 1, "pens")]
    context.insert(shelf)
    try context.save()
    let again = Box(nil, 1, "ink")
    shelf.boxes.append(again)
    try context.save()
    #expect(shelf.boxes.map(\.content) == ["ink"])
    #expect(try store.boxes() == ["left|1|ink"])
    #expect(again == shelf.boxes.first)
  }
}
