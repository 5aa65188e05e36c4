import Observation
import OpenSwiftData
import TestSupport
import Testing

/// A model with what apps add to theirs.
@Model
final class Chapter {
  var title: String
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  @Transient var store: ModelStore!
  @Transient private var hiddenMark = 0

  /// Observable, though no store keeps it.
  var mark: Int {
    get {
      access(keyPath: \.mark)
      return hiddenMark
    }
    set { withMutation(keyPath: \.mark) { hiddenMark = newValue } }
  }

  init(title: String) { self.title = title }

  func rename(_ name: String) { withMutation(keyPath: \.title) { title = name } }
  func lookAtTitle() { access(keyPath: \.title) }
  var registrar: ObservationRegistrar { _$observationRegistrar }
}

final class ModelStore {}

/// A model that is Codable itself, with relationships to its like.
@Model
final class Folder: Codable {
  var name: String
  var parent: Folder?
  @Relationship(inverse: \Folder.parent) var children: [Folder] = []

  init(name: String, parent: Folder? = nil) {
    self.name = name
    self.parent = parent
  }

  convenience init(from decoder: any Decoder) throws {
    self.init(name: try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@ModelActor
package actor PackageImporter {
  package func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Chapter>()) }
}

@Suite(.bounded) struct ModelMemberTests {
  @Test func `computed and transient properties are observed`() {
    let chapter = Chapter(title: "One")
    #expect(chapter.store == nil)
    let mark = ObservedChange()
    mark.observe { _ = chapter.mark }
    let title = ObservedChange()
    title.observe { _ = chapter.title }
    chapter.mark = 2
    #expect(mark.hasChanged && !title.hasChanged && chapter.mark == 2)
    chapter.rename("Two")
    #expect(title.hasChanged && chapter.title == "Two")
    // Looking through the function is looking at the property.
    let again = ObservedChange()
    again.observe { chapter.lookAtTitle() }
    chapter.title = "Three"
    #expect(again.hasChanged)
    let own = ObservedChange()
    own.observe { chapter.registrar.access(chapter, keyPath: \.mark) }
    chapter.mark = 3
    #expect(own.hasChanged)
  }

  @Test func `models may be codable`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Folder.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("F.store"))))
    let context = ModelContext(container)
    let root = Folder(name: "root")
    context.insert(root)
    let child = Folder(name: "child", parent: root)
    #expect(root.children == [child])
    try context.save()
    let read = try #require(
      try ModelContext(container).fetch(
        FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "child" })
      ).first)
    #expect(read.parent?.name == "root")
    #expect(read.parent?.children.map(\.name) == ["child"])
    var data: any BackingData<Folder> = Folder.createBackingData()
    data.setValue(forKey: \.parent, to: root)
    data.setValue(forKey: \.children, to: [child])
    let (parent, children) = (data.getValue(forKey: \.parent), data.getValue(forKey: \.children))
    #expect(parent == root && children == [child])
  }

  @Test func `an actor of the package has a context`() async throws {
    let container = try ModelContainer(
      for: Chapter.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Chapter(title: "One"))
    try context.save()
    let importer = PackageImporter(modelContainer: container)
    #expect(try await importer.count() == 1)
    #expect(importer.modelExecutor is any SerialModelExecutor)
  }

  @Test func `schemas list the components of attributes`() throws {
    let entity = try #require(Schema([Everything.self]).entity(for: Everything.self))
    let place = try #require(entity.attributesByName["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["latitude", "longitude", "label", "seen"])
    #expect(place.properties.first?.valueType == Double.self)
    #expect(!(entity.attributesByName["string"] is Schema.CompositeAttribute))
    #expect(entity.attributesByName["scratch"]?.defaultValue as? Int == 0)
    #expect(entity.attributesByName["string"]?.defaultValue == nil)
    #expect(Schema.Attribute(.codable).options == [.codable])
  }

  @Test func `descriptors are equal when they ask for the same`() throws {
    func descriptor(_ name: String, limit: Int? = nil) -> FetchDescriptor<Trip> {
      var descriptor = FetchDescriptor<Trip>(
        predicate: #Predicate { trip in
          trip.name == name && trip.bucketList.contains { $0.title == name }
        }, sortBy: [SortDescriptor(\.name)])
      descriptor.fetchLimit = limit
      return descriptor
    }
    #expect(descriptor("Rome") == descriptor("Rome"))
    #expect(descriptor("Rome") != descriptor("Oslo"))
    #expect(descriptor("Rome") != descriptor("Rome", limit: 1))
    #expect(FetchDescriptor<Trip>() == FetchDescriptor<Trip>())
    #expect(FetchDescriptor<Trip>() != descriptor("Rome"))
    let one = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == $0.destination })
    let other = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == $0.name })
    #expect(one == one && one != other)
    let less = FetchDescriptor<Trip>(predicate: #Predicate { $0.name < "a" })
    let more = FetchDescriptor<Trip>(predicate: #Predicate { $0.name > "a" })
    #expect(less != more)
    let names = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in trip.bucketList.contains { $0.title == trip.name } })
    let titles = FetchDescriptor<Trip>(
      predicate: #Predicate { trip in trip.bucketList.contains { $0.title == $0.details } })
    #expect(names != titles)
  }

  @Test func `all data can be deleted by the former method name`() throws {
    let store = try TripStore()
    let context = store.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
    try (self as any FormerNames).deleteEverything(in: store.container)
    #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 0)
  }
}

/// Calls what is deprecated without a warning.
private protocol FormerNames { func deleteEverything(in container: ModelContainer) throws }

extension ModelMemberTests: FormerNames {
  @available(*, deprecated)
  fileprivate func deleteEverything(in container: ModelContainer) { container.deleteAllData() }
}
