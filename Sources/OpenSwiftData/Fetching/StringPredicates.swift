#if !canImport(Darwin)
import Foundation

extension PredicateExpressions {
  /// The comparison of two texts regardless of case, which Foundation has on Apple's systems only.
  public struct StringCaseInsensitiveCompare<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// The order of the texts.
    public typealias Output = ComparisonResult

    /// The text.
    public let root: Root
    /// The text to compare with.
    public let other: Other

    /// Compares the texts.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      String(try root.evaluate(bindings))
        .caseInsensitiveCompare(String(try other.evaluate(bindings)))
    }
  }

  /// Builds the expression for `caseInsensitiveCompare` in a predicate.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  /// The search for a text regardless of case and accents, which Foundation has on Apple's systems
  /// only.
  public struct StringLocalizedStandardContains<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// Whether the text was found.
    public typealias Output = Bool

    /// The text to search.
    public let root: Root
    /// The text to find.
    public let other: Other

    /// Searches for the text.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let text = String(try root.evaluate(bindings))
      let part = String(try other.evaluate(bindings))
      return text.range(
        of: part, options: [.caseInsensitive, .diacriticInsensitive], locale: .current) != nil
    }
  }

  /// Builds the expression for `localizedStandardContains` in a predicate.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
