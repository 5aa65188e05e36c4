import Foundation
import StoreFormat

extension PredicateExpressions.Variable: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    try translator.meaning(of: key)
  }
}

extension PredicateExpressions.Value: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .constant(Any?.none as Any)
  }
}

extension PredicateExpressions.KeyPath: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    switch try translator.translate(root) {
    case .constant(let value):
      guard let value = value as? Root.Output else { throw PredicateTranslator.unsupported }
      return .constant(value[keyPath: keyPath])
    case .object(let path, let layout):
      let meaning = try layout.meaning(of: keyPath, at: path)
      guard case .related(var related, let layout) = meaning else { return meaning }
      related.variable = translator.newVariable()
      return .related(related, layout)
    case .related(let related, let layout):
      switch CollectionProperty(keyPath, of: layout) {
      case .count?: return .expression(.count(related))
      case .isEmpty?: return .expression(.not(.exists(related)))
      case nil: throw PredicateTranslator.unsupported
      }
    case .expression(let expression):
      guard keyPath == \String.isEmpty else { throw PredicateTranslator.unsupported }
      return .expression(.compare(.equal, expression, .constant(.text(""))))
    case .coded, .identifier, .range:
      throw PredicateTranslator.unsupported
    }
  }
}

extension EntityLayout {
  /// What a key path from a model means.
  fileprivate func meaning(
    of keyPath: AnyKeyPath, at path: ObjectPath
  ) throws -> PredicateTranslator.Meaning {
    guard let index = indexIfAny(of: keyPath) else {
      guard isIdentifier(keyPath) else { throw PredicateTranslator.unsupported }
      return .identifier(path, self)
    }
    let property = properties[index]
    if let relationship = property.relationship {
      let destination = relationship.destinationLayout
      if relationship.isToMany {
        // Whoever asks gives the variable a number of its own.
        return .related(
          RelatedObjects(owner: path, relationship: property.name, variable: 0), destination)
      }
      return .object(path.following(property.name), destination)
    }
    guard let codec = property.codec, !property.isTransient else {
      throw PredicateTranslator.unsupported
    }
    switch codec.storage {
    // What the column says of a value is not the value.
    case .plain where property.keepsLargeValues:
      return .coded(.attribute(path, property.name), codec)
    case .plain: return .expression(.attribute(path, property.name))
    case .composite(let shape) where shape.isSingle:
      return .coded(.attribute(path, codec.paths(of: property.name)[0]), codec)
    case .composite: throw PredicateTranslator.unsupported
    case .coded, .transformed: return .coded(.attribute(path, property.name), codec)
    }
  }
}

/// What predicates ask of the models at the other end of a relationship as a whole.
private enum CollectionProperty {
  case count, isEmpty

  init?(_ keyPath: AnyKeyPath, of layout: EntityLayout) {
    func find<Model: PersistentModel>(_ type: Model.Type) -> CollectionProperty? {
      if keyPath == \[Model].count { return .count }
      if keyPath == \[Model].isEmpty { return .isEmpty }
      return nil
    }
    guard let found = find(layout.type) else { return nil }
    self = found
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let inner = try translator.translate(wrapped)
    let presence: ObjectExpression
    switch inner {
    case .constant(let value):
      guard let unwrapped = PropertyLayout.unwrapped(value) else {
        return .expression(.constant(.null))
      }
      translator.define(variable.key, as: .constant(unwrapped))
      return try translator.translate(transform)
    case .expression(let expression), .coded(let expression, _): presence = expression
    case .object(let path, _): presence = .primaryKey(path)
    case .identifier, .related, .range: presence = .constant(.integer(1))
    }
    translator.define(variable.key, as: inner)
    let result = try translator.translate(transform)
    guard case .expression(let expression) = result else { return result }
    // An attribute of nothing is null by itself.
    if case .attribute = expression { return result }
    return .expression(.conditional(.isNull(presence), .constant(.null), expression))
  }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.coalesce(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    // In memory a forced nil is an error; SQL would go on.
    throw PredicateTranslator.unsupported
  }
}
