import TestSupport
import Testing

@testable import OpenSwiftData

/// Texts are found in others by characters, whether SQLite or Swift looks for them.
@Suite(.bounded) struct TextMeaningTests {
  private static let pieces: [String] = [
    "a", "e", "é", "e\u{301}", "\u{301}", "\r", "\n", "\r\n", "K", "\u{212A}", "👍", "👍🏽",
    "🇩🇪", "\u{1F1E9}", "Å", "\u{212B}", "A\u{30A}", " ",
  ]

  /// What is looked through: pieces, and some of them one behind the other.
  private static var texts: [String] {
    var texts: [String] = [""] + pieces
    for first in pieces {
      for second in pieces {
        texts.append(first + second)
        texts.append("a" + first + second + "e")
      }
    }
    return texts
  }

  private let store: TripStore
  private let context: ModelContext
  private let all: [BucketListItem]

  init() throws {
    store = try TripStore()
    let writer = store.context()
    for text in Self.texts { writer.insert(BucketListItem(title: text)) }
    try writer.save()
    context = store.context()
    all = try store.context().fetch(FetchDescriptor<BucketListItem>())
  }

  private func expectSame(_ predicate: Predicate<BucketListItem>, _ part: String) throws {
    let inSwift = try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
    let own = try #require(store.container.stores.first as? DefaultStore)
    let found = try own.fetchIdentifiers(
      DataStoreFetchRequest(descriptor: FetchDescriptor(predicate: predicate)))
    let name = part.unicodeScalars.map { String($0.value, radix: 16) }
    #expect(Set(found) == Set(inSwift), "\(name)")
  }

  @Test func `a search for a part has the same result in the store and in memory`() throws {
    let parts: [String] = Self.pieces + ["", "a\r", "\na", "aé", "ae\u{301}"]
    for part in parts {
      try expectSame(#Predicate { $0.title.contains(part) }, part)
    }
  }

  @Test func `a search for a prefix has the same result in the store and in memory`() throws {
    let parts: [String] = Self.pieces + ["", "a\r", "a\n", "aé", "ae\u{301}", "\r\na"]
    for part in parts {
      try expectSame(#Predicate { $0.title.starts(with: part) }, part)
    }
  }

  @Test func `unsaved models match like saved ones`() throws {
    let composed = "café"
    let pending = BucketListItem(title: "cafe\u{301}\r\nbar")
    context.insert(pending)
    let predicate = #Predicate<BucketListItem> { $0.title.contains(composed) }
    let none = #Predicate<BucketListItem> { $0.title.contains("cafe") || $0.title.contains("\n") }
    let before = try context.fetch(FetchDescriptor(predicate: none)).count
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)) == [pending])
    try context.save()
    #expect(try context.fetch(FetchDescriptor(predicate: predicate)) == [pending])
    #expect(try context.fetch(FetchDescriptor(predicate: none)).count == before)
  }

  @Test func `nil contains no text`() throws {
    let (left, right) = (Trip(name: "a"), Trip(name: "b"))
    left.notes = "é"
    context.insert(left)
    context.insert(right)
    try context.save()
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.notes?.contains("e\u{301}") == true }))
        == [left])
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.notes?.contains("e") != true })
      ).count == 2)
  }

  /// Equality and order are those of what is written, as in SwiftData's SQL.
  @Test func `equality compares the written text`() throws {
    let composed = "é"
    let found = try context.fetch(
      FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == composed }))
    #expect(found.map { Array($0.title.unicodeScalars) } == [Array("é".unicodeScalars)])
  }
}
