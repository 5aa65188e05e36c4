import Observation
import StoreFormat

/// The values of one model and its relation to a context, without the type of the model.
final class ModelState: Observable {
  enum Phase {
    /// The model belongs to no context.
    case standalone
    /// The next save inserts the model.
    case inserted
    /// The model is in the store.
    case registered
    /// The next save deletes the model.
    case deleted
  }

  let layout: EntityLayout
  var values: [PropertyValue] { didSet { if rarities != nil { members = [:] } } }
  /// The values before the first unsaved change, or `nil` without one.
  var original: [PropertyValue]?
  /// The properties with unsaved changes.
  var changed: Set<Int> = []
  weak var model: (any PersistentModel)?
  private var knownIdentifier: PersistentIdentifier?
  // These fill the rest of the identifier's last word.
  var phase = Phase.standalone
  /// Whether others deleted the model while it has unsaved changes.
  var isGone = false
  /// The number of other owners of the model that the context owns.
  private var holdCount: Int32 = 0
  private var link: ContextLink?
  /// The context, as long as it does not own the model: a context owns models with changes.
  private var keptContext: ModelContext?
  /// `nil` until a property is first read, because it cannot be observed before.
  private var knownObservers: ModelObservers?
  private var rarities: Rarities?

  /// What most models do not have: without it, each takes less memory and is made faster.
  private final class Rarities {
    var members: [Int: Set<PersistentIdentifier>] = [:]
    var unreadLists: Set<Int> = []
    var seenBlank: Set<Int> = []
    var changedBlanks: Set<Int> = []
    var files: [Int: LargeValueFile] = [:]
  }

  init(layout: EntityLayout) {
    self.layout = layout
    values = layout.blankValues
  }

  init(
    layout: EntityLayout, identifier: PersistentIdentifier, values: [PropertyValue],
    context: ModelContext
  ) {
    self.layout = layout
    self.values = values
    knownIdentifier = identifier
    phase = .registered
    link = context.link
    keptContext = context
  }

  /// Returns where a value belongs, or `nil` if it is nowhere because it is empty.
  private func rarities(for value: some Collection) -> Rarities? {
    if rarities == nil, !value.isEmpty { rarities = Rarities() }
    return rarities
  }

  /// The members of long lists that were searched, by property.
  var members: [Int: Set<PersistentIdentifier>] {
    get { rarities?.members ?? [:] }
    set { if let rare = rarities(for: newValue) { rare.members = newValue } }
  }

  /// The lists that were changed while they could not be read; they must be read before they are
  /// saved.
  var unreadLists: Set<Int> {
    get { rarities?.unreadLists ?? [] }
    set { if let rare = rarities(for: newValue) { rare.unreadLists = newValue } }
  }

  /// The attributes that were seen blank because they could not be read.
  var seenBlank: Set<Int> {
    get { rarities?.seenBlank ?? [] }
    set { if let rare = rarities(for: newValue) { rare.seenBlank = newValue } }
  }

  /// The attributes that were changed after they were seen blank; saving them could lose the stored
  /// value.
  var changedBlanks: Set<Int> {
    get { rarities?.changedBlanks ?? [] }
    set { if let rare = rarities(for: newValue) { rare.changedBlanks = newValue } }
  }

  /// The files that large values were read from.
  var files: [Int: LargeValueFile] {
    get { rarities?.files ?? [:] }
    set { if let rare = rarities(for: newValue) { rare.files = newValue } }
  }

  var context: ModelContext? {
    get { link?.context }
    set {
      link = newValue?.link
      keptContext = nil
    }
  }

  func keepContext() { keptContext = holdCount == 0 ? context : nil }

  func releaseContext() { keptContext = nil }

  func hold() {
    holdCount += 1
    keptContext = nil
  }

  func letGo() {
    holdCount -= 1
    if phase == .registered, original == nil { keepContext() }
  }

  var identifier: PersistentIdentifier {
    get {
      if let knownIdentifier { return knownIdentifier }
      let identifier = PersistentIdentifier.temporary(layout.temporaryOrigin)
      knownIdentifier = identifier
      return identifier
    }
    set { knownIdentifier = newValue }
  }

  static func of<Data: BackingData>(_ backingData: Data) -> ModelState {
    backingData._$values as? ModelState
      ?? ModelState(layout: EntityLayout.of(Data.Model.self))
  }

  func inherit(_ other: ModelState) {
    let count = min(layout.inheritedCount, other.values.count)
    values.replaceSubrange(..<count, with: other.values[..<count])
  }

  // MARK: - Observers

  /// The property under which observers are registered.
  subscript(property index: Int) -> Void { () }

  var observers: ObservationRegistrar {
    if let knownObservers { return knownObservers.registrar }
    let made = ModelObservers()
    knownObservers = made
    return made.registrar
  }

  func isRead(at index: Int) {
    if knownObservers == nil, let link {
      guard let tracked = link.observersIfTracked(self) else { return }
      knownObservers = tracked
    }
    observers.access(self, keyPath: layout.observedProperties[index])
  }

  /// Changes a value and tells observers, whether by a setter, a relationship, an undo or the save
  /// of another context.
  func change(_ value: PropertyValue, at index: Int) {
    mutate(at: index) {
      guard rarities != nil else { return values[index] = value }
      var others = members
      members = [:]
      others[index] = nil
      values[index] = value
      members = others
    }
  }

  /// Runs a closure that changes a value, and tells observers.
  func mutate(at index: Int, _ mutation: () -> Void) {
    guard let knownObservers else { return mutation() }
    knownObservers.registrar.withMutation(
      of: self, keyPath: layout.observedProperties[index], mutation)
  }

  // MARK: - Attributes

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
      // It may be readable the next time.
      context?.couldNotRead(problem)
      return layout.emptyValue(at: index)
    }
    // The model is missing.
    values[index] = layout.emptyValue(at: index)
    return values[index]
  }

  func forgetUnread() {
    unreadLists = []
    seenBlank = []
    changedBlanks = []
  }

  func isFault(at index: Int) -> Bool {
    if case .fault = values[index] { true } else { false }
  }

  func fill(_ stored: [PropertyValue]) {
    for index in stored.indices {
      if case .fault = values[index] {
        values[index] = stored[index]
        if !isFault(at: index) { seenBlank.remove(index) }
      }
      if let before = original?[index], case .fault = before { original?[index] = stored[index] }
    }
  }

  func attribute<Value>(at index: Int) -> Value {
    if let value = attributeValue(at: index) {
      if let value = value as? Value { return value }
    } else if let none = (Value.self as? any OptionalValue.Type)?.none as? Value {
      return none
    }
    let type = Value.self as? any Decodable.Type
    // Nothing can be thrown here.
    if let type, let blank = BlankValue.make(type) as? Value { return blank }
    if case .value(let value) = layout.blankValues[index], let value = value as? Value {
      return value
    }
    if let type, let value = BlankValue.makeAny(type) as? Value { return value }
    preconditionFailure(
      "\(layout.name).\(layout.properties[index].name) has no value, and none can be made of its "
        + "type; the model may have been deleted")
  }

  func attributeValue(at index: Int) -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    let filled = filled(at: index)
    if context != nil, isFault(at: index) { seenBlank.insert(index) }
    let value: Any?
    switch filled {
    case .value(let value): return value
    case .stored(let stored): value = codec.value(of: stored)
    case .elements(let elements): value = codec.value(of: elements)
    case .inFile(let file):
      do {
        value = try largeValue(in: file, at: index)
        if value != nil { seenBlank.remove(index) }
      } catch {
        // Nothing can be thrown here; a save refuses to replace the value by a changed blank one.
        context?.couldNotRead(error)
        seenBlank.insert(index)
        return nil
      }
    default: return nil
    }
    if let value { values[index] = .value(value) }
    return value
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

  func setStored(_ newValue: StoredValue, at index: Int) {
    context?.willChange(self, at: index)
    change(.stored(newValue), at: index)
  }

  // MARK: - Relationships

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

  func toManyReferences(at index: Int) -> [ModelReference] {
    do {
      return try readList(at: index)
    } catch {
      context?.couldNotRead(error)
      return values[index].references(among: [])
    }
  }

  /// Returns the targets of a to-many relationship.
  ///
  /// - Throws: The error of the store; the list then stays unread.
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

  @discardableResult
  func fill(_ stored: [PersistentIdentifier], at index: Int) -> [ModelReference] {
    unreadLists.remove(index)
    let references = values[index].references(among: stored)
    values[index] = .toMany(references)
    // The list before the first change is known now too.
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
