import Observation
import StoreFormat

/// The values of one model, and where it stands.
///
/// All that a context does, it does to this, without knowing the model's type.
final class ModelState: Observable {
  /// How a model stands to its context.
  enum Phase {
    /// It belongs to none.
    case standalone
    /// It is to be put into the store.
    case inserted
    /// It is in the store.
    case registered
    /// It is to be deleted from the store.
    case deleted
  }

  let layout: EntityLayout
  var values: [PropertyValue]
  var phase = Phase.standalone
  /// The values before the first change that was not saved; nil where there is none.
  var original: [PropertyValue]?
  /// Whether others have deleted the model, which has changes that cannot be saved any more.
  var isGone = false
  /// The properties that were changed since then.
  var changed: Set<Int> = []
  weak var model: (any PersistentModel)?
  private var knownIdentifier: PersistentIdentifier?
  private weak var ownContext: ModelContext?
  /// The context, kept for as long as the model is used.
  ///
  /// A context keeps its models that have changes, and those must not keep it in turn.
  private var keptContext: ModelContext?
  private let observers = ObservationRegistrar()

  init(layout: EntityLayout) {
    self.layout = layout
    values = layout.blankValues
  }

  init(layout: EntityLayout, identifier: PersistentIdentifier, values: [PropertyValue]) {
    self.layout = layout
    self.values = values
    knownIdentifier = identifier
    phase = .registered
  }

  /// The context that the model belongs to.
  var context: ModelContext? {
    get { ownContext }
    set {
      ownContext = newValue
      keptContext = nil
    }
  }

  /// Keeps the context, which does not keep the model.
  func keepContext() { keptContext = ownContext }

  /// Lets the context go, which keeps the model from now on.
  func releaseContext() { keptContext = nil }

  var identifier: PersistentIdentifier {
    get {
      if let knownIdentifier { return knownIdentifier }
      let identifier = PersistentIdentifier.temporary(entityName: layout.name)
      knownIdentifier = identifier
      return identifier
    }
    set { knownIdentifier = newValue }
  }

  /// The state behind backing data; an empty one for backing data of another kind.
  static func of<Data: BackingData>(_ backingData: Data) -> ModelState {
    (backingData as? StatefulBackingData)?.state
      ?? ModelState(layout: EntityLayout.of(Data.Model.self))
  }

  /// Takes over the values of the properties that the class inherits.
  func inherit(_ other: ModelState) {
    let count = min(layout.inheritedCount, other.values.count)
    values.replaceSubrange(..<count, with: other.values[..<count])
  }

  // MARK: - Observers

  /// A property as observers name it.
  subscript(property index: Int) -> Void { () }

  /// Lets whoever is observing know that a property was looked at.
  func isRead(at index: Int) {
    observers.access(self, keyPath: layout.observedProperties[index])
  }

  /// Changes a value, and tells those who observe it.
  ///
  /// It does not matter who brings the change about: the model's own setter, the other end of a
  /// relationship, an undo, or somebody else's save.
  func change(_ value: PropertyValue, at index: Int) {
    observers.withMutation(of: self, keyPath: layout.observedProperties[index]) {
      values[index] = value
    }
  }

  // MARK: - Attributes

  /// A value, read from the store where it must be.
  private func filled(at index: Int) -> PropertyValue {
    if case .fault = values[index] {
      context?.fulfill(self)
      // What is not to be had is nothing.
      if case .fault = values[index] { values[index] = layout.emptyValue(at: index) }
    }
    return values[index]
  }

  /// The value of an attribute, decoded where nobody has asked for it yet.
  func attribute<Value: Decodable>(at index: Int) -> Value {
    if let value = attributeValue(at: index) {
      if let value = value as? Value { return value }
    } else if let none = (Value.self as? any OptionalValue.Type)?.none as? Value {
      return none
    }
    if let blank = BlankValue.make(Value.self) { return blank }
    preconditionFailure(
      "\(layout.name).\(layout.properties[index].name) has no value, and none can be made of its "
        + "type; the model may have been deleted")
  }

  /// The value of an attribute; nil for nothing.
  func attributeValue(at index: Int) -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    switch filled(at: index) {
    case .value(let value): return value
    case .stored(let stored):
      guard let value = codec.value(of: stored) else { return nil }
      values[index] = .value(value)
      return value
    case .elements(let elements):
      guard let value = codec.value(of: elements) else { return nil }
      values[index] = .value(value)
      return value
    default: return nil
    }
  }

  func setAttribute(_ newValue: Any, at index: Int) {
    context?.willChange(self, at: index)
    if layout.properties[index].isOptional {
      let unwrapped = (newValue as? any OptionalValue)?.unwrapped
      change(unwrapped.map(PropertyValue.value) ?? .null, at: index)
    } else {
      change(.value(newValue), at: index)
    }
  }

  /// Sets an attribute to what a column holds for its value.
  func setStored(_ newValue: StoredValue, at index: Int) {
    context?.willChange(self, at: index)
    change(.stored(newValue), at: index)
  }

  // MARK: - Relationships

  /// What a to-one relationship leads to.
  func toOneReference(at index: Int) -> ModelReference? {
    if case .toOne(let reference) = filled(at: index) { reference } else { nil }
  }

  func toOne(at index: Int) -> (any PersistentModel)? {
    guard let reference = toOneReference(at: index) else { return nil }
    switch reference {
    case .model(let model): return model
    case .identifier(let identifier): return context?.existingModel(for: identifier)
    }
  }

  func setToOne(_ target: (any PersistentModel)?, at index: Int) {
    guard let context else {
      change(.toOne(target.map(ModelReference.model)), at: index)
      return
    }
    context.setToOne(target, of: self, at: index)
  }

  /// What a to-many relationship leads to.
  func toManyReferences(at index: Int) -> [ModelReference] {
    switch filled(at: index) {
    case .toMany(let references): return references
    case .toManyFault:
      guard let context else { return [] }
      let stored = context.storedIdentifiers(of: self, at: index)
      let references = values[index].references(among: stored)
      values[index] = .toMany(references)
      // What was there before the first change is known now as well.
      if let before = original?[index], case .toManyFault = before {
        original?[index] = .toMany(before.references(among: stored))
      }
      return references
    default: return []
    }
  }

  func toMany(at index: Int) -> [any PersistentModel] {
    let references = toManyReferences(at: index)
    if let context { return context.existingModels(for: references.map(\.identifier)) }
    return references.compactMap { if case .model(let model) = $0 { model } else { nil } }
  }

  func setToMany(_ targets: [any PersistentModel], at index: Int) {
    guard let context else {
      change(.toMany(targets.map(ModelReference.model)), at: index)
      return
    }
    context.setToMany(targets, of: self, at: index)
  }
}
