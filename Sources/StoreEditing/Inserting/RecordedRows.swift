import StoreFormat

/// A row of `ATRANSACTION` as a store once had it, free of that file's numbers of texts.
///
/// What no column of the layout says by itself is under ``extra``, as ``TransactionCursor`` gives it.
package struct RecordedTransaction: Hashable, Sendable {
  /// The transaction number, `Z_PK`.
  package var number: Int64
  /// When it was saved; nil where the row held no number there.
  package var timestamp: StoreTimestamp?
  /// Author, bundle, process and context, each where there is one.
  package var texts: [StringRole: RecordedText]
  /// The snapshot that a pinned query generation stands for; opaque.
  package var queryGeneration: [UInt8]?
  /// What else the row held.
  package var extra: [ExtraColumn]

  /// A row.
  package init(
    number: Int64, timestamp: StoreTimestamp? = nil, texts: [StringRole: RecordedText] = [:],
    queryGeneration: [UInt8]? = nil, extra: [ExtraColumn] = []
  ) {
    self.number = number
    self.timestamp = timestamp
    self.texts = texts
    self.queryGeneration = queryGeneration
    self.extra = extra
  }

  /// Its place in the history.
  package var position: TransactionPosition {
    TransactionPosition(number: number, timestamp: timestamp)
  }

  /// The texts that a store which interns texts must have a number for: all but those of which the row
  /// said in another way where they stood.
  package var internedTexts: [RecordedText] {
    StringRole.allCases.compactMap { role in
      extra.contains { $0.column == role.identifierColumn } ? nil : texts[role]
    }
  }

  /// The numbers of texts that lead to no text, which the row held all the same.
  package var danglingTextNumbers: [Int64] {
    extra.compactMap { column in
      guard case .integer(let number) = column.value,
        StringRole.allCases.contains(where: { $0.identifierColumn == column.column })
      else { return nil }
      return number
    }
  }
}

/// A row of `ACHANGE` in the terms of the store that it is for.
///
/// What no column of the layout says by itself is under ``extra``, as ``ChangeCursor`` gives it.
package struct RecordedChange: Hashable, Sendable {
  /// The change number, `Z_PK`.
  package var number: Int64
  /// What happened; nil for a kind that no framework writes.
  package var kind: ChangeKind?
  /// The number of the object's own entity; nil where the row held none.
  package var entityNumber: Int64?
  /// The object's primary key; nil where the row held none.
  package var primaryKey: Int64?
  /// Which slots an update touched.
  package var mask: ColumnMask?
  /// What a deleted object left behind, by slot.
  package var tombstone: [StoredValue]
  /// What else the row held.
  package var extra: [ExtraColumn]

  /// A row.
  package init(
    number: Int64, kind: ChangeKind?, entityNumber: Int64?, primaryKey: Int64?,
    mask: ColumnMask? = nil, tombstone: [StoredValue] = [], extra: [ExtraColumn] = []
  ) {
    self.number = number
    self.kind = kind
    self.entityNumber = entityNumber
    self.primaryKey = primaryKey
    self.mask = mask
    self.tombstone = tombstone
    self.extra = extra
  }
}
