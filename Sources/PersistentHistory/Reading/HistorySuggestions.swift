import StoreFormat

/// Values of a store for the completion of a command line.
///
/// Every list is short and takes the same time for a history of any length, so rare or old values
/// may be missing.
package struct HistorySuggestions {
  /// The maximum number of values in a list.
  package static let limit = 200

  private let snapshot: StoreSnapshot
  private let bookmarkPath: String

  /// - Parameter bookmarkPath: The file of bookmarks; `nil` for the one beside the store.
  package init(snapshot: StoreSnapshot, bookmarkPath: String? = nil) {
    self.snapshot = snapshot
    self.bookmarkPath =
      bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
  }

  /// Returns authors, bundles, processes or contexts in alphabetical order.
  package func texts(_ role: StringRole) throws -> [String] {
    try snapshot.names(role, limit: Self.limit)
      .filter { $0.malformedBytes == nil }
      .map(\.string)
      .sorted()
  }

  /// Returns the entities of the store in alphabetical order.
  package func entities() -> [String] {
    let names = snapshot.entities.modelEntries.lazy.compactMap {
      snapshot.entities.name(of: $0.number)
    }
    return Array(names.sorted().prefix(Self.limit))
  }

  /// Returns the attributes and relationships that updates can touch, in alphabetical order.
  ///
  /// - Parameter wanted: The names of entities; if the store has none of them, those of all are returned.
  package func attributes(of wanted: Set<String> = []) throws -> [String] {
    var names: Set<String> = []
    let entities = try HistorySchema(snapshot).entities
    let chosen = entities.filter { $0.name.map(wanted.contains) ?? false }
    for entity in chosen.isEmpty ? entities : chosen where names.count < Self.limit {
      names.formUnion(entity.slots?.slots.map(\.name) ?? [])
    }
    return Array(names.sorted().prefix(Self.limit))
  }

  /// Returns the objects that changed last, the newest first.
  package func objects() throws -> [HistoryObject] {
    let reader = try newestTransactions()
    var known: Set<HistoryObject> = []
    var objects: [HistoryObject] = []
    while try reader.nextTransaction() != nil, objects.count < Self.limit {
      // One save may change a million objects.
      for _ in 0..<Self.limit {
        guard let change = try reader.nextChange() else { break }
        guard let entity = change.entity?.name, let primaryKey = change.primaryKey else { continue }
        let object = HistoryObject(entityName: entity, primaryKey: primaryKey)
        if known.insert(object).inserted { objects.append(object) }
      }
    }
    return Array(objects.prefix(Self.limit))
  }

  /// Returns the newest transactions without their changes, the newest first.
  package func transactions() throws -> [HistoryTransaction] {
    let reader = try newestTransactions()
    var transactions: [HistoryTransaction] = []
    while let transaction = try reader.nextTransaction() { transactions.append(transaction) }
    return transactions
  }

  /// Returns the bookmarks by name.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)``.
  package func bookmarks() throws(HistoryError) -> [Bookmark] {
    Array(try BookmarkFile(path: bookmarkPath).bookmarks.prefix(Self.limit))
  }

  /// Only names of entities are needed, so the model is not unpacked.
  private func newestTransactions() throws -> HistoryReader {
    let entities = snapshot.entities.modelEntries.map {
      HistoryEntity(name: snapshot.entities.name(of: $0.number), number: $0.number)
    }
    return try HistoryReader(
      snapshot: snapshot,
      query: HistoryQuery(order: .descending, limit: Self.limit, limitKeepsNewest: true),
      schema: HistorySchema(entities: entities))
  }
}
