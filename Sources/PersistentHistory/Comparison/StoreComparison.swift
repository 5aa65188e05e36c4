import StoreFormat

/// How the histories of two copies of one store relate: up to where they are the same, and what each
/// has of its own since.
///
/// A copy of a file keeps the store's identifier, and both go on counting their transactions from the
/// same number. So the identifier says that two files were the same store once; that a transaction is
/// the same in both is told by its number together with its time.
package struct StoreComparison: Hashable, Sendable {
  /// How the histories relate.
  package enum Relation: String, Hashable, Sendable {
    /// Neither has a transaction that the other lacks.
    case same
    /// The first goes on where the second ends.
    case firstAhead
    /// The second goes on where the first ends.
    case secondAhead
    /// Each has transactions that the other lacks: they went separate ways.
    case diverged
  }

  /// One of the two.
  package struct Copy: Hashable, Sendable {
    /// The path of the store.
    package let path: String
    /// The newest transaction; nil in an empty history.
    package let newest: TransactionPosition?
    /// How many transactions there are behind the common position.
    package let transactionCount: Int64
    /// How many transactions it keeps that are older than all of the other copy, which has pruned them.
    package let earlierCount: Int64
  }

  /// How the histories relate.
  package let relation: Relation
  /// The identifier of the store; nil where neither copy has one.
  package let storeIdentifier: String?
  /// The last position up to which the histories are the same; 0 is the beginning.
  package let common: TransactionPosition
  /// The first copy.
  package let first: Copy
  /// The second copy.
  package let second: Copy

  /// Compares two stores.
  ///
  /// What only one of them still keeps from the time before the common position makes no difference: the
  /// other has pruned it, and ``Copy/earlierCount`` tells how much.
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

  /// The last transaction before the first number under which the two hold different ones.
  private static func lastCommon(
    _ first: StoreSnapshot, _ second: StoreSnapshot, _ sides: (ComparedStore, ComparedStore)
  ) throws -> TransactionPosition? {
    // Without a transaction in common, only a beginning that both still have is.
    let beginning =
      sides.0.startsAtBeginning && sides.1.startsAtBeginning
      ? TransactionPosition(number: 0, timestamp: nil) : nil
    guard let oldest = sides.0.oldest?.number, let otherOldest = sides.1.oldest?.number else {
      return beginning
    }
    // What one of them has pruned cannot be compared.
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

/// A store as messages on a comparison tell of it.
public struct ComparedStore: Hashable, Sendable {
  /// The path of the store.
  public let path: String
  /// The identifier of the store.
  public let storeIdentifier: String?
  /// The oldest transaction; nil in an empty history.
  public let oldest: TransactionPosition?
  /// The newest transaction; nil in an empty history.
  public let newest: TransactionPosition?
  /// Whether nothing of the history has been pruned.
  public let startsAtBeginning: Bool

  /// Looks at a store.
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

  /// What is kept of the history, in words.
  var reach: String {
    guard let oldest, let newest else { return "\(path) keeps no transaction" }
    return "\(path) keeps \(oldest.number) to \(newest.number)"
  }
}
