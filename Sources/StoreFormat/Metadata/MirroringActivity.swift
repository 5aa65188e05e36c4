import GRDB

/// What a CloudKit mirror has logged of one kind of its work: the newest event, and whether it fails.
///
/// `ANSCKEVENT` has a row for each event of `NSPersistentCloudKitContainer.Event`, whose documentation
/// describes the values; the names of the columns are those of the class `NSCKEvent`. Events are in the
/// order of their keys.
package struct MirroringActivity: Hashable, Sendable {
  /// The kinds of work, numbered as in `NSPersistentCloudKitContainer.EventType`.
  package enum Kind: Int64, CaseIterable, Sendable {
    case setup, `import`, export

    package var name: String { "\(self)" }
  }

  /// The attempts since the last one that succeeded.
  package struct Failures: Hashable, Sendable {
    package let count: Int64
    /// When the first of them began.
    package let since: StoreTimestamp?
    /// The domain of the newest error, up to 200 characters.
    package let errorDomain: String?
    package let errorCode: Int64?
  }

  package let kind: Kind
  /// When the newest event began.
  package let started: StoreTimestamp?
  /// When the newest event ended, or `nil` if it has not.
  package let ended: StoreTimestamp?
  package let lastSuccess: StoreTimestamp?
  /// `nil` if the last attempt that ended succeeded.
  package let failures: Failures?

  static let table = "ANSCKEVENT"
  static let columns = [
    "Z_PK", "ZCLOUDKITEVENTTYPE", "ZSTARTEDAT", "ZENDEDAT", "ZSUCCEEDED", "ZERRORDOMAIN",
    "ZERRORCODE",
  ]

  /// Returns the kinds of work that the log has events of.
  static func all(_ database: Database) throws -> [MirroringActivity] {
    try Kind.allCases.compactMap { try MirroringActivity($0, database) }
  }

  private init?(_ kind: Kind, _ database: Database) throws {
    /// Reads the first row of the events of the kind after a key, or returns `nil` without one.
    func first<Result>(
      _ columns: String, _ rest: String = "", after key: Int64 = .min,
      _ read: (StatementCursor) -> Result
    ) throws -> Result? {
      let cursor = try StatementCursor(
        database,
        sql: """
          SELECT \(columns) FROM \(Self.table)
          WHERE ZCLOUDKITEVENTTYPE = ?1 AND Z_PK > ?2 \(rest)
          """)
      try cursor.bind([.integer(kind.rawValue), .integer(key)])
      return try cursor.step() ? read(cursor) : nil
    }

    let newest = try first("ZSTARTEDAT, ZENDEDAT", "ORDER BY Z_PK DESC LIMIT 1") {
      (started: $0.wholeOrFractionalTime(at: 0), ended: $0.wholeOrFractionalTime(at: 1))
    }
    guard let newest else { return nil }
    self.kind = kind
    (started, ended) = newest
    let success = try first(
      "Z_PK, coalesce(ZENDEDAT, ZSTARTEDAT)", "AND ZSUCCEEDED = 1 ORDER BY Z_PK DESC LIMIT 1"
    ) { (key: $0.integer(at: 0), time: $0.wholeOrFractionalTime(at: 1)) }
    lastSuccess = success?.time
    // An event without an end is still in progress, or its program ended first.
    let failed = "AND ZENDEDAT IS NOT NULL AND ZSUCCEEDED IS NOT 1"
    let key = success?.key ?? .min
    let failures = try first("count(*), min(ZSTARTEDAT)", failed, after: key) {
      (count: $0.integer(at: 0), since: $0.wholeOrFractionalTime(at: 1))
    }
    let error = try first(
      "substr(CAST(ZERRORDOMAIN AS TEXT), 1, 200), ZERRORCODE",
      failed + " ORDER BY Z_PK DESC LIMIT 1", after: key
    ) { (domain: $0.value(at: 0), code: $0.integerIfAny(at: 1)) }
    guard let failures, let error else {
      self.failures = nil
      return
    }
    var domain: String?
    if case .text(let text) = error.domain { domain = text }
    self.failures = Failures(
      count: failures.count, since: failures.since, errorDomain: domain, errorCode: error.code)
  }
}

extension StatementCursor {
  /// Returns the time in a column of the type `TIMESTAMP`, in which SQLite keeps a whole number of seconds as
  /// an integer.
  fileprivate func wholeOrFractionalTime(at column: Int) -> StoreTimestamp? {
    timestamp(at: column)
      ?? integerIfAny(at: column).map { StoreTimestamp(secondsSinceReferenceDate: Double($0)) }
  }
}
