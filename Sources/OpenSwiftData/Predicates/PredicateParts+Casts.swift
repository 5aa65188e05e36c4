import Foundation
import StoreFormat

extension PredicateExpressions.ConditionalCast: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    try translator.translate(input).cast(to: Desired.self)
  }
}

extension PredicateExpressions.TypeCheck: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard case .object(let path, _) = try translator.translate(input).cast(to: Desired.self) else {
      return .expression(.constant(.integer(0)))
    }
    return .expression(.not(.isNull(.primaryKey(path))))
  }
}

extension PredicateTranslator.Meaning {
  /// A model looked at as one of another class; a constant nil where it can never be one.
  fileprivate func cast(to type: Any.Type) throws -> PredicateTranslator.Meaning {
    guard case .object(let path, let layout) = self, let type = type as? any PersistentModel.Type
    else { throw PredicateTranslator.unsupported }
    let wanted = EntityLayout.of(any: type)
    if layout.isKind(of: wanted) { return self }
    guard wanted.isKind(of: layout) else { return .constant(Any?.none as Any) }
    return .object(path.cast(to: wanted.name), wanted)
  }
}
