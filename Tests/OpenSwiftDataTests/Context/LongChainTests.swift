import OpenSwiftData
import TestSupport
import Testing

/// Chains and lists of many models.
@Suite(.bounded) struct LongChainTests {
  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = ModelContext(
      try ModelContainer(
        for: ChainLink.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Chain.store")))))
  }

  @Test func `a chain of any length is inserted and deleted`() throws {
    let count = 100_000
    let links = (0..<count).map { ChainLink(number: $0) }
    for (link, next) in zip(links, links.dropFirst()) { link.next = next }
    context.insert(links[0])
    #expect(context.insertedModelsArray.count == count)
    #expect(links[1].previous === links[0])
    #expect(links[count - 1].previous === links[count - 2])
    context.delete(links[0])
    #expect(!context.hasChanges)
    #expect(links[count - 1].modelContext == nil)
  }

  @Test func `delete rules are followed in order`() throws {
    let links = (0..<4).map { ChainLink(number: $0) }
    for (link, next) in zip(links, links.dropFirst()) { link.next = next }
    context.insert(links[0])
    try context.save()
    context.delete(links[1])
    #expect(context.deletedModelsArray.compactMap { ($0 as? ChainLink)?.number } == [3, 2, 1])
    #expect(links[0].next == nil)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<ChainLink>()).map(\.number) == [0])
  }

  @Test func `a long list has each model once`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    let items = (0..<100).map { BucketListItem(title: "\($0)") }
    for item in items {
      item.trip = rome
      rome.notes = item.title
      item.trip = rome
    }
    items[50].trip = nil
    #expect(rome.bucketList.count == 99)
    items[50].trip = rome
    items[50].trip = rome
    #expect(
      rome.bucketList.map(\.title) == ((0..<50).map { "\($0)" } + (51..<100).map { "\($0)" }) + [
        "50"
      ])
    rome.bucketList = Array(items.prefix(40))
    items[40].trip = rome
    items[0].trip = nil
    #expect(rome.bucketList.map(\.title) == (1...40).map { "\($0)" })
    try context.save()

    // The same where the list was not read.
    let other = store.context()
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    let more = (0..<40).map { BucketListItem(title: "more \($0)") }
    for item in more {
      item.trip = same
      item.trip = same
    }
    more[20].trip = nil
    more[20].trip = same
    let first = try #require(
      try other.fetch(FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "1" }))
        .first)
    first.trip = nil
    #expect(same.bucketList.count == 79)
    try other.save()
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT count(*) FROM ZBUCKETLISTITEM WHERE ZTRIP IS NOT NULL") == ["79"])
  }
}

@Model
final class ChainLink {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \ChainLink.previous) var next: ChainLink?
  var previous: ChainLink?

  init(number: Int) { self.number = number }
}
