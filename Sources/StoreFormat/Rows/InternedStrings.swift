import GRDB

/// The texts of `ATRANSACTIONSTRING`, each read once and then shared.
final class InternedStrings {
  /// How many bytes of text are kept before the cache starts anew.
  private static let capacity = 4 << 20

  private let cursor: StatementCursor?
  @exclusivity(unchecked) private var cache: [Int64: RecordedText?] = [:]
  @exclusivity(unchecked) private var cachedBytes = 0

  init(_ database: Database, tables: HistoryTables) throws {
    cursor =
      tables.internsStrings
      ? try StatementCursor(database, sql: "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?1")
      : nil
  }

  /// The text with this number; nil where there is none.
  func text(_ identifier: Int64) throws -> RecordedText? {
    if let known = cache[identifier] { return known }
    guard let cursor else { return nil }
    try cursor.bind(identifier)
    let text = try cursor.step() ? RecordedText(cursor.value(at: 0)) : nil
    cursor.reset()
    if cachedBytes > Self.capacity || cache.count > 65_536 {
      cache.removeAll(keepingCapacity: true)
      cachedBytes = 0
    }
    cache[identifier] = .some(text)
    cachedBytes += text?.string.utf8.count ?? 0
    return text
  }
}
