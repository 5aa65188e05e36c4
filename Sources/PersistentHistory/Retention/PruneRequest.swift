/// What somebody wants to be pruned, for any store.
public struct PruneRequest: Hashable, Sendable {
  /// What is to be deleted.
  public enum Target: Hashable, Sendable {
    /// The transactions that none of these rules keeps; at least one.
    case transactions([RetentionRule])
    /// The changes of an entity that has left the model, by its name, or `#` and its number.
    case entity(String)
  }

  /// What is to be deleted.
  public var target: Target
  /// Nothing is deleted unless the history takes more bytes than this.
  public var ifLargerThan: Int64?
  /// How far behind a bookmark may be before it no longer holds history back.
  public var allowance: BookmarkAllowance?
  /// The names of guards that are not asked; `bookmarks`, `mirroring`, `newest`, `archive` or `damage`.
  public var ignoredGuards: Set<String> = []
  /// What is sealed in an archive, where nothing else may go; nil where there is none.
  package var sealed: SealedHistory?
  /// Tokens of which it is to be said what becomes of them.
  public var tokens: [String] = []

  /// A request without conditions.
  public init(_ target: Target) { self.target = target }
}
