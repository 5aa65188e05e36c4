import GRDB

/// The records of CloudKit mirroring in a store, undecoded.
///
/// The tables and keys are those reported of mirrored stores; Apple does not document them.
package struct MirroringRecords: Hashable, Sendable {
  /// A part that may be missing or make no sense.
  package enum Part<Value: Hashable & Sendable>: Hashable, Sendable {
    case value(Value)
    case unreadable(reason: String)
  }

  /// Which records have not reached CloudKit yet.
  package struct Exports: Hashable, Sendable {
    package let recordCount: Int64
    /// How many of them wait to be exported.
    package let pendingCount: Int64
    /// The lowest transaction number that one of these names, or `nil` where none waits.
    package let lowestPending: Int64?
  }

  /// The archived token up to which the mirror has read the history.
  package let tokenArchive: Part<[UInt8]>
  package let exports: Part<Exports>
  /// The log of the mirror's own work, one entry for each kind of work that it has done.
  package let activities: Part<[MirroringActivity]>

  /// The key of the token in `ANSCKMETADATAENTRY`.
  private static let tokenKey = "NSCloudKitMirroringDelegateLastHistoryTokenKey"
  /// The longest archive that is taken for a token, in bytes; one of one store has some 400.
  private static let longestArchive = 1 << 20

  /// Reads the tables, or `nil` in a store that is not mirrored.
  init?(database: Database, layout: StoreLayout) throws {
    guard !layout.mirroringTables.isEmpty else { return nil }
    tokenArchive = try Self.tokenArchive(database)
    exports = try Self.exports(database)
    if let reason = try Self.missing(
      MirroringActivity.table, MirroringActivity.columns, database)
    {
      activities = .unreadable(reason: reason)
    } else {
      activities = .value(try MirroringActivity.all(database))
    }
  }

  private static func tokenArchive(_ database: Database) throws -> Part<[UInt8]> {
    let table = "ANSCKMETADATAENTRY"
    if let reason = try missing(table, ["ZKEY", "ZTRANSFORMEDVALUE"], database) {
      return .unreadable(reason: reason)
    }
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT iif(length(ZTRANSFORMEDVALUE) <= \(longestArchive), ZTRANSFORMEDVALUE, 0)
        FROM \(table) WHERE ZKEY = ?1 LIMIT 2
        """)
    try cursor.bind([.text(tokenKey)])
    guard try cursor.step() else {
      return .unreadable(reason: "\(table) has no \(tokenKey)")
    }
    let value = cursor.value(at: 0)
    guard try !cursor.step() else {
      return .unreadable(reason: "\(table) has \(tokenKey) more than once")
    }
    guard case .blob(let bytes) = value else {
      return .unreadable(reason: "\(tokenKey) in \(table) holds no archive")
    }
    return .value(bytes)
  }

  private static func exports(_ database: Database) throws -> Part<Exports> {
    let table = "ANSCKRECORDMETADATA"
    let (last, next) = ("ZLASTEXPORTEDTRANSACTIONNUMBER", "ZPENDINGEXPORTTRANSACTIONNUMBER")
    let columns = ["ZNEEDSUPLOAD", "ZNEEDSCLOUDDELETE", last, next]
    if let reason = try missing(table, columns, database) { return .unreadable(reason: reason) }
    // A pending record continues after its last exported transaction or, if it was never exported, at the
    // transaction that it waits for.
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT (SELECT count(*) FROM \(table)), count(*), min(position),
          coalesce(sum(typeof(position) <> 'integer'), 0)
        FROM (
          SELECT min(coalesce(\(last), \(next)), coalesce(\(next), \(last))) AS position
          FROM \(table)
          WHERE coalesce(ZNEEDSUPLOAD, 0) <> 0 OR coalesce(ZNEEDSCLOUDDELETE, 0) <> 0
            OR \(next) > coalesce(\(last), 0))
        """)
    guard try cursor.step() else { return .unreadable(reason: "\(table) cannot be counted") }
    let pendingCount = cursor.integer(at: 1)
    guard cursor.integer(at: 3) == 0 else {
      return .unreadable(
        reason: "\(cursor.integer(at: 3)) records wait to be exported and name no transaction")
    }
    return .value(
      Exports(
        recordCount: cursor.integer(at: 0), pendingCount: pendingCount,
        lowestPending: pendingCount == 0 ? nil : cursor.integer(at: 2)))
  }

  /// Returns what a table lacks, in words, or `nil` if it has all columns.
  private static func missing(
    _ table: String, _ columns: [String], _ database: Database
  ) throws -> String? {
    let present = Set(try TableDeclaration.columns(of: table, in: database).map(\.name))
    guard !present.isEmpty else { return "there is no table \(table)" }
    return columns.first { !present.contains($0) }.map { "\(table) has no column \($0)" }
  }
}

extension StoreSnapshot {
  /// Reads the records of CloudKit mirroring, or returns `nil` in a store that is not mirrored.
  package func mirroringRecords() throws -> MirroringRecords? {
    try MirroringRecords(database: database, layout: layout)
  }
}
