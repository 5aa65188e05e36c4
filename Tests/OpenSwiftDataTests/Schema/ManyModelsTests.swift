import OpenSwiftData
import TestSupport
import Testing

/// A container of as many models as those of large apps.
@Suite(.bounded) struct ManyModelsTests {
  @Test func `51 models are saved, fetched, changed and deleted, each in a table of its own`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("Parts.store")
    // The others belong to it because each leads to the next one.
    func open() throws -> ModelContext {
      let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
      return ModelContext(try ModelContainer(for: Part1.self, configurations: configuration))
    }
    func fetch<Model: PersistentModel & Part>(_ type: Model.Type) throws -> [any Part] {
      try context.fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(\Model.persistentModelID)]))
    }
    func add<Model: PersistentModel & Part>(_ type: Model.Type, _ number: Int) {
      let model = type.init()
      model.number = number
      context.insert(model)
    }
    var context = try open()
    for (place, type) in parts.enumerated() {
      for copy in 0..<3 { add(type, place * 10 + copy) }
    }
    try context.save()

    context = try open()
    for (place, type) in parts.enumerated() {
      let found = try fetch(type)
      #expect(found.map(\.number) == [0, 1, 2].map { place * 10 + $0 })
      found[1].number = -1
    }
    try #require(try fetch(Part1.self).first as? Part1).next =
      try fetch(Part2.self).first as? Part2
    try #require(try fetch(Part50.self).first as? Part50).next =
      try fetch(Part51.self).first as? Part51
    try context.save()

    context = try open()
    let first = try #require(try fetch(Part1.self).first as? Part1)
    #expect(first.next?.number == 10)
    for type in parts {
      let found = try fetch(type)
      #expect(found[1].number == -1)
      if let last = found.last as? any PersistentModel { context.delete(last) }
    }
    try context.save()

    let query = try StoreQuery(path: path)
    for place in parts.indices {
      #expect(
        try query.lines("SELECT ZNUMBER FROM ZPART\(place + 1) ORDER BY Z_PK")
          == ["\(place * 10)", "-1"])
    }
    #expect(try query.lines("SELECT Z_PK, ZNEXT FROM ZPART50 ORDER BY 1") == ["1|1", "2|"])
    #expect(
      try query.lines(
        """
        SELECT ZTRANSACTIONID, ZCHANGETYPE, count(*), count(DISTINCT ZENTITY) FROM ACHANGE
        GROUP BY 1, 2 ORDER BY 1
        """) == ["1|0|153|51", "2|1|53|51", "3|2|51|51"])
    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    #expect(Set(changes.map(\.changedPersistentIdentifier.entityName)).count == 51)
    let verified = try await Tool.histctl.run(["verify", "--full", path])
    #expect(verified.status == 0, "\(verified.errors)")
  }
}

private protocol Part: AnyObject {
  init()
  var number: Int { get set }
}

private let parts: [any (PersistentModel & Part).Type] = [
  Part1.self, Part2.self, Part3.self, Part4.self, Part5.self, Part6.self, Part7.self, Part8.self,
  Part9.self, Part10.self, Part11.self, Part12.self, Part13.self, Part14.self, Part15.self,
  Part16.self, Part17.self, Part18.self, Part19.self, Part20.self, Part21.self, Part22.self,
  Part23.self, Part24.self, Part25.self, Part26.self, Part27.self, Part28.self, Part29.self,
  Part30.self, Part31.self, Part32.self, Part33.self, Part34.self, Part35.self, Part36.self,
  Part37.self, Part38.self, Part39.self, Part40.self, Part41.self, Part42.self, Part43.self,
  Part44.self, Part45.self, Part46.self, Part47.self, Part48.self, Part49.self, Part50.self,
  Part51.self,
]

@Model private final class Part1: Part {
  var number = 0
  var next: Part2?
  init() {}
}

@Model private final class Part2: Part {
  var number = 0
  var next: Part3?
  init() {}
}

@Model private final class Part3: Part {
  var number = 0
  var next: Part4?
  init() {}
}

@Model private final class Part4: Part {
  var number = 0
  var next: Part5?
  init() {}
}

@Model private final class Part5: Part {
  var number = 0
  var next: Part6?
  init() {}
}

@Model private final class Part6: Part {
  var number = 0
  var next: Part7?
  init() {}
}

@Model private final class Part7: Part {
  var number = 0
  var next: Part8?
  init() {}
}

@Model private final class Part8: Part {
  var number = 0
  var next: Part9?
  init() {}
}

@Model private final class Part9: Part {
  var number = 0
  var next: Part10?
  init() {}
}

@Model private final class Part10: Part {
  var number = 0
  var next: Part11?
  init() {}
}

@Model private final class Part11: Part {
  var number = 0
  var next: Part12?
  init() {}
}

@Model private final class Part12: Part {
  var number = 0
  var next: Part13?
  init() {}
}

@Model private final class Part13: Part {
  var number = 0
  var next: Part14?
  init() {}
}

@Model private final class Part14: Part {
  var number = 0
  var next: Part15?
  init() {}
}

@Model private final class Part15: Part {
  var number = 0
  var next: Part16?
  init() {}
}

@Model private final class Part16: Part {
  var number = 0
  var next: Part17?
  init() {}
}

@Model private final class Part17: Part {
  var number = 0
  var next: Part18?
  init() {}
}

@Model private final class Part18: Part {
  var number = 0
  var next: Part19?
  init() {}
}

@Model private final class Part19: Part {
  var number = 0
  var next: Part20?
  init() {}
}

@Model private final class Part20: Part {
  var number = 0
  var next: Part21?
  init() {}
}

@Model private final class Part21: Part {
  var number = 0
  var next: Part22?
  init() {}
}

@Model private final class Part22: Part {
  var number = 0
  var next: Part23?
  init() {}
}

@Model private final class Part23: Part {
  var number = 0
  var next: Part24?
  init() {}
}

@Model private final class Part24: Part {
  var number = 0
  var next: Part25?
  init() {}
}

@Model private final class Part25: Part {
  var number = 0
  var next: Part26?
  init() {}
}

@Model private final class Part26: Part {
  var number = 0
  var next: Part27?
  init() {}
}

@Model private final class Part27: Part {
  var number = 0
  var next: Part28?
  init() {}
}

@Model private final class Part28: Part {
  var number = 0
  var next: Part29?
  init() {}
}

@Model private final class Part29: Part {
  var number = 0
  var next: Part30?
  init() {}
}

@Model private final class Part30: Part {
  var number = 0
  var next: Part31?
  init() {}
}

@Model private final class Part31: Part {
  var number = 0
  var next: Part32?
  init() {}
}

@Model private final class Part32: Part {
  var number = 0
  var next: Part33?
  init() {}
}

@Model private final class Part33: Part {
  var number = 0
  var next: Part34?
  init() {}
}

@Model private final class Part34: Part {
  var number = 0
  var next: Part35?
  init() {}
}

@Model private final class Part35: Part {
  var number = 0
  var next: Part36?
  init() {}
}

@Model private final class Part36: Part {
  var number = 0
  var next: Part37?
  init() {}
}

@Model private final class Part37: Part {
  var number = 0
  var next: Part38?
  init() {}
}

@Model private final class Part38: Part {
  var number = 0
  var next: Part39?
  init() {}
}

@Model private final class Part39: Part {
  var number = 0
  var next: Part40?
  init() {}
}

@Model private final class Part40: Part {
  var number = 0
  var next: Part41?
  init() {}
}

@Model private final class Part41: Part {
  var number = 0
  var next: Part42?
  init() {}
}

@Model private final class Part42: Part {
  var number = 0
  var next: Part43?
  init() {}
}

@Model private final class Part43: Part {
  var number = 0
  var next: Part44?
  init() {}
}

@Model private final class Part44: Part {
  var number = 0
  var next: Part45?
  init() {}
}

@Model private final class Part45: Part {
  var number = 0
  var next: Part46?
  init() {}
}

@Model private final class Part46: Part {
  var number = 0
  var next: Part47?
  init() {}
}

@Model private final class Part47: Part {
  var number = 0
  var next: Part48?
  init() {}
}

@Model private final class Part48: Part {
  var number = 0
  var next: Part49?
  init() {}
}

@Model private final class Part49: Part {
  var number = 0
  var next: Part50?
  init() {}
}

@Model private final class Part50: Part {
  var number = 0
  var next: Part51?
  init() {}
}

@Model private final class Part51: Part {
  var number = 0
  init() {}
}
