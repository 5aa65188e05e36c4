import StoreFormat

/// The damage that a row of the history can have by itself, whatever the others are; `nil` for none.
///
/// Rows of a store and sealed rows are judged alike, so that no restore damages a store.
enum RowDamage {
  @inline(__always)
  static func ofTime(_ time: StoreTimestamp?) -> String? {
    time == nil ? "the column ZTIMESTAMP holds no real number" : nil
  }

  @inline(__always)
  static func ofObject(entity: Int64?, primaryKey: Int64?) -> String? {
    guard entity != nil else { return "it names no entity" }
    guard let primaryKey, primaryKey > 0 else { return "it names no primary key above 0" }
    return nil
  }

  @inline(__always)
  static func ofKind(_ kind: ChangeKind?) -> String? {
    kind == nil ? "the column ZCHANGETYPE holds no 0, 1 or 2" : nil
  }

  @inline(__always)
  static func ofMask(_ mask: ColumnMask?, _ kind: ChangeKind?) -> String? {
    kind == .update && mask == nil ? "the column ZCOLUMNS holds no bytes" : nil
  }

  fileprivate static func ofRepeatedColumn(_ column: String) -> String {
    "the value of its column \(column) is given twice"
  }
}

extension HistoryTransaction {
  /// What is wrong with its row; `nil` if nothing is.
  package var rowDamage: String? {
    if let damage = RowDamage.ofTime(timestamp) { return damage }
    for column in extra.map(\.column) {
      // A reader of a store returns such a value in a member of its own.
      if column == "Z_PK" || column == "ZTIMESTAMP"
        || column == "ZQUERYGEN" && queryGeneration != nil
      {
        return RowDamage.ofRepeatedColumn(column)
      }
    }
    return nil
  }
}

extension HistoryChange {
  private static let ownColumns: Set<String> = [
    "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
  ]

  /// What is wrong with its row; `nil` if nothing is.
  package var rowDamage: String? {
    if let damage = RowDamage.ofKind(kind)
      ?? RowDamage.ofObject(entity: entity?.number, primaryKey: primaryKey)
      ?? RowDamage.ofMask(mask, kind)
    {
      return damage
    }
    for column in extra where Self.ownColumns.contains(column.column) {
      return column.column == "ZCOLUMNS" && mask == nil
        ? "the column ZCOLUMNS holds \(column.value.kindName)"
        : RowDamage.ofRepeatedColumn(column.column)
    }
    return nil
  }
}
