/// What somebody wants to be put back.
package struct RestoreRequest: Hashable, Sendable {
  /// The token that is to work again, so that its transaction is the oldest that is restored; a moment
  /// restores what was saved at it or after. Nil for everything that is sealed without a gap.
  package var from: String?
  /// The names of guards that are not asked; see ``RetentionGuard/mirroringName``.
  package var ignoredGuards: Set<String>
  /// Whether recorded values that are sealed with their changes come back beside the store.
  package var restoresValues = true

  /// A request.
  package init(from: String? = nil, ignoredGuards: Set<String> = []) {
    self.from = from
    self.ignoredGuards = ignoredGuards
  }
}
