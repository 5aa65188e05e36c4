import StoreFormat

extension StoreInspection {
  /// Looks at the values that were recorded beside the store, as far as there are any.
  ///
  /// What a save leaves that was never complete is no finding, and nor is what an app leaves that has
  /// deleted history by itself: nobody sees either, and the next save or the next prune removes it.
  mutating func inspectValues() throws {
    let path = RecordedValuesFile.path(besideStore: snapshot.location.resolvedPath)
    do {
      guard let values = try RecordedValues(beside: snapshot) else { return }
      let problems = try values.file.pageProblems()
      for problem in problems { findings.add(.unusableValues, at: .file(path), problem) }
      if problems.isEmpty { try inspect(values) }
    } catch let error as StoreError {
      switch error {
      case .unusableValues(path, let reason), .unreadable(path, let reason):
        findings.add(.unusableValues, at: .file(path), reason)
      default: throw error
      }
    }
  }

  private mutating func inspect(_ values: RecordedValues) throws {
    var last: Int64?
    while case let positions = try values.file.positions(after: last, limit: 256),
      let end = positions.last
    {
      for position in positions {
        facts.recordedTransactionCount += 1
        guard let found = try snapshot.timestamp(ofTransaction: position.number) else {
          facts.absentTransactionCount += 1
          continue
        }
        guard found.timestamp == position.timestamp else {
          findings.add(
            .foreignValues, at: .transaction(position.number), "it was saved at another time")
          continue
        }
        try values.forEachRow(of: position) { row in
          guard try !snapshot.hasUpdate(row) else { return }
          findings.add(
            .misfittingValues, at: .change(row.change, transaction: row.transaction),
            "it is no update of \(row.entityName)/p\(row.primaryKey)")
        }
      }
      last = end.number
    }
  }
}
