import OpenSwiftData
import TestSupport
import Testing

/// Objects that are related stay so, however the relationship is kept.
@Suite(.bounded) struct LinkMigrationTests {
  /// The ways in which boxes can be related to the things in them.
  enum Kind: String, CaseIterable {
    case toManyToOne, manyToMany, toMany, toOne, oneToOne

    var models: [any PersistentModel.Type] {
      switch self {
      case .toManyToOne: [ToManyToOne.Box.self]
      case .manyToMany: [ManyToMany.Box.self]
      case .toMany: [ToMany.Box.self]
      case .toOne: [ToOne.Box.self]
      case .oneToOne: [OneToOne.Box.self]
      }
    }

    /// What box holds what thing, by SQL.
    var pairs: String {
      let things =
        switch self {
        case .toManyToOne: "ZTHING t JOIN ZBOX b ON b.Z_PK = t.ZBOX"
        case .manyToMany:
          "Z_1ITEMS j JOIN ZBOX b ON b.Z_PK = j.Z_1BOXES JOIN ZTHING t ON t.Z_PK = j.Z_2ITEMS"
        case .toMany: "ZTHING t JOIN ZBOX b ON b.Z_PK = t.Z1ITEMS"
        case .toOne: "ZBOX b JOIN ZTHING t ON t.Z_PK = b.ZITEM"
        case .oneToOne: "ZBOX b JOIN ZTHING t ON t.Z_PK = b.ZITEM AND t.ZBOX = b.Z_PK"
        }
      return "SELECT b.ZNAME, t.ZNAME FROM \(things) ORDER BY 1, 2"
    }
  }

  private func fill(_ context: ModelContext, _ kind: Kind) throws {
    for (box, thing) in [("a", "x"), ("b", "y"), ("c", nil)] {
      switch kind {
      case .toManyToOne:
        let model = ToManyToOne.Box(name: box)
        context.insert(model)
        if let thing { model.items = [ToManyToOne.Thing(name: thing)] }
      case .manyToMany:
        let model = ManyToMany.Box(name: box)
        context.insert(model)
        if let thing { model.items = [ManyToMany.Thing(name: thing)] }
      case .toMany:
        let model = ToMany.Box(name: box)
        context.insert(model)
        if let thing { model.items = [ToMany.Thing(name: thing)] }
      case .toOne:
        let model = ToOne.Box(name: box)
        context.insert(model)
        if let thing { model.item = ToOne.Thing(name: thing) }
      case .oneToOne:
        let model = OneToOne.Box(name: box)
        context.insert(model)
        if let thing { model.item = OneToOne.Thing(name: thing) }
      }
    }
    try context.save()
  }

  @Test(arguments: Kind.allCases, Kind.allCases)
  func `relationships of another kind keep their objects`(
    _ before: Kind, _ after: Kind
  ) async throws {
    guard before != after else { return }
    let store = try MigratedStore()
    try store.with(before.models) { try fill($0, before) }
    #expect(try store.lines(before.pairs) == ["a|x", "b|y"])
    try store.open(after.models)
    #expect(try store.lines(after.pairs) == ["a|x", "b|y"])
    #expect(try store.lines("SELECT count(*) FROM ZBOX") == ["3"])
    #expect(try await store.problems(after.models) == [])
  }

  @Test func `several related objects are refused for a to-one relationship`() throws {
    let store = try MigratedStore()
    try store.with(Kind.manyToMany.models) { context in
      let box = ManyToMany.Box(name: "a")
      context.insert(box)
      box.items = [ManyToMany.Thing(name: "x"), ManyToMany.Thing(name: "y")]
      try context.save()
    }
    for kind in [Kind.toOne, Kind.oneToOne] {
      let error = try store.refusal(kind.models)
      #expect("\(error)".contains("Box.item leads to one object at most now"), "\(error)")
      #expect("\(error)".contains("willMigrate"), "\(error)")
    }
    // One box for each thing is enough for these.
    try store.open(Kind.toMany.models)
    try store.open(Kind.manyToMany.models)
    try store.with(Kind.manyToMany.models) { context in
      let thing = try #require(try context.fetch(FetchDescriptor<ManyToMany.Thing>()).first)
      thing.boxes.append(ManyToMany.Box(name: "b"))
      try context.save()
    }
    let hidden = try store.refusal(Kind.toMany.models)
    #expect("\(hidden)".contains("Box.items is to-many without an inverse now"), "\(hidden)")
    let one = try store.refusal(Kind.toManyToOne.models)
    #expect("\(one)".contains("Thing.box leads to one object at most now"), "\(one)")
  }

  @Test func `joining two relationships is refused`() throws {
    let store = try MigratedStore()
    try store.open([Apart.Box.self])
    let error = try store.refusal(Kind.oneToOne.models)
    #expect("\(error)".contains("Box.item has an inverse now that was a relationship of its own"))
  }

  @Test func `relationships to a removed model are removed`() async throws {
    let store = try MigratedStore()
    try store.with(Kind.toManyToOne.models) { try fill($0, .toManyToOne) }
    try store.open([Alone.Thing.self])
    #expect(try store.lines("SELECT ZNAME FROM ZTHING ORDER BY 1") == ["x", "y"])
    #expect(try store.lines("SELECT name FROM sqlite_master WHERE name LIKE '%BOX%'") == [])
    #expect(try await store.problems([Alone.Thing.self]) == [])
    let changes = try await store.changes()
    #expect(changes.allSatisfy { $0.contains(" Thing/") }, "\(changes)")
  }
}

enum ToManyToOne {
  @Model
  final class Box {
    var name: String
    @Relationship(originalName: "item", inverse: \Thing.box) var items: [Thing] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    @Relationship(originalName: "boxes") var box: Box?
    init(name: String) { self.name = name }
  }
}

enum ManyToMany {
  @Model
  final class Box {
    var name: String
    @Relationship(originalName: "item", inverse: \Thing.boxes) var items: [Thing] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    @Relationship(originalName: "box") var boxes: [Box] = []
    init(name: String) { self.name = name }
  }
}

enum ToMany {
  @Model
  final class Box {
    var name: String
    @Relationship(originalName: "item") var items: [Thing] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum ToOne {
  @Model
  final class Box {
    var name: String
    @Relationship(originalName: "items") var item: Thing?
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum OneToOne {
  @Model
  final class Box {
    var name: String
    @Relationship(originalName: "items", inverse: \Thing.box) var item: Thing?
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    @Relationship(originalName: "boxes") var box: Box?
    init(name: String) { self.name = name }
  }
}

/// Two relationships that have nothing to do with each other: each has another inverse.
enum Apart {
  @Model
  final class Box {
    var name: String
    @Relationship(inverse: \Thing.home) var item: Thing?
    @Relationship(inverse: \Thing.box) var contents: [Thing] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Thing {
    var name: String
    var home: Box?
    var box: Box?
    init(name: String) { self.name = name }
  }
}

enum Alone {
  @Model
  final class Thing {
    var name: String
    init(name: String) { self.name = name }
  }
}
