import StoreFormat

/// How far mirroring to CloudKit has come with the history of a store.
///
/// The mirror reads the history after a token of its own, which stands in the store, and remembers for
/// each record how far it was exported. Where history is deleted that it has not read, it starts anew:
/// everything is uploaded and downloaded again.
///
/// Apple documents neither the tables nor the keys. What is known rests on what others have read in
/// mirrored stores of their own.
package struct MirroringState: Hashable, Sendable {
  /// The history that the mirror still needs.
  package enum Need: Hashable, Sendable {
    /// The transaction of this number and all after it must stay.
    case from(transaction: Int64)
    /// How much it needs cannot be known, so all must stay.
    case unknown(reason: String)
  }

  /// The token up to which the mirror has read; nil where it cannot be read.
  package let token: ResolvedToken?
  /// Which records have not reached CloudKit yet; nil where that cannot be read.
  package let exports: MirroringRecords.Exports?
  /// The history that the mirror still needs.
  package let need: Need

  /// Reads the state; nil in a store that is not mirrored.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, also for a mirrored store without history tables.
  package init?(snapshot: StoreSnapshot) throws {
    guard let records = try snapshot.mirroringRecords() else { return nil }
    _ = try snapshot.historyTables()
    var problems: [String] = []
    token = try Self.token(records.tokenArchive, in: snapshot, &problems)
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
