import GRDB

/// The texts of `ATRANSACTIONSTRING`, each read once.
final class InternedStrings {
  /// The maximum number of bytes of text that are kept; then the cache is emptied.
  private static let capacity = 4 << 20
  /// The maximum number of bytes of a text that is kept.
  private static let longestKept = 1 << 16

  private let cursor: StatementCursor?
  /// The numbers of texts that are kept.
  private static let numbers = Int64(0)..<65_536

  /// The text of each number, if there is one; `nil` if it has not been read.
  @exclusivity(unchecked) private var cache: [RecordedText??] = []
  @exclusivity(unchecked) private var cachedBytes = 0

  private let snapshot: StoreSnapshot

  init(_ snapshot: StoreSnapshot, tables: HistoryTables) throws {
    self.snapshot = snapshot
    let database = snapshot.database
    cursor =
      tables.internsStrings
      ? try StatementCursor(database, sql: "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?1")
      : nil
  }

  /// Returns the text with this number, or `nil` if there is none.
  func text(_ identifier: Int64) throws -> RecordedText? {
    let place = Self.numbers.contains(identifier) ? Int(identifier) : nil
    if let place, place < cache.count, let known = cache[place] { return known }
    guard let cursor else { return nil }
    try cursor.bind(identifier)
    defer { cursor.reset() }
    guard try cursor.step() else {
      if let place { keep(nil, at: place) }
      return nil
    }
    if let wait = snapshot.beforeLargeValue, cursor.hasLargeValue {
      cursor.reset()
      try wait()
      guard try cursor.step() else { return nil }
    }
    let text = RecordedText(cursor.value(at: 0))
    if let place { keep(text, at: place) }
    return text
  }

  private func keep(_ text: RecordedText?, at place: Int) {
    guard text.map({ $0.string.utf8.count <= Self.longestKept }) ?? true else { return }
    if cachedBytes > Self.capacity {
      cache.removeAll(keepingCapacity: true)
      cachedBytes = 0
    }
    while cache.count <= place { cache.append(nil) }
    cache[place] = .some(text)
    cachedBytes += text?.string.utf8.count ?? 0
  }
}
