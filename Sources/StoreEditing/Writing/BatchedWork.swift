import StoreFormat

/// Work on somebody's store that is done in batches, each one SQLite transaction.
///
/// A value: a batch that fails leaves it as it was before the batch.
protocol BatchedWork {
  /// Whether a step can be taken.
  var hasStep: Bool { get }
  /// Gets ready what the next batch needs, while others may have the lock.
  mutating func prepare() throws
  /// Finds out, under the lock, whether this is still the store that the work was planned for.
  mutating func checkStore() throws
  /// Takes the next step.
  mutating func takeStep() throws
}

extension BatchedWork {
  mutating func prepare() {}
}
