import Dispatch
import PersistentHistory
import StoreEditing
import StoreFormat
import Synchronization

extension Archive {
  /// Returns the digests of the rows that a deletion removes, as they are sealed here.
  ///
  /// ``/PersistentHistory/HistoryPruner`` compares them with the rows that it deletes. Every sealed
  /// transaction of the deletion is unpacked and decoded, by two threads where there are many.
  ///
  /// - Parameters:
  ///   - deletion: What is deleted; its steps are complete transactions, and changes that an interrupted
  ///     restore has left.
  ///   - store: The identifier of the store.
  ///   - schema: The digest of the schema that the store has now. Rows that were sealed with another one are
  ///     compared without what a migration may have rewritten.
  ///   - missing: The numbers that the store does not have in between, in order; sealed transactions with
  ///     them are no part of the deletion.
  /// - Returns: For each step, a digest of each of its parts.
  package func rowDigests(
    of deletion: HistoryDeletion, ofStore store: String, schema: ArchiveDigest,
    missing: [ClosedRange<Int64>] = []
  ) throws -> [[RowDigest]] {
    let halves = deletion.halves(ofAtLeast: 1_000)
    let results = Mutex([Result<[[RowDigest]], any Error>](repeating: .success([]), count: 2))
    DispatchQueue.concurrentPerform(iterations: halves.count) { half in
      let result = Result {
        let sealed = try SealedRows(
          ArchiveReader(path: path, storeIdentifier: store), deletion, halves[half],
          schema: schema, missing: missing)
        return try halves[half].map { try sealed.digests(of: $0) }
      }
      results.withLock { $0[half] = result }
    }
    return try results.withLock { $0 }.flatMap { try $0.get() }
  }

  /// Whether all changes that a deletion takes before the first transaction are sealed here as they are in
  /// the store.
  package func hasLooseChanges(
    of deletion: HistoryDeletion, in snapshot: StoreSnapshot
  ) throws
    -> Bool
  {
    guard let store = snapshot.metadata.storeIdentifier, try catalog().store(store) != nil else {
      return false
    }
    let sealed = try SealedRows(
      ArchiveReader(path: path, storeIdentifier: store), deletion, deletion.steps[...],
      schema: SegmentSchema(snapshot).digest)
    let loose = deletion.steps.prefix(while: deletion.precedesTransactions)
    let digests = try loose.map { try sealed.digests(of: $0) }
    let present = try snapshot.digestsOfLooseChanges(deletion, like: digests)
    let wanted = digests.map { parts in
      var parts = parts[...]
      guard var sum = parts.popFirst() else { return RowDigest(coversContent: false) }
      for part in parts { sum.add(part) }
      return sum
    }
    return present == wanted
  }
}

extension HistoryDeletion {
  /// Divides the steps into two runs with about as many changes.
  ///
  /// - Parameter minCount: The number of changes of a run below which the steps stay together.
  fileprivate func halves(ofAtLeast minCount: Int) -> [ArraySlice<Step>] {
    guard changeCount / 2 >= minCount else { return [steps[...]] }
    var count = 0
    let middle = steps.firstIndex { step in
      guard case .transactions(let span) = step else { return false }
      count += span.changeCount
      return count > changeCount / 2
    }
    return middle.map { [steps[..<$0], steps[$0...]] } ?? [steps[...]]
  }
}

/// The sealed rows of some steps of a deletion, read in their order.
private final class SealedRows {
  private let reader: ArchiveReader
  private let deletion: HistoryDeletion
  /// The numbers of transactions that were sealed with another schema than the store has.
  private let foreign: [ClosedRange<Int64>]
  private let transactions: PresentTransactions
  private var next: HistoryTransaction?
  /// How many of the first transaction's changes were deleted before.
  private var goneCount = 0

  init(
    _ reader: ArchiveReader, _ deletion: HistoryDeletion, _ steps: ArraySlice<HistoryDeletion.Step>,
    schema: ArchiveDigest, missing: [ClosedRange<Int64>] = []
  ) throws {
    self.reader = reader
    self.deletion = deletion
    let numbers = steps.compactMap(Self.numbers)
    let lowest = numbers.first?.lowerBound ?? .max
    foreign = try reader.parts.filter {
      $0.range.upperBound >= lowest && $0.range.lowerBound <= numbers.last?.upperBound ?? .min
    }.filter { try reader.archive.manifest(of: $0.entry).schema.digest != schema }.map(\.range)
    var last = deletion.firstNumber.map { $0 - 1 }
    if let first = deletion.steps.firstIndex(where: { !deletion.precedesTransactions($0) }) {
      if steps.indices.contains(first) {
        goneCount = try Self.goneCount(
          reader, after: last, deletion.steps[first], missing)
      } else if first < steps.startIndex {
        last = Self.numbers(deletion.steps[steps.startIndex - 1])?.upperBound
      }
    }
    transactions = PresentTransactions(try reader.transactions(HistoryQuery(after: last)), missing)
    next = try transactions.next()
  }

  private static func numbers(_ step: HistoryDeletion.Step) -> ClosedRange<Int64>? {
    if case .transactions(let span) = step { span.numbers } else { nil }
  }

  /// Returns the number of changes that a prune that was interrupted within a transaction has deleted of it.
  private static func goneCount(
    _ reader: ArchiveReader, after last: Int64?, _ first: HistoryDeletion.Step,
    _ missing: [ClosedRange<Int64>]
  ) throws -> Int {
    guard case .transactions(let span) = first else { return 0 }
    let transactions = PresentTransactions(
      try reader.transactions(HistoryQuery(after: last, until: span.numbers.upperBound)), missing)
    var count = -span.changeCount
    while try transactions.next() != nil {
      while try transactions.source.nextChange() != nil { count += 1 }
    }
    return count
  }

  func digests(of step: HistoryDeletion.Step) throws -> [RowDigest] {
    guard case .transactions(let span) = step else { return [] }
    let first = next?.number ?? span.numbers.upperBound
    var parts = DigestParts(
      span,
      coversContent: !foreign.contains {
        $0.overlaps(min(first, span.numbers.upperBound)...span.numbers.upperBound)
      })
    guard !deletion.precedesTransactions(step) else { return try looseDigests(span) }
    while let transaction = next, transaction.number <= span.numbers.upperBound {
      while let change = try transactions.source.nextChange() {
        if goneCount > 0 {
          goneCount -= 1
          continue
        }
        parts.add(change, of: transaction.number)
      }
      goneCount = 0
      parts.digest.add(transaction.position)
      next = try transactions.next()
    }
    return parts.all
  }

  /// Returns the digests of changes whose transaction is not in the store: the sealed ones of the same row
  /// numbers.
  private func looseDigests(_ span: HistoryDeletion.Transactions) throws -> [RowDigest] {
    var parts = DigestParts(
      span, coversContent: !foreign.contains { $0.overlaps(span.numbers) })
    let transactions = try reader.transactions(
      HistoryQuery(
        after: span.numbers.lowerBound > .min ? span.numbers.lowerBound - 1 : nil,
        until: span.numbers.upperBound))
    while let transaction = try transactions.nextTransaction() {
      while let change = try transactions.nextChange() {
        guard span.rows?.contains(change.number) ?? false else { continue }
        parts.add(change, of: transaction.number)
      }
    }
    return parts.all
  }
}

/// The sealed transactions that the store has too.
private final class PresentTransactions {
  let source: any TransactionSource
  private var missing: ArraySlice<ClosedRange<Int64>>

  init(_ source: any TransactionSource, _ missing: [ClosedRange<Int64>]) {
    self.source = source
    self.missing = missing[...]
  }

  func next() throws -> HistoryTransaction? {
    while let transaction = try source.nextTransaction() {
      while let range = missing.first, range.upperBound < transaction.number {
        missing.removeFirst()
      }
      if !(missing.first?.contains(transaction.number) ?? false) { return transaction }
    }
    return nil
  }
}

/// The digests of the parts in which the changes of a step are deleted.
private struct DigestParts {
  var digest: RowDigest
  /// The number of changes in each part that is not complete.
  private var parts: ArraySlice<Int>
  private var complete: [RowDigest] = []
  private var changeCount = 0

  init(_ span: HistoryDeletion.Transactions, coversContent: Bool) {
    digest = RowDigest(coversContent: coversContent)
    parts = span.parts[...]
  }

  var all: [RowDigest] { complete + [digest] }

  mutating func add(_ change: HistoryChange, of transaction: Int64) {
    if parts.count > 1, changeCount == parts.first {
      parts.removeFirst()
      complete.append(digest)
      digest = RowDigest(coversContent: digest.coversContent)
      changeCount = 0
    }
    digest.add(
      change: change.number, transaction: transaction, kind: change.kind,
      primaryKey: change.primaryKey,
      content: ChangeContent(
        entityNumber: change.entity?.number, mask: change.mask, tombstone: change.tombstone,
        extra: change.extra))
    changeCount += 1
  }
}
