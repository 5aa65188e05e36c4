/// A place where history that was asked for is gone.
public struct HistoryGap: Hashable, Sendable {
  /// The identifier of the store; nil in a store that has none.
  public let store: String?
  /// The last transaction before the gap.
  public let after: Int64
  /// The oldest transaction behind the gap; nil where there is none.
  public let oldest: Int64?

  /// A gap.
  package init(store: String?, after: Int64, oldest: Int64?) {
    self.store = store
    self.after = after
    self.oldest = oldest
  }

  /// What is missing, in words.
  public var message: String {
    guard let oldest else { return "everything after transaction \(after) is gone" }
    // Lines that tell of a gap may tell anything.
    let (first, last) = (after &+ 1, oldest &- 1)
    return first >= last
      ? "transaction \(first) is gone" : "transactions \(first) to \(last) are gone"
  }
}
