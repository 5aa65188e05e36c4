import StoreFormat

/// Where a store stood when it was looked at.
struct StoreStanding {
  let stamp: StoreStamp
  /// The newest transaction.
  let number: Int64
}

/// What others have done to a store's models.
enum StoreNews {
  /// Nothing that the history tells of.
  case nothing
  /// These models were changed or deleted, and models of these entities were saved.
  case models(
    changed: Set<PersistentIdentifier>, deleted: Set<PersistentIdentifier>,
    entityNames: Set<String>)
  /// More than is worth telling one by one, or more than the history still has.
  case anything
}

extension DefaultStore {
  /// So many changes are told one by one, and so many transactions are looked through for them.
  static let mostNews = 10_000

  /// What was done since a store stood somewhere, without what some transactions did; nil where nobody
  /// has written since.
  ///
  /// - Throws: ``SwiftDataError``.
  func news(
    since last: StoreStanding?, without own: Set<Int64>
  ) throws -> (standing: StoreStanding, news: StoreNews)? {
    try translating {
      let stamp = try file.stamp()
      if let last, last.stamp == stamp { return nil }
      return try file.read { snapshot in
        let newest = try snapshot.highestTransaction()
        let standing = StoreStanding(stamp: stamp, number: newest)
        guard let last else { return (standing, .anything) }
        guard newest > last.number else { return (standing, .nothing) }
        let oldest = try snapshot.oldestTransaction()?.number
        guard (oldest ?? newest.following) <= last.number.following else {
          return (standing, .anything)
        }
        return (standing, try news(in: snapshot, after: last.number, until: newest, without: own))
      }
    }
  }

  private func news(
    in snapshot: StoreSnapshot, after number: Int64, until newest: Int64, without own: Set<Int64>
  ) throws -> StoreNews {
    guard newest - number <= Self.mostNews else { return .anything }
    if (number + 1...newest).allSatisfy(own.contains) { return .nothing }
    let selection = TransactionSelection(after: number, until: newest)
    let transactions = try snapshot.transactions(selection)
    let changes = try snapshot.changes(selection)
    var changed: Set<PersistentIdentifier> = []
    var deleted: Set<PersistentIdentifier> = []
    var names: Set<String> = []
    while try transactions.next() {
      guard !own.contains(transactions.number) else { continue }
      try changes.start(transaction: transactions.number)
      while try changes.next() {
        guard let name = changes.entityNumber.flatMap(snapshot.entities.name),
          let key = changes.primaryKey, let kind = changes.kind
        else { continue }
        names.insert(name)
        let identifier = PersistentIdentifier(
          entityName: name, storeIdentifier: self.identifier, key: .number(key))
        switch kind {
        case .insert: break
        case .update: changed.insert(identifier)
        case .delete: deleted.insert(identifier)
        }
        guard changed.count + deleted.count <= Self.mostNews else { return .anything }
      }
    }
    return .models(
      changed: changed.subtracting(deleted), deleted: deleted, entityNames: names)
  }
}
