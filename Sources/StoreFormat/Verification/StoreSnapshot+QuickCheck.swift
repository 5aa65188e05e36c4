import GRDB

extension StoreSnapshot {
  /// A counter of the store that is lower than a number in use: parts of the store are then of
  /// different times, as when it was copied without its `-wal`.
  package struct TornCounter: Hashable, Sendable {
    /// The name of the entity: `TRANSACTION`, `CHANGE` or `TRANSACTIONSTRING`.
    package let entity: String
    /// The highest number that the store says it gave out.
    package let issued: Int64
    /// The highest number in use.
    package let present: Int64
  }

  /// Returns the counters of the history's own tables that are lower than a number in use.
  package func tornHistoryCounters() throws -> [TornCounter] {
    guard layout.history != nil else { return [] }
    let counters: [(EntityNumbering.HistoryEntity, String)] = [
      (.transaction, "TRANSACTION"), (.change, "CHANGE"), (.string, "TRANSACTIONSTRING"),
    ]
    return try counters.compactMap { entity, name in
      guard layout.tableNames.contains("A" + name) else { return nil }
      let issued = entities.highestNumber(of: entity)
      guard let present = try integer("SELECT max(Z_PK) FROM A\(name)"), present > issued else {
        return nil
      }
      return TornCounter(entity: name, issued: issued, present: present)
    }
  }

  /// Returns why the pages that the file counts cannot all be there, or `nil` where they can.
  package func pageCountProblem() throws -> String? {
    let pages = try integer("PRAGMA page_count") ?? 0
    let size = try integer("PRAGMA page_size") ?? 0
    if let free = try integer("PRAGMA freelist_count"), free >= pages, pages > 0 {
      return "it lists \(free) free pages of \(pages)"
    }
    if let root = try integer("SELECT max(rootpage) FROM sqlite_master"), root > pages {
      return "a table begins at page \(root), and it has \(pages) pages"
    }
    // What is not in the file may be in the log.
    let (length, overflows) = pages.multipliedReportingOverflow(by: size)
    guard try location.logSize() == 0, let file = try location.size(of: location.resolvedPath),
      overflows || file < length
    else { return nil }
    return "it has \(file) bytes, and its \(pages) pages take \(length)"
  }

  /// Returns what contradicts itself at the two ends of the history: changes that have no transaction.
  ///
  /// Changes before the oldest transaction are left by an insertion that was interrupted.
  package func problemsAtHistoryEnds() throws -> [String] {
    guard let tables = layout.history, let oldest = try oldestTransaction()?.number else {
      return []
    }
    var candidates: [Int64?] = [
      try integer("SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1"),
      try integer("SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK ASC LIMIT 1"),
    ]
    if tables.indexesChangesByTransaction {
      candidates.append(try integer("SELECT max(ZTRANSACTIONID) FROM ACHANGE"))
      candidates.append(
        try integer("SELECT min(ZTRANSACTIONID) FROM ACHANGE WHERE ZTRANSACTIONID >= \(oldest)"))
    }
    return try Set(candidates.compactMap(\.self)).sorted().compactMap { number in
      guard number >= oldest, try timestamp(ofTransaction: number) == nil else { return nil }
      return "there are changes of transaction \(number), which is missing"
    }
  }

  private func integer(_ sql: String) throws -> Int64? {
    let cursor = try StatementCursor(database, sql: sql)
    return try cursor.step() ? cursor.integerIfAny(at: 0) : nil
  }
}
