import OpenSwiftData
import TestSupport
import Testing

/// A model that leaves a value of every kind behind.
@Model
final class Keepsake {
  @Attribute(.preserveValueOnDeletion) var grade: Grade
  @Attribute(.preserveValueOnDeletion) var mood: Mood?
  @Attribute(.preserveValueOnDeletion) var noMood: Mood?
  @Attribute(.preserveValueOnDeletion) var rank: Rank
  @Attribute(.preserveValueOnDeletion) var place: Place
  @Attribute(.preserveValueOnDeletion) var maybePlace: Place?
  @Attribute(.preserveValueOnDeletion) var noPlace: Place?
  @Attribute(.preserveValueOnDeletion) var shape: Shape
  @Attribute(.preserveValueOnDeletion) var words: [String]
  @Attribute(.preserveValueOnDeletion) var amount: Decimal
  @Attribute(.preserveValueOnDeletion) var flag: Bool
  @Attribute(.preserveValueOnDeletion) var small: Int8
  @Attribute(.preserveValueOnDeletion) var number: Float
  @Attribute(.preserveValueOnDeletion) var date: Date
  @Attribute(.preserveValueOnDeletion) var data: Data
  @Attribute(.preserveValueOnDeletion) var uuid: UUID
  @Attribute(.preserveValueOnDeletion) var url: URL
  @Attribute(.preserveValueOnDeletion) var title: String
  var unkept: Place

  enum Rank: Int, Codable { case low = 1, high = 9 }

  init() {
    grade = .second
    mood = .bad
    rank = .high
    place = Place(latitude: 41.9, longitude: 12.5, label: "Rome", seen: .distantPast)
    maybePlace = Place(latitude: 1, longitude: 2, label: nil, seen: .distantFuture)
    shape = .circle(radius: 2)
    words = ["a", "b"]
    amount = 3
    flag = true
    small = -8
    number = 1.5
    date = Date(timeIntervalSinceReferenceDate: 743_906_557.824189)
    data = Data([0, 1, 255])
    uuid = UUID()
    url = URL(fileURLWithPath: "/tmp")
    title = "Medal"
    unkept = Place(latitude: 0, longitude: 0, label: nil, seen: .distantPast)
  }
}

/// The same under other names.
enum KeptVersions {
  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Coin.self] }

    @Model
    final class Coin {
      @Attribute(.preserveValueOnDeletion) var grade: Grade
      @Attribute(.preserveValueOnDeletion) var place: Place
      @Attribute(.preserveValueOnDeletion) var title: String

      init(_ title: String) {
        grade = .second
        place = Place(latitude: 1, longitude: 2, label: title, seen: .distantPast)
        self.title = title
      }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Coin.self] }

    @Model
    final class Coin {
      @Attribute(.preserveValueOnDeletion, originalName: "place") var mint: Place
      @Attribute(.preserveValueOnDeletion) var grade: Grade
      @Attribute(.preserveValueOnDeletion) var alloy: Mood?
      var title: String

      init(_ title: String) {
        mint = Place(latitude: 1, longitude: 2, label: title, seen: .distantPast)
        grade = .first
        self.title = title
      }
    }
  }
}

/// What a deleted model leaves behind, whatever it is made of.
@Suite(.bounded) struct PreservedValueTests {
  private func deleted<Model: PersistentModel>(
    _ context: ModelContext, _ type: Model.Type
  ) throws -> [HistoryTombstone<Model>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
      .compactMap { change in
        guard case .delete(let delete as DefaultHistoryDelete<Model>) = change else { return nil }
        return delete.tombstone
      }
  }

  private func keep(_ path: String) throws -> Keepsake {
    let context = ModelContext(
      try ModelContainer(
        for: Keepsake.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
    let kept = Keepsake()
    context.insert(kept)
    try context.save()
    context.delete(kept)
    try context.save()
    return kept
  }

  @Test func `tombstones preserve values of every type`() throws {
    let folder = try TemporaryFolder()
    let kept = try keep(folder.file("K.store"))
    let context = ModelContext(
      try ModelContainer(
        for: Keepsake.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("K.store")))))
    let tombstone = try #require(try deleted(context, Keepsake.self).first)
    #expect(tombstone[\.grade] as? Grade == .second)
    #expect(tombstone[\.mood] as? Mood == .bad && tombstone[\.noMood] == nil)
    #expect(tombstone[\.rank] as? Keepsake.Rank == .high)
    #expect(tombstone[\.place] as? Place == kept.place)
    #expect(tombstone[\.maybePlace] as? Place == kept.maybePlace)
    #expect(tombstone[\.noPlace] == nil && tombstone[\.unkept] == nil)
    #expect(tombstone[\.shape] as? Shape == .circle(radius: 2))
    #expect(tombstone[\.words] as? [String] == ["a", "b"])
    #expect(tombstone[\.amount] as? Decimal == 3 && tombstone[\.flag] as? Bool == true)
    #expect(tombstone[\.small] as? Int8 == -8 && tombstone[\.number] as? Float == 1.5)
    #expect(tombstone[\.date] as? Date == kept.date && tombstone[\.data] as? Data == kept.data)
    #expect(tombstone[\.uuid] as? UUID == kept.uuid && tombstone[\.url] as? URL == kept.url)
    #expect(tombstone[\.title] as? String == "Medal")
    #expect(Array(tombstone).count == 16 && tombstone.preservedValues.count == 16)
  }

  @Test func `histctl names the parts of preserved values`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("K.store")
    _ = try keep(path)
    #expect(try await Tool.histctl.run(["verify", path]).status == 0)
    let run = try await Tool.histctl.run(["log", "--json", "-n", "1", path])
    let line = try #require(run.lines.first)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let change = try #require((object?["changes"] as? [[String: Any]])?.first)
    let tombstone = try #require(change["tombstone"] as? [String: Any])
    #expect(tombstone["grade.grade"] as? String == "second")
    #expect(tombstone["rank.rank"] as? Int == 9)
    #expect(tombstone["place.latitude"] as? Double == 41.9)
    #expect(tombstone["place.label"] as? String == "Rome")
    #expect(tombstone["place.seen"] != nil && tombstone["noPlace.seen"] == nil)
    #expect(tombstone["title"] as? String == "Medal")
  }

  @Test func `parts of preserved values keep their meaning in a migration`() async throws {
    let store = try MigratedStore()
    let place = try store.with(KeptVersions.First.models) { context in
      let coin = KeptVersions.First.Coin("As")
      context.insert(coin)
      try context.save()
      context.delete(coin)
      try context.save()
      return coin.place
    }
    try store.with(KeptVersions.Second.models) { context in
      let tombstone = try #require(try deleted(context, KeptVersions.Second.Coin.self).first)
      #expect(tombstone[\.mint] as? Place == place)
      #expect(tombstone[\.grade] as? Grade == .second)
      #expect(tombstone[\.alloy] == nil && tombstone[\.title] == nil)
    }
    #expect(try await store.problems(KeptVersions.Second.models) == [])
  }
}
