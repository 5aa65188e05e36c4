/// About how many bytes the rows of the history take in SQLite's record format.
///
/// A record is a header with a byte or two for each column, and the values. Most columns hold small
/// numbers or nothing; what makes rows differ are masks and tombstones, which are measured.
enum RecordSize {
  /// SQL for the size of a row of `ACHANGE`.
  static func ofChange(_ tables: HistoryTables) -> String {
    // The number of its own entity takes two bytes, kind and entity one, key and transaction five.
    let usual = tables.changeColumns.count + 9
    let tombstone = sum(tables.tombstoneColumns.map { "coalesce(length(\(quoted($0))), 0)" })
    // SQLite knows the length of a blob without reading it.
    return "(\(usual) + coalesce(length(ZCOLUMNS), 0) + iif(ZCHANGETYPE = 2, \(tombstone), 0))"
  }

  /// Parts are paired up, for SQLite limits how deep a row of them may nest.
  private static func sum(_ parts: [String]) -> String {
    guard parts.count > 1 else { return parts.first ?? "0" }
    let middle = parts.count / 2
    return "(\(sum(Array(parts[..<middle]))) + \(sum(Array(parts[middle...]))))"
  }
}

extension HistoryTables {
  /// About how many bytes a row of `ATRANSACTION` takes: its header, its time, and six small numbers.
  package var transactionByteCount: Int64 { Int64(transactionColumns.count) + 15 }
}
