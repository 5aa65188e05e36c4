import Foundation
import PersistentHistory
import StoreEditing
import StoreFormat
import StoreTransactions

extension DefaultStore: HistoryProviding {
  /// The type of the store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of a token.
  public typealias TokenType = DefaultHistoryToken

  // MARK: - Fetching

  /// Returns the transactions that match a descriptor, oldest first unless it names another order.
  ///
  /// Changes of models that are not in the schema are omitted, because they have no type.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` for history after a token whose transaction
  ///   is gone, or with a token of another store; ``SwiftDataError/unsupportedPredicate``;
  ///   ``SwiftDataError/storeFailure``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try HistoryNarrowing.checkTokens(of: descriptor, stores: [identifier])
    return try transactions(descriptor)
  }

  /// Fetches history for a container, some token of which may name only its other stores.
  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    return try translating {
      try file.read { snapshot in
        try check(narrowing.positions, snapshot)
        guard !narrowing.isEmpty else { return [] }
        guard let order = Self.recordedOrder(descriptor.sortBy) else {
          return try sortedHistory(descriptor, narrowing, in: snapshot)
        }
        var query = narrowing.query
        query.order = order
        if descriptor.includesChanges { query.recordedValues = try recordedValues(snapshot) }
        let maker = try maker(snapshot, query)
        let predicate = narrowing.isExact ? nil : descriptor.predicate
        var transactions: [DefaultHistoryTransaction] = []
        while let transaction = try maker.next(includesChanges: descriptor.includesChanges) {
          guard try Self.meets(transaction, predicate) else { continue }
          transactions.append(transaction)
          if transactions.count == descriptor.limit { break }
        }
        return transactions
      }
    }
  }

  /// Returns the number of transactions that match a descriptor (not in SwiftData).
  ///
  /// Changes are read only for a predicate that looks at them or that the store cannot evaluate.
  ///
  /// - Throws: The same errors as ``fetchHistory(_:)``.
  public func fetchHistoryCount(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Int {
    try HistoryNarrowing.checkTokens(of: descriptor, stores: [identifier])
    return try transactionCount(descriptor)
  }

  func transactionCount(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Int {
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    guard narrowing.isExact else {
      var counted = descriptor
      counted.sortBy = []
      return try transactions(counted).count
    }
    return try translating {
      try file.read { snapshot in
        try check(narrowing.positions, snapshot)
        guard !narrowing.isEmpty else { return 0 }
        let reader = try HistoryReader(snapshot: snapshot, query: narrowing.query)
        var count = 0
        while count < descriptor.limit ?? .max, try reader.nextTransaction() != nil { count += 1 }
        return count
      }
    }
  }

  func maker(
    _ snapshot: StoreSnapshot, _ query: HistoryQuery,
    _ entities: PersistentHistory.HistorySchema? = nil
  ) throws -> TransactionMaker {
    TransactionMaker(
      reader: try HistoryReader(snapshot: snapshot, query: query, schema: entities),
      schema: schema, storeIdentifier: identifier)
  }

  func recordedValues(_ snapshot: StoreSnapshot) throws -> RecordedValues? {
    guard configuration.recordsValues else { return nil }
    return try RecordedValues(beside: snapshot, readsLog: false, busyTimeout: Self.busyTimeout)
  }

  static func meets(
    _ transaction: DefaultHistoryTransaction, _ predicate: Predicate<DefaultHistoryTransaction>?
  ) throws -> Bool {
    guard let predicate else { return true }
    do {
      return try predicate.evaluate(transaction)
    } catch {
      throw SwiftDataError(.unsupportedPredicate, "the predicate cannot be evaluated: \(error)")
    }
  }

  // MARK: - Deleting

  /// Deletes the oldest transactions, up to the first one that does not match a descriptor.
  ///
  /// A history has no holes: the first transaction that does not match stays, and so do all after
  /// it. Transactions also stay that a reader with a bookmark or CloudKit's mirror still needs, as
  /// in `histctl prune`. The tokens of deleted transactions expire.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``, also if it is not known how far CloudKit's mirror
  ///   has read or if the store is damaged, and the errors of ``fetchHistory(_:)``.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try HistoryNarrowing.checkTokens(of: descriptor, stores: [identifier])
    try deleteTransactions(descriptor)
  }

  func deleteTransactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    _ = try writable()
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    guard !narrowing.isEmpty else { return }
    let last = try translating {
      try file.read { try lastTransaction(descriptor, narrowing, in: $0) }
    }
    if let last, last < .max { try eraseHistory(before: last + 1) }
  }

  /// Returns the last of the oldest transactions that all match, or `nil` if the oldest does not.
  private func lastTransaction(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ narrowing: HistoryNarrowing,
    in snapshot: StoreSnapshot
  ) throws -> Int64? {
    guard let oldest = try snapshot.oldestTransaction(), oldest.number > narrowing.after ?? .min
    else { return nil }
    if narrowing.isExact, narrowing.author.isEmpty, descriptor.limit == nil {
      return min(narrowing.until ?? .max, try snapshot.newestTransaction()?.number ?? oldest.number)
    }
    let maker = try maker(snapshot, HistoryQuery(until: narrowing.until))
    let includesChanges = descriptor.includesChanges && narrowing.mayNeedChanges
    var (last, count): (Int64?, Int) = (nil, 0)
    while count < descriptor.limit ?? .max,
      let transaction = try maker.next(includesChanges: includesChanges),
      try Self.meets(transaction, descriptor.predicate)
    {
      last = transaction.transactionIdentifier
      count += 1
    }
    return last
  }

  /// Deletes all transactions before a number that the guards of pruning let go, and returns how
  /// many.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``, also if a guard refuses. What is left is a whole
  ///   history, and the same call continues.
  @discardableResult
  func eraseHistory(before number: Int64) throws -> Int {
    let editor = try writable()
    return try translating {
      let newest = try file.read { try $0.newestTransaction()?.number } ?? .min
      let request = PruneRequest(
        .transactions([number > newest ? .all : .beforeTransaction(number)]))
      let pruner = try HistoryPruner(file)
      var (count, attemptsLeft) = (0, 10)
      while true {
        // The file of a store in migration ends inside a transaction, which a search for damage
        // would report.
        let plan =
          isMigrating
          ? try file.read { try PrunePlanner(snapshot: $0, request: request).plan() }
          : try pruner.plan(request)
        guard plan.refusals.isEmpty else {
          throw HistoryError.refusedByGuards(
            path: filePath, reasons: plan.refusals.map(\.reason))
        }
        guard !plan.isEmpty else { return count }
        if isMigrating {
          return try editor.inTransaction {
            try $0.deleteHistory(before: plan.cut?.firstKept ?? number).transactionCount
          }
        }
        let erasure = try pruner.prune(plan)
        count += erasure.deleted.transactionCount
        attemptsLeft -= 1
        switch erasure.problem {
        case nil: return count
        // Another process deleted history or set a bookmark in the meantime.
        case StoreWriteError.historyChanged? where attemptsLeft > 0: continue
        case let problem?: throw problem
        }
      }
    }
  }

  // MARK: - Tokens

  /// Returns whether history after a token can be fetched from this store (not in SwiftData).
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func state(of token: DefaultHistoryToken) throws -> HistoryTokenState {
    guard let number = token.number(of: identifier) else { return .foreign }
    return try translating {
      try file.read { snapshot in
        try state(TokenResolver(snapshot: snapshot).resolve("\(number)").state, in: snapshot)
      }
    }
  }

  func state(_ state: TokenState, in snapshot: StoreSnapshot) throws -> HistoryTokenState {
    switch state {
    case .valid, .archived: .current
    case .foreign: .foreign
    case .ahead, .diverged: .unknown
    case .expired:
      .expired(
        oldest: try snapshot.oldestTransaction().map {
          DefaultHistoryToken([identifier: $0.number])
        })
    }
  }

  /// Throws an error unless history is complete after each of the given transactions.
  private func check(_ positions: [Int64], _ snapshot: StoreSnapshot) throws {
    let resolver = TokenResolver(snapshot: snapshot)
    for number in positions where number >= 1 {
      let token = try resolver.resolve("\(number)")
      guard !token.state.isUsable else { continue }
      let unusable = try resolver.unusable(token)
      throw SwiftDataError(.historyTokenExpired, "\(unusable.message); \(unusable.remedy)")
    }
  }

  /// Returns the oldest token that works, or `nil` if the history is empty (not in SwiftData).
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func oldestHistoryToken() throws -> DefaultHistoryToken? {
    try token { try $0.oldestTransaction() }
  }

  /// Returns the token of the newest transaction, or `nil` if the history is empty (not in
  /// SwiftData).
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func newestHistoryToken() throws -> DefaultHistoryToken? {
    try token { try $0.newestTransaction() }
  }

  private func token(
    _ position: (StoreSnapshot) throws -> TransactionPosition?
  ) throws -> DefaultHistoryToken? {
    try translating { try file.read(position) }
      .map { DefaultHistoryToken([identifier: $0.number]) }
  }
}
