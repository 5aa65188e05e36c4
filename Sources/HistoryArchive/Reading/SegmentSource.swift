import PersistentHistory

/// Opens the segments of one history.
protocol SegmentSource: AnyObject {
  /// A segment, opened once for questions that follow each other.
  func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader
}

/// How many of the newest transactions are asked for their author.
private let mostAsked = 200

extension ArchivedHistory {
  /// Whether one of the newest transactions has an author.
  ///
  /// - Throws: ``ArchiveError``.
  func hasNewestAuthors() throws -> Bool {
    let newest = try transactions(HistoryQuery(order: .descending, limit: mostAsked))
    while let transaction = try newest.nextTransaction() {
      if transaction.author != nil { return true }
    }
    return false
  }
}
