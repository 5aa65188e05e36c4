#if !canImport(Darwin)
import Foundation

extension PredicateExpressions {
  /// Whether a text contains another one as people look for words: whatever the case and the accents.
  ///
  /// Foundation has this on Apple's systems only.
  public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// Whether it is contained.
    public typealias Output = Bool

    /// The text that is looked through.
    public let root: Root
    /// The text that is looked for.
    public let other: Other

    /// Looks for the text.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let text = String(try root.evaluate(bindings))
      let part = String(try other.evaluate(bindings))
      return text.range(
        of: part, options: [.caseInsensitive, .diacriticInsensitive], locale: .current) != nil
    }
  }

  /// What `localizedStandardContains` in a predicate becomes.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
