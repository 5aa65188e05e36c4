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
  var values: [PropertyValue] { didSet { members = [:] } }
  /// What is in long lists, by property, where that was asked for since they last became others.
  var members: [Int: Set<PersistentIdentifier>] = [:]
  /// The lists that were changed while the store could not be read, so that what else is in them has
  /// to be known before they are saved.
  var unreadLists: Set<Int> = []
  /// The attributes that somebody has seen blank because they could not be read.
  var seenBlank: Set<Int> = []
  /// Those of them that were changed then, perhaps by what was made of the blank value: to save them
  /// would lose what the store has.
  var changedBlanks: Set<Int> = []
  var phase = Phase.standalone
  /// The values before the first change that was not saved; nil where there is none.
  var original: [PropertyValue]?
  /// Whether others have deleted the model, which has changes that cannot be saved any more.
  var isGone = false
  /// The properties that were changed since then.
  var changed: Set<Int> = []
  /// The files that large values were read from.
  var files: [Int: LargeValueFile] = [:]
  weak var model: (any PersistentModel)?
  private var knownIdentifier: PersistentIdentifier?
  private weak var ownContext: ModelContext?
  /// The context, kept for as long as the model is used.
  ///
  /// A context keeps its models that have changes, and those must not keep it in turn.
  private var keptContext: ModelContext?
  /// How many keep the model on behalf of the context, besides its changes.
  private var holdCount = 0
  let observers = ObservationRegistrar()

  init(layout: EntityLayout) {
    self.layout = layout
    values = layout.blankValues
  }

  /// What a model of a store has, which is to keep its context.
  init(
    layout: EntityLayout, identifier: PersistentIdentifier, values: [PropertyValue],
    context: ModelContext
  ) {
    self.layout = layout
    self.values = values
    knownIdentifier = identifier
    phase = .registered
    ownContext = context
    keptContext = context
  }

  /// The context that the model belongs to.
  var context: ModelContext? {
    get { ownContext }
    set {
      ownContext = newValue
      keptContext = nil
    }
  }

  /// Keeps the context, unless that keeps the model.
  func keepContext() { keptContext = holdCount == 0 ? ownContext : nil }

  /// Lets the context go, which keeps the model from now on.
  func releaseContext() { keptContext = nil }

  /// Notes that somebody whom the context keeps keeps the model.
  func hold() {
    holdCount += 1
    keptContext = nil
  }

  /// Notes that somebody has let the model go.
  func letGo() {
    holdCount -= 1
    if phase == .registered, original == nil { keepContext() }
  }

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
      var others = members
      members = [:]
      others[index] = nil
      values[index] = value
      members = others
    }
  }

  // MARK: - Attributes

  /// A value, read from the store where it must be.
  private func filled(at index: Int) -> PropertyValue {
    guard case .fault = values[index] else { return values[index] }
    var problem: (any Error)?
    do {
      try context?.fulfill(self)
    } catch {
      problem = error
    }
    guard case .fault = values[index] else { return values[index] }
    if let problem {
      // It may be there all the same, and be read the next time.
      context?.couldNotRead(problem)
      return layout.emptyValue(at: index)
    }
    // What is not to be had is nothing.
    values[index] = layout.emptyValue(at: index)
    return values[index]
  }

  /// Forgets what was done about properties that could not be read.
  func forgetUnread() {
    unreadLists = []
    seenBlank = []
    changedBlanks = []
  }

  /// Whether a property was not read yet, or could not be.
  func isFault(at index: Int) -> Bool {
    if case .fault = values[index] { true } else { false }
  }

  /// Takes over what was read of properties that were not known.
  func fill(_ stored: [PropertyValue]) {
    for index in stored.indices {
      if case .fault = values[index] {
        values[index] = stored[index]
        if !isFault(at: index) { seenBlank.remove(index) }
      }
      if let before = original?[index], case .fault = before { original?[index] = stored[index] }
    }
  }

  /// The value of an attribute, decoded where nobody has asked for it yet.
  func attribute<Value>(at index: Int) -> Value {
    if let value = attributeValue(at: index) {
      if let value = value as? Value { return value }
    } else if let none = (Value.self as? any OptionalValue.Type)?.none as? Value {
      return none
    }
    func blank<Blank: Decodable>(_ type: Blank.Type) -> Value? {
      BlankValue.make(type).flatMap { $0 as? Value }
    }
    if let type = Value.self as? any Decodable.Type, let blank = blank(type) { return blank }
    // Nothing can be thrown here.
    if case .value(let value) = layout.blankValues[index], let value = value as? Value {
      return value
    }
    func anyValue<Blank: Decodable>(_ type: Blank.Type) -> Value? {
      BlankValue.makeAny(type).flatMap { $0 as? Value }
    }
    if let type = Value.self as? any Decodable.Type, let value = anyValue(type) { return value }
    preconditionFailure(
      "\(layout.name).\(layout.properties[index].name) has no value, and none can be made of its "
        + "type; the model may have been deleted")
  }

  /// The value of an attribute; nil for nothing.
  func attributeValue(at index: Int) -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    let filled = filled(at: index)
    if context != nil, isFault(at: index) { seenBlank.insert(index) }
    switch filled {
    case .value(let value): return value
    case .stored(let stored):
      guard let value = codec.value(of: stored) else { return nil }
      values[index] = .value(value)
      return value
    case .elements(let elements):
      guard let value = codec.value(of: elements) else { return nil }
      values[index] = .value(value)
      return value
    case .inFile(let file):
      do {
        guard let value = try largeValue(in: file, at: index) else { return nil }
        seenBlank.remove(index)
        values[index] = .value(value)
        return value
      } catch {
        // Nothing can be thrown here; a save refuses to replace the value by what becomes of the blank.
        context?.couldNotRead(error)
        seenBlank.insert(index)
        return nil
      }
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

  /// What a to-many relationship leads to; only what is known of it where it cannot be read.
  func toManyReferences(at index: Int) -> [ModelReference] {
    do {
      return try readList(at: index)
    } catch {
      context?.couldNotRead(error)
      return values[index].references(among: [])
    }
  }

  /// What a to-many relationship leads to.
  ///
  /// - Throws: What the store throws; the list is then as unknown as before.
  func readList(at index: Int) throws -> [ModelReference] {
    if isFault(at: index) { try context?.fulfill(self) }
    switch filled(at: index) {
    case .toMany(let references): return references
    case .toManyFault:
      guard let context else { return [] }
      let stored = try context.storedIdentifiers(of: self, at: index)
      return fill(stored, at: index)
    default: return []
    }
  }

  /// Takes over what the store has of a list that was not read, and gives what it leads to.
  @discardableResult
  func fill(_ stored: [PersistentIdentifier], at index: Int) -> [ModelReference] {
    unreadLists.remove(index)
    let references = values[index].references(among: stored)
    values[index] = .toMany(references)
    // What was there before the first change is known now as well.
    if let before = original?[index], case .toManyFault = before {
      original?[index] = .toMany(before.references(among: stored))
    }
    return references
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
