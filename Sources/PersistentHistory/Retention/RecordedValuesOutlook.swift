import StoreFormat

/// What becomes of the values that were recorded beside a store when its history is pruned: those of
/// transactions that are gone go as well.
package struct RecordedValuesOutlook: Hashable, Sendable {
  /// The file that keeps them.
  package let path: String
  /// The oldest transaction whose values stay.
  package let firstKept: Int64
  /// How many values go.
  package let valueCount: Int64
  /// Why none can go; nil where they can.
  package let problem: String?

  /// Looks at the values beside a store; nil where there is no file of them.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - firstKept: The oldest transaction that stays.
  init?(_ snapshot: StoreSnapshot, firstKept: Int64) throws {
    self.firstKept = firstKept
    let found: (path: String, count: Int64, problem: String?)
    do {
      guard let values = try RecordedValues(beside: snapshot) else { return nil }
      found = (values.path, try values.file.valueCount(before: firstKept), nil)
    } catch let error as StoreError {
      found = (error.path ?? snapshot.location.path, 0, error.message)
    }
    (path, valueCount, problem) = found
  }
}
