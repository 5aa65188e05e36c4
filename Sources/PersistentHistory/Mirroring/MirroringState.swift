import StoreFormat

/// How far CloudKit mirroring has read the history of a store.
///
/// The mirror reads the history after its own token, which is kept in the store, and remembers for each
/// record how far it was exported. If history that it has not read is deleted, it starts over and
/// transfers everything again.
///
/// Apple documents neither the tables nor the keys; they are known from mirrored stores.
package struct MirroringState: Hashable, Sendable {
  /// The history that the mirror still needs.
  package enum Need: Hashable, Sendable {
    /// It needs this transaction and all after it.
    case from(transaction: Int64)
    /// Its position is unknown, so it may need everything.
    case unknown(reason: String)
  }

  /// The token up to which the mirror has read, or `nil` if it cannot be read.
  package let token: ResolvedToken?
  /// The records that have not reached CloudKit yet, or `nil` if they cannot be read.
  package let exports: MirroringRecords.Exports?
  package let need: Need
  /// How many transactions the mirror has not read, or `nil` where its token does not work.
  package let transactionsBehind: Int64?
  /// What the mirror has logged of its own work.
  package let activities: MirroringRecords.Part<[MirroringActivity]>

  /// The uploads to CloudKit that failed since the last successful one, or `nil` if none did or the
  /// log of the mirror cannot be read.
  package var failedExports: MirroringActivity.Failures? {
    guard case .value(let activities) = activities else { return nil }
    return activities.first { $0.kind == .export }?.failures
  }

  /// Reads the state, or returns `nil` for a store that is not mirrored.
  package init?(snapshot: StoreSnapshot) throws {
    guard let records = try snapshot.mirroringRecords() else { return nil }
    _ = try snapshot.historyTables()
    var problems: [String] = []
    token = try Self.token(records.tokenArchive, in: snapshot, &problems)
    activities = records.activities
    transactionsBehind =
      if let token, token.state == .valid, let number = token.number {
        try snapshot.transactionCount(after: number)
      } else {
        nil
      }
    switch records.exports {
    case .value(let exports): self.exports = exports
    case .unreadable(let reason):
      exports = nil
      problems.append(reason)
    }
    if let problem = problems.first {
      need = .unknown(reason: problem)
    } else if let number = token?.number {
      need = .from(transaction: min(number, exports?.lowestPending ?? number))
    } else {
      need = .unknown(reason: "the mirror has no position in this store")
    }
  }

  private static func token(
    _ archive: MirroringRecords.Part<[UInt8]>, in snapshot: StoreSnapshot,
    _ problems: inout [String]
  ) throws -> ResolvedToken? {
    let bytes: [UInt8]
    switch archive {
    case .value(let value): bytes = value
    case .unreadable(let reason):
      problems.append(reason)
      return nil
    }
    let token: HistoryToken
    do {
      token = try HistoryToken(archive: bytes)
    } catch {
      problems.append("the mirror's token cannot be read: \(error)")
      return nil
    }
    let resolved = try TokenResolver(snapshot: snapshot).resolve(token)
    switch resolved.state {
    case .valid: break
    case .foreign: problems.append("the mirror's token, \(token), names another store")
    case .expired, .archived, .ahead, .diverged:
      problems.append(
        "the mirror's token, \(resolved.number ?? 0), does not work: it is \(resolved.state.name)")
    }
    return resolved
  }
}
