import Foundation
import StoreFormat

extension PredicateExpressions.Equal: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      try translator.equal(try translator.translate(lhs), try translator.translate(rhs)))
  }
}

extension PredicateExpressions.NotEqual: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .not(try translator.equal(try translator.translate(lhs), try translator.translate(rhs))))
  }
}

extension PredicateExpressions.Comparison: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let comparison: ObjectExpression.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw PredicateTranslator.unsupported
      }
    return .expression(
      .compare(comparison, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Conjunction: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.and(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.or(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.not(try translator.scalar(of: wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .conditional(
        try translator.scalar(of: test), try translator.scalar(of: trueBranch),
        try translator.scalar(of: falseBranch)))
  }
}

extension PredicateExpressions.Arithmetic: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let operation: ObjectExpression.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw PredicateTranslator.unsupported
      }
    return .expression(
      .arithmetic(operation, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.negative(try translator.scalar(of: wrapped)))
  }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    // SQLite makes nothing of what is divided by 0, where Swift makes infinity or what is no number.
    guard case .constant(let divisor) = try translator.translate(rhs),
      case .real(let number) = try translator.stored(divisor), number != 0
    else { throw PredicateTranslator.unsupported }
    return .expression(
      .arithmetic(.divide, try translator.scalar(of: lhs), .constant(.real(number))))
  }
}

extension PredicateExpressions.IntDivision: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .arithmetic(.divide, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .arithmetic(.remainder, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}
