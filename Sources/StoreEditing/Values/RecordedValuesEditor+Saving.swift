import StoreFormat

extension RecordedValuesEditor {
  /// Keeps the values of a save that is about to be complete.
  func record(
    _ changes: [HistoryAppender.Change], at place: HistoryAppender.Place, _ schema: ObjectSchema
  ) throws {
    var rows: [RecordedValueRow] = []
    for (offset, change) in changes.enumerated() where !change.values.isEmpty {
      let entityName = schema.numbering.name(of: change.entityNumber) ?? ""
      for value in change.values {
        rows.append(
          RecordedValueRow(
            transaction: place.position.number, timestamp: place.position.timestamp,
            change: place.firstChange + Int64(offset), entityName: entityName,
            primaryKey: change.primaryKey, value: value))
      }
    }
    if !rows.isEmpty { try write(rows, removingFrom: place.position.number) }
  }
}
