import StoreFormat

/// The relation of the histories of two copies of one store: what they have in common, and what each
/// has of its own since.
///
/// Copies share the store's identifier and number their transactions from the same one on. So a
/// transaction is the same in both if its number and its time are.
package struct StoreComparison: Hashable, Sendable {
  package enum Relation: String, Hashable, Sendable {
    /// Neither has a transaction that the other lacks.
    case same
    /// The first continues where the second ends.
    case firstAhead
    /// The second continues where the first ends.
    case secondAhead
    /// Each has transactions that the other lacks.
    case diverged
  }

  package struct Copy: Hashable, Sendable {
    package let path: String
    package let newest: TransactionPosition?
    /// The number of transactions after the common position.
    package let transactionCount: Int64
    /// The number of transactions that are older than all of the other copy, which has pruned them.
    package let earlierCount: Int64
  }

  package let relation: Relation
  /// The identifier of the store, or `nil` if neither copy has one.
  package let storeIdentifier: String?
  /// The last position up to which the histories are the same; 0 is the beginning.
  package let common: TransactionPosition
  package let first: Copy
  package let second: Copy

  /// Compares two stores. History before the common position that only one of them has is not a
  /// difference: the other has pruned it.
  ///
  /// - Throws: ``HistoryError/differentStores(first:second:)``,
  ///   ``HistoryError/withoutCommonTransaction(first:second:)``, and ``/StoreFormat/StoreError``.
  package init(_ first: StoreSnapshot, _ second: StoreSnapshot) throws {
    let sides = try (ComparedStore(first), ComparedStore(second))
    let identifiers = [first, second].compactMap { $0.metadata.storeIdentifier?.uppercased() }
    guard Set(identifiers).count < 2 else {
      throw HistoryError.differentStores(first: sides.0, second: sides.1)
    }
    guard let common = try Self.lastCommon(first, second, sides) else {
      throw HistoryError.withoutCommonTransaction(first: sides.0, second: sides.1)
    }
    func copy(_ snapshot: StoreSnapshot, beside other: ComparedStore) throws -> Copy {
      Copy(
        path: snapshot.location.path, newest: try snapshot.newestTransaction(),
        transactionCount: try snapshot.transactionCount(after: common.number),
        earlierCount: try other.oldest.map { oldest in
          oldest.number == .min
            ? 0 : try snapshot.transactionCount(after: .min, upTo: oldest.number - 1)
        } ?? 0)
    }
    self.common = common
    self.first = try copy(first, beside: sides.1)
    self.second = try copy(second, beside: sides.0)
    storeIdentifier = first.metadata.storeIdentifier ?? second.metadata.storeIdentifier
    relation =
      switch (self.first.transactionCount > 0, self.second.transactionCount > 0) {
      case (false, false): .same
      case (true, false): .firstAhead
      case (false, true): .secondAhead
      case (true, true): .diverged
      }
  }

  /// Returns the last transaction before the first one that differs.
  private static func lastCommon(
    _ first: StoreSnapshot, _ second: StoreSnapshot, _ sides: (ComparedStore, ComparedStore)
  ) throws -> TransactionPosition? {
    // Without a common transaction, the beginning is common if neither has pruned it.
    let beginning =
      sides.0.startsAtBeginning && sides.1.startsAtBeginning
      ? TransactionPosition(number: 0, timestamp: nil) : nil
    guard let oldest = sides.0.oldest?.number, let otherOldest = sides.1.oldest?.number else {
      return beginning
    }
    // Pruned history cannot be compared.
    let start = max(oldest, otherOldest)
    let positions = try (
      first.transactionPositions(from: start), second.transactionPositions(from: start)
    )
    var common = beginning
    var left = try positions.0.next()
    var right = try positions.1.next()
    while let one = left, let other = right {
      if one.number == other.number {
        guard one.timestamp == other.timestamp else { break }
        common = one
        left = try positions.0.next()
        right = try positions.1.next()
      } else if one.number < other.number {
        left = try positions.0.next()
      } else {
        right = try positions.1.next()
      }
    }
    return common
  }
}

/// One side of a comparison, as errors show it.
public struct ComparedStore: Hashable, Sendable {
  let path: String
  let storeIdentifier: String?
  let oldest: TransactionPosition?
  let newest: TransactionPosition?
  /// Whether nothing of the history has been pruned.
  let startsAtBeginning: Bool

  init(_ snapshot: StoreSnapshot) throws {
    _ = try snapshot.historyTables()
    path = snapshot.location.path
    storeIdentifier = snapshot.metadata.storeIdentifier
    oldest = try snapshot.oldestTransaction()
    newest = try snapshot.newestTransaction()
    startsAtBeginning =
      oldest.map { $0.number <= 1 }
      ?? (snapshot.entities.highestNumber(of: .transaction) == 0)
  }

  /// The range of the history, in words.
  var reach: String {
    guard let oldest, let newest else { return "\(path) has no transactions" }
    return "\(path) has \(oldest.number) to \(newest.number)"
  }
}
