import StoreFormat

/// The evidence that an archive is of another copy of a store.
public struct ArchiveDivergence: Hashable, Sendable {
  /// The path of the archive.
  public let archivePath: String
  /// The path of the store.
  public let storePath: String
  /// The transaction in the archive.
  public let archived: TransactionPosition
  /// The transaction of the same number in the store; `nil` if the store never had one.
  public let stored: TransactionPosition?

  /// Compares the newest transaction that both have; `nil` if it is the same, or there is none.
  ///
  /// Copies of a store have the same transactions up to the point where they diverged, and none
  /// after it, so comparing the newest one is enough.
  init?(
    _ archive: any ArchivedHistory, _ snapshot: StoreSnapshot, firstInStore: Int64?, issued: Int64
  ) throws {
    guard let last = try archive.lastTransaction(before: .max, offset: 0) else { return nil }
    guard last.number <= issued else {
      self.init(archive, snapshot, last, nil)
      return
    }
    if let firstInStore, last.number < firstInStore,
      let next = try archive.successor(of: last.number), next.number == firstInStore,
      let stored = try snapshot.timestamp(ofTransaction: firstInStore), !next.mayBe(stored)
    {
      self.init(archive, snapshot, next, stored)
      return
    }
    guard let stored = try snapshot.timestamp(ofTransaction: last.number),
      stored.timestamp != last.timestamp
    else { return nil }
    self.init(archive, snapshot, last, stored)
  }

  private init(
    _ archive: any ArchivedHistory, _ snapshot: StoreSnapshot, _ archived: TransactionPosition,
    _ stored: TransactionPosition?
  ) {
    archivePath = archive.path
    storePath = snapshot.location.path
    self.archived = archived
    self.stored = stored
  }

  /// A sentence on the difference, with times in UTC.
  var message: String { message(time: StoreTimestamp.text) }

  /// Returns a sentence on the difference, with times as the caller writes them.
  package func message(time: (StoreTimestamp?) -> String) -> String {
    let saved = time(archived.timestamp)
    return stored.map {
      "\(archivePath) is of another copy of \(storePath): transaction \(archived.number) was saved "
        + "\(saved) there and \(time($0.timestamp)) here"
    }
      ?? "\(archivePath) is of a newer copy of \(storePath): it goes up to transaction "
      + "\(archived.number) of \(saved), which this copy never had"
  }
}
