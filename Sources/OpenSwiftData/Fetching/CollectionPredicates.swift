import Foundation
import StoreFormat
import StoreWriting

extension PredicateExpressions.SequenceContains: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let element = try translator.translate(self.element)
    switch try translator.translate(sequence) {
    case .constant(let value):
      guard let values = value as? any Sequence else { throw PredicateTranslator.unsupported }
      return .expression(try translator.contained(element, in: values))
    case .related(var related, let layout):
      related.condition = try translator.equal(
        .object(ObjectPath(variable: related.variable), layout), element)
      return .expression(.exists(related))
    default: throw PredicateTranslator.unsupported
    }
  }
}

extension PredicateTranslator {
  fileprivate func contained(
    _ element: Meaning, in values: any Sequence
  ) throws -> ObjectExpression {
    func list<S: Sequence>(_ values: S) -> [Any] { Array(values) }
    let values = list(values)
    switch element {
    case .object(let path, let layout):
      let keys = try values.compactMap { value in
        try PropertyLayout.unwrapped(value).map { try key(of: $0, layout) } ?? nil
      }
      return .contained(.primaryKey(path), keys.map(StoredValue.integer))
    default:
      return .contained(try scalar(element), try values.map { try stored($0) })
    }
  }

  fileprivate mutating func chosen(
    _ sequence: some PredicateExpression, variable: PredicateExpressions.VariableID,
    test: some PredicateExpression, isNegated: Bool = false
  ) throws -> (RelatedObjects, EntityLayout) {
    guard case .related(var related, let layout) = try translate(sequence) else {
      throw Self.unsupported
    }
    define(variable, as: .object(ObjectPath(variable: related.variable), layout))
    var condition = try scalar(of: test)
    if isNegated { condition = .not(condition) }
    related.condition = related.condition.map { .and($0, condition) } ?? condition
    return (related, layout)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.exists(try translator.chosen(sequence, variable: variable.key, test: test).0))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let others = try translator.chosen(
      sequence, variable: variable.key, test: test, isNegated: true)
    return .expression(.not(.exists(others.0)))
  }
}

extension PredicateExpressions.Filter: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let (related, layout) = try translator.chosen(sequence, variable: variable.key, test: filter)
    return .related(related, layout)
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard Base.Output.self == String.self, Other.Output.self == String.self else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .text(.contains, try translator.scalar(of: base), try translator.scalar(of: other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .text(.startsWith, try translator.scalar(of: base), try translator.scalar(of: prefix)))
  }
}
