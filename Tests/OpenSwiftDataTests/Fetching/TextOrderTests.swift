import TestSupport
import Testing

@testable import OpenSwiftData

/// Texts are sorted for people, whoever sorts them: SQLite, a context, or a context for a custom
/// store.
@Suite(.bounded) struct TextOrderTests {
  /// Cases, accents, numbers and punctuation, in order.
  private static let words = [
    "", "-", "2", "10", "a", "A", "ä", "Apfel", "Äpfel", "b", "B", "e", "é", "File1", "file2",
    "file10", "n", "ñ", "o", "z", "Zebra", "ア",
  ]
  private static let shuffled = words.enumerated().sorted { left, right in
    (left.offset * 7 % words.count, left.offset) < (right.offset * 7 % words.count, right.offset)
  }.map(\.element)

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for word in Self.shuffled { context.insert(Trip(name: word)) }
    try context.save()
  }

  private func expectOrder(in context: ModelContext) throws {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    #expect(try context.fetch(descriptor).map(\.name) == Self.words)
    descriptor.fetchLimit = 5
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).map(\.name) == Array(Self.words[2..<7]))
    descriptor = FetchDescriptor(sortBy: [SortDescriptor(\.name, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.name) == Self.words.reversed())
  }

  @Test func `saved models are in Foundation's order`() throws {
    let store = try TripStore()
    try fill(store.container)
    try expectOrder(in: store.context())
    // Without an order of its own the same connection still compares bytes.
    #expect(
      try store.context().fetch(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, comparator: .lexical)])
      ).map(\.name) == Self.words.sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) })
    var batched = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    batched.includePendingChanges = false
    #expect(try store.context().fetch(batched, batchSize: 3).map(\.name) == Self.words)
    var names: [String] = []
    try store.context().enumerate(batched, batchSize: 4) { names.append($0.name) }
    #expect(names == Self.words)
  }

  @Test func `saved and new models are in Foundation's order`() throws {
    let store = try TripStore()
    let context = store.context()
    for (number, word) in Self.shuffled.enumerated() {
      if number == Self.words.count / 2 { try context.save() }
      context.insert(Trip(name: word))
    }
    #expect(context.hasChanges)
    try expectOrder(in: context)
  }

  @Test func `models of a custom store are in Foundation's order`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: JournalConfiguration(
        name: "journal", url: URL(fileURLWithPath: folder.file("trips.jsonl"))))
    try fill(container)
    try expectOrder(in: ModelContext(container))
  }

  @Test func `models of several stores are in Foundation's order`() throws {
    let folder = try TemporaryFolder()
    func configuration(_ name: String) -> ModelConfiguration {
      ModelConfiguration(name, url: URL(fileURLWithPath: folder.file(name + ".store")))
    }
    for (name, words) in [("One", Self.shuffled.prefix(9)), ("Other", Self.shuffled.dropFirst(9))] {
      let context = ModelContext(
        try ModelContainer(for: Exercise.self, configurations: configuration(name)))
      for word in words { context.insert(Exercise(name: word, level: 1)) }
      try context.save()
    }
    let both = try ModelContainer(
      for: Exercise.self, configurations: configuration("One"), configuration("Other"))
    #expect(
      try ModelContext(both).fetch(FetchDescriptor<Exercise>(sortBy: [SortDescriptor(\.name)]))
        .map(\.name) == Self.words)
  }

  @Test func `missing texts are first`() throws {
    let store = try TripStore()
    let context = store.context()
    for notes in ["b", nil, "A", "10", "9"] {
      let trip = Trip(name: notes ?? "none")
      trip.notes = notes
      context.insert(trip)
    }
    let forward: [String?] = [nil, "9", "10", "A", "b"]
    for _ in 0..<2 {
      // First in memory, then in SQLite.
      let found = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.notes)]))
      #expect(found.map(\.notes) == forward)
      let reversed = try context.fetch(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.notes, order: .reverse)]))
      #expect(reversed.map(\.notes) == forward.reversed())
      try context.save()
    }
  }

  @Test func `nearly equal texts have one order`() throws {
    // Zeros before a number, forms of a character, and characters that are usually ignored.
    let words = ["1", "01", "001", "a1B", "a01b", "é", "e\u{301}", "a\u{1}b", "ab", "a\u{0}b"]
    let store = try TripStore()
    let context = store.context()
    for word in words { context.insert(Trip(name: word)) }
    let descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    let inMemory = try context.fetch(descriptor).map { Array($0.name.utf8) }
    try context.save()
    #expect(try store.context().fetch(descriptor).map { Array($0.name.utf8) } == inMemory)
  }

  // MARK: - ASCII

  @Test func `ASCII text is compared as Foundation compares it`() {
    var random = SeededGenerator(seed: 21)
    let ascii = String(decoding: (0x20...0x7E).map { UInt8($0) }, as: UTF8.self)
    let pools = [
      ascii, "aAbBzZ", "001289aA", "aA1 -_.'\n\t", "aAé\u{301}1", "019\u{661}２", "aß\u{0}\u{1}z",
    ].map { Array($0.unicodeScalars) }
    var decided = 0
    for _ in 0..<20_000 {
      let pool = pools[Int(random.next() % UInt64(pools.count))]
      func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<(random.next() % 7) {
          text.append(pool[Int(random.next() % UInt64(pool.count))])
        }
        return String(text)
      }
      let (left, right) = (text(), text())
      let result = Array(left.utf8).withUnsafeBytes { left in
        Array(right.utf8).withUnsafeBytes { TextOrder.compareASCII(left, $0) }
      }
      guard let result else { continue }
      decided += 1
      #expect(
        result == TextOrder.compareLocalized(left, right).rawValue,
        "\(left.debugDescription) \(right.debugDescription)")
    }
    #expect(decided > 10_000)
  }

  @Test func `long numbers are left to Foundation`() {
    let number = Array(String(repeating: "9", count: 300).utf8)
    let result = number.withUnsafeBytes { TextOrder.compareASCII($0, $0) }
    #expect(result == nil)
    #expect(
      TextOrder.compare(String(repeating: "9", count: 300), "9") == .orderedDescending)
  }
}
