import OpenSwiftData
import TestSupport
import Testing

@Model
final class Share {
  var part: Double
  var whole: Double

  init(_ part: Double, of whole: Double) {
    self.part = part
    self.whole = whole
  }
}

/// SQLite has no infinity to give, so that divisions by what may be 0 are worked out in memory.
@Suite(.bounded) struct DivisionTests {
  @Test func `divisions have the same result in the store and in memory`() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Share.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("S.store")))))
    for (part, whole) in [(4.0, 2.0), (1, 2), (1, 0), (-1, 0), (0, 0)] {
      context.insert(Share(part, of: whole))
    }
    try context.save()
    let zero = 0.0
    let predicates: [Predicate<Share>] = [
      #Predicate { $0.part / $0.whole > 1 }, #Predicate { !($0.part / $0.whole > 1) },
      #Predicate { $0.part / $0.whole == $0.part / $0.whole }, #Predicate { $0.part / zero > 1 },
      #Predicate { $0.part / 2 > 1 }, #Predicate { 1 / $0.whole > 0 },
    ]
    for (number, predicate) in predicates.enumerated() {
      let descriptor = FetchDescriptor(predicate: predicate)
      let all = try context.fetch(FetchDescriptor<Share>())
      let wanted = try all.filter { try predicate.evaluate($0) }.map(\.part)
      #expect(try context.fetch(descriptor).map(\.part) == wanted, "\(number)")
      #expect(try context.fetchCount(descriptor) == wanted.count, "\(number)")
    }
  }
}
