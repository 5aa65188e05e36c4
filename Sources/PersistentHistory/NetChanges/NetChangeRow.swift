import StoreFormat

/// A change as it is folded: of an object that its row names, and of a kind that is known.
struct NetChangeRow {
  /// An object in the numbers of a store, in the order in which objects are given.
  struct Object: Hashable, Comparable {
    let entityNumber: Int64
    let primaryKey: Int64

    static func < (left: Object, right: Object) -> Bool {
      left.entityNumber == right.entityNumber
        ? left.primaryKey < right.primaryKey : left.entityNumber < right.entityNumber
    }
  }

  let object: Object
  let kind: ChangeKind
  let transaction: Int64
  let change: Int64
  let mask: ColumnMask?
  let hasTombstone: Bool
}

/// What a table knows of one object.
struct NetChangeOutline {
  let object: NetChangeRow.Object
  let effect: NetEffect
  let columns: TouchedColumns
  let deletion: Int64?
  let hasTombstone: Bool
  let firstTransaction: Int64
  let lastTransaction: Int64
  let changeCount: Int
}
