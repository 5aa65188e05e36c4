import StoreFormat

/// What the recorded values of objects come to in archived transactions, of the objects that are being
/// folded.
///
/// A file beside a store is asked for them when they are needed; an archive would have to be read again.
/// What is kept has a limit, as that of ``ArchivedDeletions``.
struct ArchivedValues {
  /// How many bytes are kept at a time.
  private static let mostBytes = 8 << 20

  private var entries: [NetChangeRow.Object: [RecordedValue]] = [:]
  private var byteCount = 0

  /// Whether fewer objects must be folded at a time.
  var isFull: Bool { byteCount > Self.mostBytes }

  /// What is known of an object.
  subscript(object: NetChangeRow.Object) -> [RecordedValue] { entries[object] ?? [] }

  /// Adds what an update changed.
  mutating func add(_ change: HistoryChange, _ object: NetChangeRow.Object) {
    guard change.kind == .update, !change.values.isEmpty else { return }
    var values = entries[object] ?? []
    byteCount -= values.byteCount
    for value in change.values { values.fold(value) }
    byteCount += values.byteCount
    entries[object] = values
  }

  /// Forgets the objects that come behind another one.
  mutating func removeAll(behind last: NetChangeRow.Object) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { !(last < $0.key) }
    byteCount = entries.values.reduce(0) { $0 + $1.byteCount }
  }
}
