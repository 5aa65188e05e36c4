import StoreFormat

/// A condition on a value that a change set or removed, such as `status=cancelled`.
///
/// It is met if the old value, the new value or the value in the tombstone meets it. A value that is not known
/// meets no condition.
package struct ValueCondition: Hashable, Sendable {
  /// How a value is compared.
  enum Comparison: Hashable, Sendable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
    /// The text contains another, whatever the case of letters.
    case contains
  }

  /// How the comparisons are written, the longer ones first.
  private static let operators: [(sign: String, comparison: Comparison)] = [
    ("!=", .notEqual), ("<>", .notEqual), ("==", .equal), ("<=", .lessOrEqual),
    (">=", .greaterOrEqual), ("=", .equal), ("<", .less), (">", .greater), ("~", .contains),
  ]

  /// The attribute or to-one relationship; an element of a composite attribute as `attribute.element`.
  let name: String
  let comparison: Comparison
  /// The value to compare with, as it was written; `nil` stands for no value. Of the address of an object, the
  /// object.
  let text: String
  /// The object of an address that is compared with.
  let object: HistoryObject?
  private let number: Double?
  private let moment: Double?
  private let flag: Bool?
  /// The condition as it was written.
  private let source: String

  /// Reads a condition.
  ///
  /// - Parameters:
  ///   - text: The name, `=`, `!=`, `<`, `<=`, `>`, `>=` or `~`, and the value.
  ///   - now: The moment that words such as `yesterday` count from.
  /// - Returns: `nil` where the text is not a condition.
  package init?(_ text: String, now: StoreTimestamp) {
    guard let place = text.firstIndex(where: { "=!<>~".contains($0) }), place > text.startIndex,
      let (sign, comparison) = Self.operators.first(where: { text[place...].hasPrefix($0.sign) })
    else { return nil }
    source = text
    name = String(text[..<place])
    self.comparison = comparison
    let value = String(text[place...].dropFirst(sign.count))
    let address = HistoryObject.isAddress(value) ? try? HistoryObject(value) : nil
    object = address
    self.text = address?.description ?? value
    flag = ["true": true, "false": false][self.text.lowercased()]
    number = Double(self.text)
    moment = (try? Moment.parse(self.text, now: now))??.timestamp.secondsSinceReferenceDate
  }

  /// The attribute or relationship that it is about.
  var property: String { RecordedValue.property(of: name) }

  /// Returns whether a value of a change meets the condition.
  func isMet(by change: HistoryChange) -> Bool {
    for value in change.values where value.name == name {
      for case .value(let side)? in [value.old, value.new] where matches(side, value.kind) {
        return true
      }
    }
    return change.preservedValues?.contains {
      $0.attribute.name == name && matches($0.value, RecordedValue.Kind($0.attribute.type))
    } ?? false
  }

  /// Returns whether a value of an attribute meets the condition.
  func matches(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Bool {
    switch comparison {
    case .equal: return isEqual(value, kind)
    case .notEqual: return !isEqual(value, kind)
    case .less: return order(value, kind).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(value, kind).map { $0 <= 0 } ?? false
    case .greater: return order(value, kind).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(value, kind).map { $0 >= 0 } ?? false
    case .contains:
      guard case .text(let stored) = value else { return false }
      return stored.lowercased().contains(text.lowercased())
    }
  }

  private func isEqual(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Bool {
    switch (value, kind) {
    case (.null, _): return text == "nil"
    case (.integer(let stored), .boolean) where flag != nil: return (stored != 0) == flag
    case (.blob(let bytes), .uuid):
      return uuid == bytes
    default: return order(value, kind) == 0
    }
  }

  /// Returns -1 if a value is before the one of the condition, 1 if it is after it, 0 if both are equal, and `nil`
  /// if they cannot be compared.
  private func order(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Int? {
    switch value {
    // SQLite keeps a whole number of seconds as an integer.
    case .integer(let stored):
      return (kind == .date ? moment : number).map { Self.order(Double(stored), $0) }
    case .real(let stored):
      return (kind == .date ? moment : number).map { Self.order(stored, $0) }
    case .text(let stored):
      // A decimal number may be stored as a text.
      if kind == .decimal, let stored = Double(stored), let number {
        return Self.order(stored, number)
      }
      return Self.order(stored, text)
    case .null, .malformedText, .blob: return nil
    }
  }

  private var uuid: [UInt8]? {
    let bytes = Hexadecimal.bytes(of: text.filter { $0 != "-" })
    return bytes?.count == 16 ? bytes : nil
  }

  /// Checks that an attribute can have such a value, in one of the entities that have it.
  ///
  /// - Throws: ``HistoryError/unusableValue(condition:expectation:)``.
  func check(_ entityNames: [String], in model: ManagedModel) throws(HistoryError) {
    let attributes = entityNames.flatMap { model.lineage(of: $0) ?? [] }.flatMap(\.attributes)
    let kinds = attributes.flatMap { attribute in
      attribute.name == name
        ? [RecordedValue.Kind(attribute.type)]
        : attribute.elements.filter { "\(attribute.name).\($0.name)" == name }
          .map { RecordedValue.Kind($0.type) }
    }
    guard let kind = kinds.first else { return }
    let problems = kinds.compactMap(problem)
    guard problems.count == kinds.count else { return }
    throw .unusableValue(condition: source, expectation: problem(kind) ?? "")
  }

  /// Returns why no value of a kind can be compared; `nil` if one can.
  private func problem(_ kind: RecordedValue.Kind) -> String? {
    let isAboutEquality = comparison == .equal || comparison == .notEqual
    if isAboutEquality, text == "nil" { return nil }
    switch kind {
    // Values of a transformer can be of any type.
    case .text, .object, .data, .other: return nil
    case _ where comparison == .contains: return "\(name) is not a text"
    case .integer, .real, .decimal: return number == nil ? "\(name) is a number" : nil
    case .boolean:
      return number != nil || isAboutEquality && flag != nil ? nil : "\(name) is true or false"
    case .date: return moment == nil ? "\(name) is a time" : nil
    case .uuid:
      return isAboutEquality && uuid != nil
        ? nil : "\(name) is a UUID, which equals another or not"
    }
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
}
