import OpenSwiftData
import TestSupport
import Testing

@Model
final class Player {
  var name: String
  var age: Int
  var nick: String?

  init(name: String, age: Int, nick: String?) {
    self.name = name
    self.age = age
    self.nick = nick
  }
}

/// Values stand in a statement where they are meant.
@Suite(.bounded) struct ArgumentOrderTests {
  @Test func `a list with nil is compared with its values in order`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Player.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("P.store"))))
    let context = ModelContext(container)
    let nicks = ["a", "b", nil, "18"]
    for (index, nick) in nicks.enumerated() {
      for age in [17.5, 18.5] {
        context.insert(Player(name: "\(index) \(Int(age))", age: Int(age + 0.5), nick: nick))
      }
    }
    try context.save()
    let limit = 18
    let list: [String?] = [nil, "a"]
    let predicate = #Predicate<Player> { list.contains($0.age > limit ? $0.nick : nil) }
    let all = try ModelContext(container).fetch(FetchDescriptor<Player>())
    let inSwift = try all.filter { try predicate.evaluate($0) }.map(\.name).sorted()
    #expect(inSwift.count == 6)
    let other = ModelContext(container)
    #expect(
      try other.fetch(FetchDescriptor<Player>(predicate: predicate)).map(\.name).sorted()
        == inSwift)
    let fallback = "a"
    let names = #Predicate<Player> { list.contains($0.age > limit ? $0.nick : fallback) }
    #expect(
      try other.fetch(FetchDescriptor<Player>(predicate: names)).map(\.name).sorted()
        == all.filter { try names.evaluate($0) }.map(\.name).sorted())
  }
}
