import PersistentHistory

/// One line of the exchange format.
public enum HistoryLine: Hashable, Sendable {
  /// What one save recorded.
  case transaction(HistoryTransaction)
  /// A place where history that was asked for is gone.
  case gap(HistoryGap)

  /// The schema that lines written by this code follow.
  public static let schema: Int64 = 1
}
