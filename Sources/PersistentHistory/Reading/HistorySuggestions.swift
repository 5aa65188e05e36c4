import StoreEditing
import StoreFormat

/// Values of a store to choose from while a command line is being typed.
///
/// Every list is short and costs the same on a history of any length, so it may leave out what is
/// rare or old.
package struct HistorySuggestions {
  /// The most values that a list has.
  package static let limit = 200

  private let snapshot: StoreSnapshot
  private let bookmarkPath: String

  /// Suggestions from one snapshot of a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store.
  package init(snapshot: StoreSnapshot, bookmarkPath: String? = nil) {
    self.snapshot = snapshot
    self.bookmarkPath =
      bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
  }

  /// Authors, bundles, processes or contexts, in alphabetical order.
  package func texts(_ role: StringRole) throws -> [String] {
    try snapshot.names(role, limit: Self.limit)
      .filter { $0.malformedBytes == nil }
      .map(\.string)
      .sorted()
  }

  /// The entities of the store, in alphabetical order.
  package func entities() -> [String] {
    let names = snapshot.entities.modelEntries.lazy.compactMap {
      snapshot.entities.name(of: $0.number)
    }
    return Array(names.sorted().prefix(Self.limit))
  }

  /// The attributes and relationships that an update can touch, in alphabetical order.
  package func attributes() throws -> [String] {
    var names: Set<String> = []
    for entity in try HistorySchema(snapshot).entities where names.count < Self.limit {
      names.formUnion(entity.slots?.slots.map(\.name) ?? [])
    }
    return Array(names.sorted().prefix(Self.limit))
  }

  /// The objects that changed last, the newest first.
  package func objects() throws -> [HistoryObject] {
    let reader = try newestTransactions()
    var known: Set<HistoryObject> = []
    var objects: [HistoryObject] = []
    while try reader.nextTransaction() != nil, objects.count < Self.limit {
      // One save may have changed a million objects.
      for _ in 0..<Self.limit {
        guard let change = try reader.nextChange() else { break }
        guard let entity = change.entity?.name, let primaryKey = change.primaryKey else { continue }
        let object = HistoryObject(entityName: entity, primaryKey: primaryKey)
        if known.insert(object).inserted { objects.append(object) }
      }
    }
    return Array(objects.prefix(Self.limit))
  }

  /// The newest transactions, without their changes, the newest first.
  package func transactions() throws -> [HistoryTransaction] {
    let reader = try newestTransactions()
    var transactions: [HistoryTransaction] = []
    while let transaction = try reader.nextTransaction() { transactions.append(transaction) }
    return transactions
  }

  /// The bookmarks, by name.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)``.
  package func bookmarks() throws(HistoryError) -> [Bookmark] {
    Array(try BookmarkFile(path: bookmarkPath).bookmarks.prefix(Self.limit))
  }

  /// Needs the names of entities only, so the model is not unpacked for it.
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
