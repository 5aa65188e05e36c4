import Foundation
import PersistentHistory
import StoreFormat

extension DefaultStore: HistoryProviding {
  /// What one save becomes in the history.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The transactions that a descriptor asks for, the oldest first where it names no other order.
  ///
  /// Changes of models that the schema does not have are left out, for they have no type.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where history after a token is asked for whose
  ///   transaction is gone, ``SwiftDataError``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    let isSorted = !descriptor.sortBy.isEmpty
    let order = isSorted ? Self.recordedOrder(descriptor.sortBy) : .ascending
    return try translatingHistory {
      try file.read { snapshot in
        try check(narrowing.positions, snapshot)
        guard !narrowing.isEmpty else { return [] }
        var query = HistoryQuery(after: narrowing.after, until: narrowing.until)
        query.order = order ?? .ascending
        switch narrowing.author {
        case .some(.some(let author)): query.author = .init(anyOf: [author])
        case .some(.none): query.author = .init(anyOf: [], orNone: true)
        case .none: break
        }
        let reader = try HistoryReader(snapshot: snapshot, query: query)
        var transactions: [DefaultHistoryTransaction] = []
        while let recorded = try reader.next() {
          let transaction = self.transaction(recorded)
          guard try Self.meets(transaction, descriptor.predicate) else { continue }
          transactions.append(transaction)
          if order != nil, transactions.count == descriptor.limit { break }
        }
        guard order == nil else { return transactions }
        transactions.sort(using: descriptor.sortBy)
        return descriptor.limit.map { Array(transactions.prefix($0)) } ?? transactions
      }
    }
  }

  /// Deletes the oldest transactions, as far as a descriptor names all of them.
  ///
  /// A history has no holes: where the descriptor leaves out a transaction, that one stays and all
  /// after it. Tokens of what is deleted have expired.
  ///
  /// - Throws: ``SwiftDataError``.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    let editor = try writable()
    let last = try translatingHistory {
      try file.read { snapshot in
        let reader = try HistoryReader(snapshot: snapshot)
        var (last, count): (Int64?, Int) = (nil, 0)
        while let recorded = try reader.next(), count < descriptor.limit ?? .max,
          try Self.meets(transaction(recorded), descriptor.predicate)
        {
          last = recorded.number
          count += 1
        }
        return last
      }
    }
    guard let last, last < .max else { return }
    _ = try translating { try editor.deleteHistory(before: last + 1) }
  }

  /// The order in which a history is read that sorting by one of these keys means; nil where it must
  /// be sorted.
  private static func recordedOrder(
    _ sortBy: [SortDescriptor<DefaultHistoryTransaction>]
  ) -> HistoryQuery.Order? {
    // Numbers are unique, so that further keys decide nothing.
    switch sortBy.first?.keyPath {
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.token,
      \DefaultHistoryTransaction.id:
      sortBy.first?.order == .forward ? .ascending : .descending
    default: nil
    }
  }

  private static func meets(
    _ transaction: DefaultHistoryTransaction, _ predicate: Predicate<DefaultHistoryTransaction>?
  ) throws -> Bool {
    guard let predicate else { return true }
    do {
      return try predicate.evaluate(transaction)
    } catch {
      throw SwiftDataError(.unsupportedPredicate, "the predicate cannot be evaluated: \(error)")
    }
  }

  /// Checks that the transactions are there after which history is asked for.
  func check(_ positions: [Int64], _ snapshot: StoreSnapshot) throws {
    for number in positions where number >= 1 {
      guard try snapshot.timestamp(ofTransaction: number) == nil else { continue }
      let oldest = try snapshot.oldestTransaction()
      throw SwiftDataError(
        .historyTokenExpired,
        "transaction \(number) of \(snapshot.location.path) is gone, so that history after it is "
          + "incomplete; discard the token and start anew"
          + (oldest.map { ", the oldest transaction that is kept is \($0.number)" } ?? ""))
    }
  }

  func translatingHistory<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try translating(body)
    } catch let error as HistoryError {
      throw SwiftDataError(.storeFailure, "\(error)")
    }
  }

  // MARK: - Transactions

  func transaction(
    _ recorded: PersistentHistory.HistoryTransaction
  ) -> DefaultHistoryTransaction {
    DefaultHistoryTransaction(
      timestamp: Date(
        timeIntervalSinceReferenceDate: recorded.timestamp?.secondsSinceReferenceDate ?? 0),
      changes: recorded.changes.compactMap { change($0, in: recorded.number) },
      token: DefaultHistoryToken([identifier: recorded.number]),
      transactionIdentifier: recorded.number, storeIdentifier: identifier,
      bundleIdentifier: recorded.bundle?.string ?? "",
      processIdentifier: recorded.process?.string ?? "", author: recorded.author?.string)
  }

  /// A change with the type of its model; nil for a model that the schema does not have.
  private func change(
    _ recorded: PersistentHistory.HistoryChange, in transaction: Int64
  ) -> HistoryChange? {
    guard let name = recorded.entity?.name, let key = recorded.primaryKey,
      let kind = recorded.kind, let layout = schema.layouts[name]
    else { return nil }
    let identifier = PersistentIdentifier(
      entityName: name, storeIdentifier: self.identifier, key: .number(key))
    func change<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange {
      switch kind {
      case .insert:
        .insert(
          DefaultHistoryInsert<Model>(
            changeIdentifier: recorded.number, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier))
      case .update:
        .update(
          DefaultHistoryUpdate<Model>(
            changeIdentifier: recorded.number, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier,
            updatedAttributes: (recorded.attributes ?? []).compactMap {
              layout.sendableKeyPath(named: $0)
            }))
      case .delete:
        .delete(
          DefaultHistoryDelete<Model>(
            changeIdentifier: recorded.number, transactionIdentifier: transaction,
            changedPersistentIdentifier: identifier,
            tombstone: HistoryTombstone(values: layout.preservedValues(of: recorded))))
      }
    }
    return change(layout.type)
  }
}

extension EntityLayout {
  /// A property of the class.
  fileprivate func sendableKeyPath<Model: PersistentModel>(
    named name: String
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    guard let index = index(named: name),
      let keyPath = properties[index].keyPath as? PartialKeyPath<Model>
    else { return nil }
    // Key paths of stored properties capture nothing, and being Sendable leaves no trace in a value.
    return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// What a deleted object has left behind, by property.
  fileprivate func preservedValues(
    of change: PersistentHistory.HistoryChange
  ) -> [String: any Sendable] {
    var values: [String: any Sendable] = [:]
    for (attribute, stored) in change.preservedValues ?? [] {
      guard let index = index(named: attribute.name),
        let value = properties[index].codec?.value(of: stored)
      else { continue }
      // Values of attributes are plain data, and being Sendable leaves no trace in a value.
      values[attribute.name] = unsafeBitCast(value as Any, to: (any Sendable).self)
    }
    return values
  }
}
