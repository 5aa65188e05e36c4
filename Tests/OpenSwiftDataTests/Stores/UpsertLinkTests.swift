import OpenSwiftData
import TestSupport
import Testing

@Model
final class Band {
  @Attribute(.unique) var name: String
  var founded: Int
  var label: Label?
  @Relationship(deleteRule: .cascade, inverse: \Disc.band) var discs: [Disc] = []
  @Relationship(inverse: \Genre.bands) var genres: [Genre] = []
  var fans: [Fan] = []

  init(name: String, founded: Int) {
    self.name = name
    self.founded = founded
  }

  @Model
  final class Label {
    var name: String
    init(name: String) { self.name = name }
  }
}

@Model
final class Disc {
  var title: String
  var band: Band?
  init(title: String) { self.title = title }
}

@Model
final class Genre {
  var name: String
  var bands: [Band] = []
  init(name: String) { self.name = name }
}

@Model
final class Fan {
  var name: String
  init(name: String) { self.name = name }
}

/// A new model with the unique values of an existing one keeps the links that it does not mention.
@Suite(.bounded) struct UpsertLinkTests {
  @Test(arguments: [true, false])
  func `an existing model keeps relationships that the new one does not set`(_ isKnown: Bool) throws
  {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Band.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("B.store"))))
    let first = ModelContext(container)
    let band = Band(name: "Can", founded: 1967)
    band.label = Band.Label(name: "Spoon")
    band.discs = [Disc(title: "Tago Mago"), Disc(title: "Ege Bamyasi")]
    band.genres = [Genre(name: "Krautrock")]
    band.fans = [Fan(name: "Ann")]
    first.insert(band)
    try first.save()

    let context = isKnown ? first : ModelContext(container)
    let again = Band(name: "Can", founded: 1968)
    context.insert(again)
    again.discs.append(Disc(title: "Future Days"))
    try context.save()
    for context in [context, ModelContext(container)] {
      let bands = try context.fetch(FetchDescriptor<Band>())
      #expect(bands.count == 1)
      let band = try #require(bands.first)
      #expect(band.founded == 1968)
      #expect(band.label?.name == "Spoon")
      #expect(Set(band.discs.map(\.title)) == ["Tago Mago", "Ege Bamyasi", "Future Days"])
      #expect(band.genres.map(\.name) == ["Krautrock"])
      #expect(band.fans.map(\.name) == ["Ann"])
    }
  }
}
