import OpenSwiftData
import TestSupport
import Testing

// Versions of one app's models have classes of the same names. Only in the last one is one of them a
// kind of the other.

enum GarageV1 {
  @Model
  final class Vehicle {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Lorry {
    var axles: Int
    init(axles: Int) { self.axles = axles }
  }
}

enum GarageV2 {
  @Model
  final class Vehicle {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Lorry {
    var wheels: Int
    init(wheels: Int) { self.wheels = wheels }
  }
}

enum GarageV3 {
  @Model
  final class Vehicle {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Lorry {
    var load: Double
    init(load: Double) { self.load = load }
  }
}

enum GarageV4 {
  @Model
  class Vehicle {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model
  final class Lorry: Vehicle {
    var tonnes: Double
    init(name: String, tonnes: Double) {
      self.tonnes = tonnes
      super.init(name: name)
    }
  }
}

/// What a store means by a model's name is what its own schema means.
@Suite(.bounded) struct SameNamesTests {
  private static func open(_ folder: TemporaryFolder) throws -> ModelContainer {
    // The classes of the other versions are known to the process.
    _ = [
      Schema([GarageV1.Vehicle.self, GarageV1.Lorry.self]),
      Schema([GarageV2.Vehicle.self, GarageV2.Lorry.self]),
      Schema([GarageV3.Vehicle.self, GarageV3.Lorry.self]),
    ]
    return try ModelContainer(
      for: GarageV4.Vehicle.self, GarageV4.Lorry.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("G.store"))))
  }

  @Test func `models of subclasses are found by identifier`() throws {
    let folder = try TemporaryFolder()
    let container = try Self.open(folder)
    let context = ModelContext(container)
    let lorry = GarageV4.Lorry(name: "lorry", tonnes: 7.5)
    context.insert(lorry)
    context.insert(GarageV4.Vehicle(name: "bicycle"))
    try context.save()
    let identifier = lorry.persistentModelID
    let wanted: Set<PersistentIdentifier> = [identifier]
    let other = ModelContext(container)
    #expect(
      try other.fetch(
        FetchDescriptor<GarageV4.Vehicle>(
          predicate: #Predicate { wanted.contains($0.persistentModelID) })
      ).map(\.name) == ["lorry"])
    #expect(
      try other.fetchCount(
        FetchDescriptor<GarageV4.Vehicle>(
          predicate: #Predicate { $0.persistentModelID == identifier })) == 1)
  }

  @Test func `snapshots are decoded as the models of the store`() throws {
    let folder = try TemporaryFolder()
    let container = try Self.open(folder)
    let context = ModelContext(container)
    context.insert(GarageV4.Lorry(name: "lorry", tonnes: 7.5))
    try context.save()
    let store = try DefaultStore(
      ModelConfiguration(
        schema: container.schema, url: URL(fileURLWithPath: folder.file("G.store"))))
    let snapshot = try #require(
      try store.fetch(
        DataStoreFetchRequest(
          editingState: context.editingState, descriptor: FetchDescriptor<GarageV4.Lorry>())
      ).fetchedSnapshots.first)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(snapshot)
    let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(try encoder.encode(decoded) == data)
    #expect(String(decoding: data, as: UTF8.self).contains("tonnes"))
  }
}
