import StoreFormat

extension StoredValue {
  /// About how many bytes SQLite takes for the value.
  var byteCount: Int {
    switch self {
    case .null: 0
    case .integer(let value):
      switch value {
      case 0, 1: 0
      case -128...127: 1
      case -32_768...32_767: 2
      case -2_147_483_648...2_147_483_647: 4
      default: 8
      }
    case .real: 8
    case .text(let text): text.utf8.count
    case .malformedText(let bytes), .blob(let bytes): bytes.count
    }
  }
}

extension HistoryChange {
  /// About how many bytes the change takes in a store, as a store measures its own rows.
  var recordByteCount: Int64 {
    // A dozen columns of one or two bytes in the header, and as many bytes of small numbers.
    Int64(26 + (mask?.byteCount ?? 0) + tombstone.reduce(0) { $0 + $1.byteCount })
  }
}
