extension TransactionPosition {
  /// The time as a store keeps it.
  var storedTime: StoredValue {
    guard let seconds = timestamp?.secondsSinceReferenceDate, !seconds.isNaN else { return .null }
    return .real(seconds)
  }

  /// A number and a time out of the first two columns of a row.
  init?(_ row: [StoredValue]) {
    guard row.count >= 2, case .integer(let number) = row[0], let time = row[1].time else {
      return nil
    }
    self.init(number: number, timestamp: time)
  }
}

extension StoredValue {
  /// A time, or none; nil where it is anything else.
  fileprivate var time: StoreTimestamp?? {
    switch self {
    case .null: .some(nil)
    case .real(let seconds): .some(StoreTimestamp(secondsSinceReferenceDate: seconds))
    default: nil
    }
  }
}

extension RecordedValueRow {
  /// The row by column.
  package var columns: [StoredValue] {
    let position = TransactionPosition(number: transaction, timestamp: timestamp)
    return [
      .integer(transaction), position.storedTime, .integer(change), .text(entityName),
      .integer(primaryKey), .text(value.name), .text(value.kind.rawValue),
    ] + value.old.columns + value.new.columns
  }

  /// A row out of its columns; nil where they are not those of a recorded value.
  init?(_ columns: [StoredValue]) {
    guard columns.count == RecordedValuesLayout.columns.count,
      case .integer(let transaction) = columns[0], let time = columns[1].time,
      case .integer(let change) = columns[2], case .text(let entityName) = columns[3],
      case .integer(let primaryKey) = columns[4], case .text(let name) = columns[5],
      case .text(let kindName) = columns[6], let kind = RecordedValue.Kind(rawValue: kindName),
      let old = RecordedContent(columns[7], length: columns[8]),
      let new = RecordedContent(columns[9], length: columns[10])
    else { return nil }
    self.init(
      transaction: transaction, timestamp: time, change: change, entityName: entityName,
      primaryKey: primaryKey, value: RecordedValue(name: name, kind: kind, old: old, new: new))
  }
}

extension RecordedContent {
  /// A content out of its two columns; nil where they contradict each other.
  fileprivate init?(_ value: StoredValue, length: StoredValue) {
    switch (value, length) {
    case (_, .null): self = .value(value)
    case (.blob(let bytes), .integer(let length))
    where bytes.count == Self.digestLength && length >= 0:
      self = .digest(bytes, byteCount: length)
    default: return nil
    }
  }

  /// The two columns.
  package var columns: [StoredValue] {
    switch self {
    case .value(let value): [value, .null]
    case .digest(let bytes, let byteCount): [.blob(bytes), .integer(byteCount)]
    }
  }
}
