import StoreFormat

/// The change that last set each attribute of an object, up to a position in the history.
package struct ObjectBlame: Sendable {
  /// An attribute, an element of a composite one as `attribute.element`, or a to-one relationship.
  package struct Line: Sendable {
    package let name: String
    /// The value at the position.
    package let value: Value
    /// Whether the store calculates it, so that no change of it is recorded.
    package let isDerived: Bool
    /// The transaction that set it; `nil` if that is not known, as when history begins later.
    package let event: ObjectLife.Event?
    /// Whether that transaction inserted or updated the object.
    package let kind: ChangeKind?
    /// The value and, if it is known, the one before that transaction; `nil` if neither is known.
    package let before: RecordedValue?
  }

  package enum Value: Sendable {
    /// A value of the object's row.
    case present(PresentObject.Value)
    /// A reference of the object's row.
    case reference(PresentObject.Reference)
    /// A value that the deleted object left.
    case preserved(StoredValue, AttributeType)
    /// A value that was recorded with an update.
    case recorded(RecordedContent, RecordedValue.Kind)
    /// The value was not kept, or a later change replaced it.
    case unknown
  }

  /// The last known change of an attribute up to a position.
  private struct Setting {
    let event: ObjectLife.Event
    let kind: ChangeKind
    var recorded: [RecordedValue] = []
  }

  /// The object's life, with its changes after the position.
  package private(set) var life: ObjectLife
  /// The attributes and relationships, in the order of the model if the object exists.
  package private(set) var lines: [Line] = []
  /// The delete of the object up to the position; `nil` if it existed there.
  package private(set) var deletion: ObjectLife.Event?
  /// The insert after the position, if the object did not exist there yet.
  package private(set) var laterInsert: ObjectLife.Event?
  /// The number of updates whose attributes have no names, so that the last change of an attribute is uncertain.
  package private(set) var unnamedUpdateCount = 0
  /// What is missing between a history and its archive.
  package private(set) var gaps: [HistoryGap] = []

  private var inserted: Setting?
  private var settings: [String: Setting] = [:]
  /// The attributes that changes after the position set, with the first of their recorded values.
  private var replaced: [String: [RecordedValue]] = [:]
  /// Whether later changes may have set any attribute.
  private var isReplaced = false
  private var derived: Set<String> = []

  /// Reads the whole life of an object.
  ///
  /// - Parameters:
  ///   - reader: A reader that has not read anything.
  ///   - position: The last transaction to consider; `nil` for the newest.
  package init(_ reader: ObjectLifeReader, at position: Int64? = nil) throws {
    life = reader.life
    var isEarlier = true
    var exists = false
    while let element = try reader.nextElement() {
      let transaction: HistoryTransaction
      switch element {
      case .transaction(let next): transaction = next
      case .gap(let gap):
        gaps.append(gap)
        // Any attribute may have been set in the missing transactions.
        forget(isEarlier)
        continue
      }
      isEarlier = position.map { transaction.number <= $0 } ?? true
      while let change = try reader.nextChange() {
        let event = ObjectLife.Event(transaction)
        if isEarlier {
          exists = change.kind != .delete
          take(change, event)
        } else {
          takeLater(change, event, exists: exists)
        }
      }
    }
    life = reader.life
    // A program put the object back without the framework.
    if position == nil, life.present != nil { deletion = nil }
    derived = try reader.derivedAttributes()
    if laterInsert == nil { makeLines(isLatest: try reader.isNewest(position)) }
  }

  private mutating func forget(_ isEarlier: Bool) {
    guard isEarlier else {
      isReplaced = true
      return
    }
    inserted = nil
    settings = [:]
  }

  private mutating func take(_ change: HistoryChange, _ event: ObjectLife.Event) {
    switch change.kind {
    case .insert:
      forget(true)
      deletion = nil
      inserted = Setting(event: event, kind: .insert, recorded: change.values)
    case .update:
      guard let names = change.attributes else {
        unnamedUpdateCount += 1
        return forget(true)
      }
      let slots = change.entity?.slots?.slots ?? []
      for name in names where !slots.contains(where: { $0.name == name && $0.role == .toMany }) {
        settings[name] = Setting(
          event: event, kind: .update, recorded: change.values.filter { $0.property == name })
      }
    case .delete: deletion = event
    case nil: forget(true)
    }
  }

  private mutating func takeLater(
    _ change: HistoryChange, _ event: ObjectLife.Event, exists: Bool
  ) {
    switch change.kind {
    case .insert:
      // Another object under the same key.
      if !exists, laterInsert == nil, deletion == nil { laterInsert = event }
      isReplaced = true
    case .update:
      guard let names = change.attributes else {
        isReplaced = true
        return
      }
      for name in names where replaced[name] == nil {
        replaced[name] = isReplaced ? [] : change.values.filter { $0.property == name }
      }
    case .delete: break
    case nil: isReplaced = true
    }
  }

  // MARK: - The lines

  private mutating func makeLines(isLatest: Bool) {
    var values: [(name: String, value: Value)] = []
    if let present = life.present, present.isNamedByModel {
      values += present.values.map { ($0.name, .present($0)) }
      values += present.references.map { ($0.name, .reference($0)) }
    } else if let preserved = life.deletion?.preservedValues, life.state == .deleted {
      values += preserved.map { ($0.attribute.name, .preserved($0.value, $0.attribute.type)) }
    }
    let known = Set(
      values.map { RecordedValue.property(of: $0.name) } + (life.present?.counts.map(\.name) ?? []))
    values += settings.keys.filter { !known.contains($0) }.sorted().map { ($0, .unknown) }
    lines = values.map { line($0.name, $0.value, isLatest) }
  }

  private func line(_ name: String, _ value: Value, _ isLatest: Bool) -> Line {
    let property = RecordedValue.property(of: name)
    guard !derived.contains(property) else {
      return Line(
        name: name, value: isLatest ? value : .unknown, isDerived: true, event: nil, kind: nil,
        before: nil)
    }
    let setting = settings[property] ?? inserted
    let recorded = setting?.recorded.first { $0.name == name }
    return Line(
      name: name, value: self.value(name, property, value, recorded), isDerived: false,
      event: setting?.event, kind: setting?.kind, before: recorded)
  }

  private func value(
    _ name: String, _ property: String, _ latest: Value, _ recorded: RecordedValue?
  ) -> Value {
    if let later = replaced[property] {
      if let first = later.first(where: { $0.name == name }), let old = first.old {
        return .recorded(old, first.kind)
      }
    } else if !isReplaced {
      if case .unknown = latest {} else { return latest }
    }
    guard let recorded, let new = recorded.new else { return .unknown }
    return .recorded(new, recorded.kind)
  }
}
