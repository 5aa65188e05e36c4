import Foundation
import StoreFormat

/// Translates predicates on models into conditions that a store can check.
enum PredicateTranslation {
  /// The condition that a predicate means.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - layout: The model that it is about.
  ///   - storeIdentifier: The identifier of the store.
  ///   - layouts: The models of the store, by name.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` where there is none that means exactly the same.
  static func condition<T: PersistentModel>(
    _ predicate: Predicate<T>, layout: EntityLayout, storeIdentifier: String,
    layouts: [String: EntityLayout]
  ) throws -> ObjectExpression {
    var translator = PredicateTranslator(storeIdentifier: storeIdentifier, layouts: layouts)
    translator.define(
      predicate.variable.key, as: .object(ObjectPath(variable: 0), layout))
    return try translator.scalar(translator.translate(predicate.expression))
  }

  /// Whether a predicate asks for more than the attributes of the model itself; true where that is
  /// not known.
  static func looksAtRelatedModels<T: PersistentModel>(_ predicate: Predicate<T>) -> Bool {
    guard
      let condition = try? condition(
        predicate, layout: EntityLayout.of(T.self), storeIdentifier: "", layouts: [:])
    else { return true }
    return condition.looksAtRelatedObjects
  }
}

extension ObjectExpression {
  /// Whether more is asked for than what one object itself has.
  fileprivate var looksAtRelatedObjects: Bool {
    switch self {
    case .constant: false
    // The key of a to-one relationship stands in the object itself.
    case .primaryKey(let path): path.relationships.count > 1
    case .attribute(let path, _), .entityNumber(let path): !path.relationships.isEmpty
    case .compare(_, let left, let right), .and(let left, let right), .or(let left, let right),
      .arithmetic(_, let left, let right), .text(_, let left, let right),
      .coalesce(let left, let right):
      left.looksAtRelatedObjects || right.looksAtRelatedObjects
    case .not(let operand), .isNull(let operand), .negative(let operand),
      .contained(let operand, _):
      operand.looksAtRelatedObjects
    case .conditional(let condition, let yes, let no):
      [condition, yes, no].contains(where: \.looksAtRelatedObjects)
    case .count, .exists: true
    }
  }
}
