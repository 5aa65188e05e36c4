import OpenSwiftData
import TestSupport
import Testing

/// Classes join a hierarchy, and leave it.
@Suite(.bounded) struct InheritanceMigrationTests {
  @Test func `a migration adds and removes classes of a hierarchy`() async throws {
    let store = try MigratedStore()
    try store.with(Zoo1.models) { context in
      let rex = Zoo1.Dog(name: "Rex")
      rex.trick = "roll"
      let keeper = Zoo1.Keeper(name: "Ann")
      keeper.pet = rex
      context.insert(keeper)
      context.insert(Zoo1.Animal(name: "Bo"))
      try context.save()
    }
    // A class before the others, so that all numbers move, and attributes at both levels.
    try store.with(Zoo2.models) { context in
      let keeper = try #require(try context.fetch(FetchDescriptor<Zoo2.Keeper>()).first)
      let rex = try #require(keeper.pet as? Zoo2.Dog)
      #expect(rex.skill == "roll")
      #expect(rex.legs == 4)
      #expect(rex.isLoud)
      #expect(try context.fetchCount(FetchDescriptor<Zoo2.Animal>()) == 2)
      #expect(try context.fetchCount(FetchDescriptor<Zoo2.Dog>()) == 1)
      keeper.pet = Zoo2.Cat(name: "Tom")
      try context.save()
    }
    #expect(
      try store.lines("SELECT ZNAME, ZLEGS, ZISLOUD, ZSKILL FROM ZANIMAL ORDER BY 1") == [
        "Bo|4||", "Rex|4|1|roll", "Tom|4||",
      ])
    #expect(try await store.problems(Zoo2.models) == [])
    // Without cats there is none, and nothing leads to one.
    try store.open(Zoo3.models)
    #expect(try store.lines("SELECT ZNAME FROM ZANIMAL ORDER BY 1") == ["Bo", "Rex"])
    #expect(try store.lines("SELECT ZNAME, ZPET FROM ZKEEPER") == ["Ann|"])
    #expect(try await store.problems(Zoo3.models) == [])
    let changes = try await store.changes()
    #expect(!changes.contains { $0.contains("Cat") })
    #expect(changes.contains { $0.hasPrefix("insert Dog/") })
    // A class that leaves its hierarchy would need another table.
    let error = try store.refusal(Zoo4.models)
    #expect("\(error)".contains("Dog inherits from an entity of another table"), "\(error)")
  }
}

enum Zoo1 {
  static var models: [any PersistentModel.Type] { [Keeper.self, Dog.self] }

  @Model
  class Animal {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Dog: Animal {
    var trick: String?
    override init(name: String) { super.init(name: name) }
  }

  @Model
  final class Keeper {
    var name: String
    var pet: Animal?
    init(name: String) { self.name = name }
  }
}

enum Zoo2 {
  static var models: [any PersistentModel.Type] { [Keeper.self, Dog.self, Cat.self] }

  @Model
  class Animal {
    var name: String
    var legs: Int = 4
    init(name: String) { self.name = name }
  }

  @Model
  final class Cat: Animal {
    override init(name: String) { super.init(name: name) }
  }

  @Model
  final class Dog: Animal {
    @Attribute(originalName: "trick") var skill: String?
    var isLoud: Bool = true
    override init(name: String) { super.init(name: name) }
  }

  @Model
  final class Keeper {
    var name: String
    var pet: Animal?
    init(name: String) { self.name = name }
  }
}

enum Zoo3 {
  static var models: [any PersistentModel.Type] { [Keeper.self, Dog.self] }

  @Model
  class Animal {
    var name: String
    var legs: Int = 4
    init(name: String) { self.name = name }
  }

  @Model
  final class Dog: Animal {
    var skill: String?
    var isLoud: Bool = true
    override init(name: String) { super.init(name: name) }
  }

  @Model
  final class Keeper {
    var name: String
    var pet: Animal?
    init(name: String) { self.name = name }
  }
}

enum Zoo4 {
  static var models: [any PersistentModel.Type] { [Keeper.self, Dog.self] }

  @Model
  final class Animal {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Dog {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Keeper {
    var name: String
    var pet: Animal?
    init(name: String) { self.name = name }
  }
}
