import HistoryCoding
import PersistentHistory
import StoreFormat

/// Compares a store with an archive of it: transactions that both have must be equal, and none may be
/// missing between the two.
package struct StoreContinuity: Sendable {
  /// The findings.
  private(set) var findings: FindingLog<ArchiveFindingKind>
  /// The number of transactions that were compared.
  private(set) var comparedCount: Int64 = 0

  /// Compares a store with an archive of it.
  ///
  /// Rows are compared in full if the model was the same; a migration rewrites rows, so of other segments
  /// only numbers and times are compared.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - archive: The archive.
  ///   - limit: The maximum number of findings of each kind.
  ///   - progress: Receives the number of compared transactions at intervals.
  /// - Throws: ``ArchiveError`` if the archive has nothing of the store or cannot be read, and
  ///   ``/StoreFormat/StoreError``.
  package init(
    of snapshot: StoreSnapshot, with archive: Archive, limit: Int = 10,
    progress: (Int64) -> Void = { _ in }
  ) throws {
    findings = FindingLog(limit: limit)
    guard let identifier = snapshot.metadata.storeIdentifier else {
      throw ArchiveError.unknownStore(
        path: archive.path, store: "without an identifier",
        known: try archive.stores().map(\.identifier))
    }
    let store = try archive.store(identifier)
    var folders = FolderInspection(archive, limit: limit)
    folders.compare(store.entries, with: snapshot.location)
    findings.add(folders.findings)
    guard let last = store.last else { return }
    let oldest = try snapshot.oldestTransaction()
    let next = try store.newestEntry.flatMap { try archive.manifest(of: $0).next }
    inspectReach(of: snapshot, oldest, last, next)
    guard let oldest, oldest.number <= last else { return }
    let schema = try SegmentSchema(snapshot).digest
    for part in store.parts(after: max(oldest.number, 1) - 1) {
      let reader = try archive.segment(part.entry)
      let isSameSchema = reader.manifest.schema.digest == schema
      let count = try compare(
        reader, part.range, snapshot, oldest: oldest.number, isSameSchema, progress)
      // In another copy everything after the place where it diverged differs.
      if count > 0, findings.count(of: .divergedStore) > 0 { return }
    }
  }

  /// Looks for transactions that neither has, and for those that the store must still have.
  private mutating func inspectReach(
    of snapshot: StoreSnapshot, _ oldest: TransactionPosition?, _ last: Int64,
    _ next: TransactionPosition?
  ) {
    let issued = max(
      snapshot.entities.highestNumber(of: .transaction), oldest?.number ?? 0)
    switch HistoryContinuation(last: last, successor: next, oldest: oldest) {
    case .joined: break
    case .diverged(let number):
      findings.add(
        .divergedStore, at: .transaction(number),
        "the store begins with another transaction \(number) than the one that followed the archive"
      )
    case .gap(_, let oldest):
      findings.add(
        .storeGap, at: .transactions(last + 1...oldest - 1),
        "the archive ends with \(last), and the store begins with \(oldest)")
    }
    if oldest == nil, issued > last {
      findings.add(
        .storeGap, at: .transactions(last + 1...issued),
        "the archive ends with \(last), and the store has none")
    }
    if issued < last {
      findings.add(
        .divergedStore, at: .transaction(last),
        "the highest number that the store has issued is \(issued)")
    }
  }

  /// Compares a segment with the store and returns the number of compared transactions.
  private mutating func compare(
    _ reader: SegmentReader, _ range: ClosedRange<Int64>, _ snapshot: StoreSnapshot,
    oldest: Int64, _ isSameSchema: Bool, _ progress: (Int64) -> Void
  ) throws -> Int64 {
    let sealed = reader.transactions(in: range)
    var query = HistoryQuery(after: range.lowerBound - 1, until: range.upperBound)
    // Missing transactions are found by comparing.
    query.checksCompleteness = false
    // A damaged file of values is a finding about the store.
    query.recordedValues = try? RecordedValues(beside: snapshot, readsLog: false)
    let stored = try HistoryReader(snapshot: snapshot, query: query)
    var count: Int64 = 0
    var left = try sealed.nextTransaction()
    var right = try stored.nextTransaction()
    while left != nil || right != nil {
      count += 1
      comparedCount += 1
      if comparedCount % 1024 == 0 { progress(comparedCount) }
      guard let one = left, let other = right, one.number == other.number else {
        let number = min(left?.number ?? .max, right?.number ?? .max)
        let isSealed = left?.number == number
        findings.add(
          isSealed ? .deletedTransaction : .alteredTransaction, at: .transaction(number),
          isSealed ? "the store does not have it" : "the archive does not have it")
        if isSealed {
          left = try sealed.nextTransaction()
        } else {
          right = try stored.nextTransaction()
        }
        continue
      }
      if one.timestamp != other.timestamp {
        findings.add(
          .divergedStore, at: .transaction(one.number),
          "its time is \(Self.text(one.timestamp)) in the archive, and "
            + "\(Self.text(other.timestamp)) in the store")
        return count
      }
      if isSameSchema {
        try compareRows(one, sealed, other, stored, mayLackChanges: one.number == oldest)
      }
      left = try sealed.nextTransaction()
      right = try stored.nextTransaction()
    }
    return count
  }

  /// - Parameter mayLackChanges: Whether the store may lack some, because pruning was interrupted in the
  ///   middle of the transaction.
  private mutating func compareRows(
    _ one: HistoryTransaction, _ sealed: SegmentCursor, _ other: HistoryTransaction,
    _ stored: HistoryReader, mayLackChanges: Bool
  ) throws {
    var lackingCount: Int64 = 0
    defer {
      if lackingCount > 0 {
        findings.add(
          .partialTransaction, at: .transaction(one.number),
          "the store lacks \(lackingCount) of its changes")
      }
    }
    if one != other {
      findings.add(
        .alteredTransaction, at: .transaction(one.number), "its row differs in the store")
    }
    while true {
      var left = try sealed.nextChange()
      var right = try stored.nextChange()
      while mayLackChanges, let lacking = left, lacking.number != right?.number {
        lackingCount += 1
        left = try sealed.nextChange()
      }
      let values = (left?.values ?? [], right?.values ?? [])
      left?.removeValues()
      right?.removeValues()
      if Self.contradict(values.0, values.1) {
        findings.add(
          .alteredTransaction,
          at: .change(left?.number ?? right?.number ?? 0, transaction: one.number),
          "its recorded values differ from those beside the store")
      }
      guard left != right else {
        if left == nil { return }
        continue
      }
      let number = left?.number ?? right?.number ?? 0
      findings.add(
        .alteredTransaction, at: .change(number, transaction: one.number),
        left == nil
          ? "the archive does not have it"
          : right == nil ? "the store does not have it" : "its row differs in the store")
      // After a missing row all the others would differ.
      return
    }
  }

  /// Whether two readings of the values of a change cannot both be right. Either may lack values, or the old
  /// value of one: the log that they were read from may have been checkpointed in between.
  private static func contradict(_ left: [RecordedValue], _ right: [RecordedValue]) -> Bool {
    let known = Dictionary(keepingFirst: right.map { ($0.name, $0) })
    return left.contains { one in
      guard let other = known[one.name] else { return false }
      func differ(_ side: KeyPath<RecordedValue, RecordedContent?>) -> Bool {
        guard let one = one[keyPath: side], let other = other[keyPath: side] else { return false }
        return one != other
      }
      return one.kind != other.kind || differ(\.old) || differ(\.new)
    }
  }

  private static func text(_ timestamp: StoreTimestamp?) -> String {
    timestamp?.iso8601(fractionDigits: 6) ?? "an unknown time"
  }
}
