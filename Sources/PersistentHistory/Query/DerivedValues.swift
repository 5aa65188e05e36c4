import StoreFormat

/// Which changes meet conditions by values that were not kept with them, and that follow from their neighbors.
///
/// What a change set is what the object's next change of the attribute removed or, if there is none, what the object
/// has now; what it removed is what the change before set. ``ObjectBlame`` finds the values of an object so.
package struct DerivedValues: Hashable, Sendable {
  /// The maximum number of conditions, each of which has a bit.
  private static let maxConditions = 32
  /// The maximum number of values that are remembered; later ones are not derived.
  fileprivate static let maxRemembered = 1 << 18

  private struct Match: Hashable, Sendable {
    /// The conditions that a derived value meets.
    var met: UInt32 = 0
    /// The conditions whose values are all known.
    var known: UInt32 = 0
  }

  private var matches: [Int64: Match] = [:]
  /// Whether there were too many values to remember.
  package fileprivate(set) var isCut = false

  /// Whether a value of a change that was derived meets a condition.
  func isMet(_ condition: Int, by change: Int64) -> Bool {
    matches[change].map { $0.met & Self.bit(condition) != 0 } ?? false
  }

  /// Whether all values of a change that a condition is about are known, with those that were derived.
  func isKnown(_ condition: Int, of change: Int64) -> Bool {
    matches[change].map { $0.known & Self.bit(condition) != 0 } ?? false
  }

  private static func bit(_ condition: Int) -> UInt32 {
    condition < maxConditions ? 1 << UInt32(condition) : 0
  }

  fileprivate mutating func add(
    _ condition: Int, of change: Int64, isMet: Bool, isKnown: Bool
  ) {
    guard isMet || isKnown else { return }
    guard matches.count < Self.maxRemembered || matches[change] != nil else {
      isCut = true
      return
    }
    if isMet { matches[change, default: Match()].met |= Self.bit(condition) }
    if isKnown { matches[change, default: Match()].known |= Self.bit(condition) }
  }
}

extension HistoryQuery {
  /// Derives the values of its conditions that were not kept, so that the changes that set or removed them meet
  /// the conditions.
  ///
  /// It reads the changes of all objects with such an attribute, newest first. Where the history cannot be read,
  /// nothing is derived, for the query reports that itself.
  package mutating func deriveValues(in timeline: HistoryTimeline, schema: HistorySchema) throws {
    guard !change.values.isEmpty, !omitsRecordedValues else { return }
    try change.check(in: schema, of: timeline)
    do {
      let derivation = try ValueDerivation(self, timeline, schema)
      try derivation?.run()
      change.derived = derivation?.values
    } catch is StoreError {
    }
  }
}

/// Reads a history newest first, and derives values.
private final class ValueDerivation {
  private struct Place: Hashable {
    let entity: Int
    let primaryKey: Int64
    let condition: Int
  }

  /// The next change of an attribute of an object.
  private struct Later {
    let transaction: Int64
    /// Whether the value that it removed meets the condition; `nil` if that is not known.
    var old: Bool?
    /// The change, if the value that it removed may be derived.
    var change: Int64?
    var isNewKnown = false
  }

  /// The maximum number of changes of a transaction; the values of more are not derived.
  private static let maxChanges = 1 << 16

  private(set) var values = DerivedValues()
  private let conditions: [ValueCondition]
  private let reader: TimelineReader
  private let snapshot: StoreSnapshot?
  private let objects: ObjectReader?
  private var missing: MissingNumbers
  private var later: [Place: Later] = [:]
  private var entities: [String: Int] = [:]

  init?(_ query: HistoryQuery, _ timeline: HistoryTimeline, _ schema: HistorySchema) throws {
    conditions = query.change.values
    // What the store calculates changes without a change of the object.
    guard try timeline.calculatedProperties(of: query.change).isEmpty else { return nil }
    let properties = Set(conditions.map(\.property))
    let names = schema.entities.filter { entity in
      entity.slots?.slots.contains { properties.contains($0.name) } ?? false
    }.compactMap(\.name)
    guard !names.isEmpty else { return nil }
    var whole = HistoryQuery(
      after: query.after,
      change: ChangeCondition(exactEntities: names, objects: query.change.objects),
      keepsOnlyMatchingChanges: true, order: .descending)
    whole.recordedValues = query.recordedValues
    whole.checksCompleteness = false
    reader = try TimelineReader(timeline, query: whole, schema: schema)
    snapshot = timeline.snapshot
    objects = try snapshot?.objects()
    missing = try MissingNumbers(timeline)
  }

  func run() throws {
    while let element = try reader.nextElement() {
      switch element {
      case .gap(let gap): missing.add(gap)
      case .transaction(let transaction):
        try missing.move(to: transaction.number)
        try takeChanges(of: transaction.number)
      }
    }
  }

  private func takeChanges(of transaction: Int64) throws {
    // Of several changes of an object, the last one comes first.
    var changes: [HistoryChange] = []
    while changes.count <= Self.maxChanges, let change = try reader.nextChange() {
      changes.append(change)
    }
    guard changes.count > Self.maxChanges else {
      for change in changes.reversed() { try take(change, in: transaction) }
      return
    }
    values.isCut = true
    for change in changes { forget(change, in: transaction) }
    while let change = try reader.nextChange() { forget(change, in: transaction) }
  }

  /// Returns the object of a change by numbers.
  private func object(of change: HistoryChange) -> (entity: Int, primaryKey: Int64)? {
    guard let name = change.entity?.name, let primaryKey = change.primaryKey else { return nil }
    let entity = entities[name] ?? entities.count
    entities[name] = entity
    return (entity, primaryKey)
  }

  /// Leaves open what a change of a very large transaction set and removed.
  private func forget(_ change: HistoryChange, in transaction: Int64) {
    guard let (entity, primaryKey) = object(of: change) else { return }
    for index in conditions.indices {
      remember(
        Later(transaction: transaction),
        at: Place(entity: entity, primaryKey: primaryKey, condition: index))
    }
  }

  private func take(_ change: HistoryChange, in transaction: Int64) throws {
    guard let name = change.entity?.name, let (entity, primaryKey) = object(of: change) else {
      return
    }
    for (index, condition) in conditions.enumerated() {
      let place = Place(entity: entity, primaryKey: primaryKey, condition: index)
      switch condition.touch(of: change) {
      case .none: continue
      case .unclear: remember(Later(transaction: transaction), at: place)
      case .sides(let old, let new):
        let derived =
          change.kind == .delete || new != nil
          ? nil : try newValue(of: change, name, transaction, condition, before: later[place])
        if let derived {
          values.add(
            index, of: change.number, isMet: derived, isKnown: change.kind == .insert || old != nil)
        }
        if let new, let next = later[place], let number = next.change,
          missing.isWhole(after: transaction, upTo: next.transaction)
        {
          values.add(index, of: number, isMet: new, isKnown: next.isNewKnown)
        }
        // What has the key before an insert is another object.
        remember(
          change.kind == .insert
            ? Later(transaction: transaction)
            : Later(
              transaction: transaction, old: old, change: old == nil ? change.number : nil,
              isNewKnown: change.kind == .delete || new != nil || derived != nil), at: place)
      }
    }
  }

  private func remember(_ next: Later, at place: Place) {
    guard later.count < DerivedValues.maxRemembered || later[place] != nil else {
      values.isCut = true
      return
    }
    later[place] = next
  }

  /// Returns whether the value that a change set meets a condition; `nil` if that is not known.
  private func newValue(
    of change: HistoryChange, _ entity: String, _ transaction: Int64, _ condition: ValueCondition,
    before next: Later?
  ) throws -> Bool? {
    if let next {
      return missing.isWhole(after: transaction, upTo: next.transaction) ? next.old : nil
    }
    guard !values.isCut, missing.isWhole(after: transaction, upTo: nil),
      let number = snapshot?.entities.number(of: entity), let primaryKey = change.primaryKey,
      let object = try objects?.object(
        entityNumber: number, primaryKey: primaryKey, countsRelated: false),
      object.entityName == entity
    else { return nil }
    return condition.isMet(by: object)
  }
}

/// Finds the numbers that no transaction has while a history is read, newest first.
private struct MissingNumbers {
  private let transactions: TransactionCursor?
  private var last: Int64
  /// The lowest missing number after the current place.
  private var lowest: Int64?

  init(_ timeline: HistoryTimeline) throws {
    last = try timeline.highestIssued()
    if last < .max { last += 1 }
    guard let snapshot = timeline.snapshot, snapshot.layout.history != nil else {
      transactions = nil
      return
    }
    var selection = TransactionSelection(order: .descending)
    selection.checksCompleteness = false
    transactions = try snapshot.transactions(selection, onlyPositions: true)
  }

  mutating func move(to number: Int64) throws {
    guard let transactions else { return }
    while last > number, try transactions.next() {
      if transactions.number < last - 1 { lowest = transactions.number + 1 }
      last = transactions.number
    }
  }

  mutating func add(_ gap: HistoryGap) { lowest = gap.after < .max ? gap.after + 1 : gap.after }

  /// Whether no transaction after the current one is missing up to a later one, or up to the newest.
  func isWhole(after current: Int64, upTo end: Int64?) -> Bool {
    guard let lowest else { return true }
    return end.map { lowest > $0 } ?? false
  }
}

extension HistoryTimeline {
  /// Returns the attributes of a condition that the store calculates from others, sorted: no change of them is
  /// recorded.
  package func calculatedProperties(of condition: ChangeCondition) throws -> [String] {
    let names = Set(condition.attributes + condition.values.map(\.property))
    guard !names.isEmpty, case .model(let model)? = try snapshot?.modelCache() else { return [] }
    let entities = model.entities.keys.map(model.derivedAttributes)
    return names.filter { name in entities.contains { $0.contains(name) } }.sorted()
  }
}

extension ValueCondition {
  /// What a change says about the values of a condition.
  enum Touch {
    /// It set and removed none.
    case none
    /// It may have set and removed one.
    case unclear
    /// Whether the value that it removed, and that which it set, meet the condition; `nil` if that is not known.
    case sides(old: Bool?, new: Bool?)
  }

  func touch(of change: HistoryChange) -> Touch {
    guard let kind = change.kind else { return .unclear }
    if kind == .update {
      guard let touched = change.attributes else { return .unclear }
      guard touched.contains(property) else { return .none }
    } else if let slots = change.entity?.slots?.slots,
      !slots.contains(where: { $0.name == property })
    {
      return .none
    }
    let recorded = change.values.first { $0.name == name }
    func side(_ content: RecordedContent?) -> Bool? {
      guard let recorded, case .value(let value)? = content else { return nil }
      return matches(value, recorded.kind)
    }
    let preserved = change.preservedValues?.first { $0.attribute.name == name }
    let old =
      preserved.map { matches($0.value, RecordedValue.Kind($0.attribute.type)) }
      ?? side(recorded?.old)
    return .sides(old: old, new: side(recorded?.new))
  }

  /// Returns whether the value of an object meets the condition; `nil` if it is not known.
  fileprivate func isMet(by object: PresentObject) -> Bool? {
    guard object.isNamedByModel else { return nil }
    if let value = object.values.first(where: { $0.name == name }) {
      return value.isLeftOut || value.problem != nil
        ? nil : matches(value.value, RecordedValue.Kind(value.type))
    }
    guard let reference = object.references.first(where: { $0.name == name }) else { return nil }
    guard let key = reference.primaryKey else { return matches(.null, .object) }
    return reference.entityName.map { matches(.text("\($0)/p\(key)"), .object) }
  }
}
