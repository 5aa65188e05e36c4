#if !canImport(Darwin)
import Foundation

extension PredicateExpressions {
  /// How a text compares with another one, whatever the case.
  ///
  /// Foundation has this on Apple's systems only.
  public struct StringCaseInsensitiveCompare<Root, Other>: PredicateExpression
  where
    Root: PredicateExpression, Other: PredicateExpression, Root.Output: StringProtocol,
    Other.Output: StringProtocol
  {
    /// What comes first.
    public typealias Output = ComparisonResult

    /// The text.
    public let root: Root
    /// The text that it is compared with.
    public let other: Other

    /// Compares the texts.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      String(try root.evaluate(bindings))
        .caseInsensitiveCompare(String(try other.evaluate(bindings)))
    }
  }

  /// What `caseInsensitiveCompare` in a predicate becomes.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
