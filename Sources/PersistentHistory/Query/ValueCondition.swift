import StoreFormat

/// A condition on a value that a change set or removed, such as `status=cancelled`.
///
/// It is met if the old value, the new value or the value in the tombstone meets it. A value that is not known
/// meets no condition.
package struct ValueCondition: Hashable, Sendable {
  /// How a value is compared.
  package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case notEqual = "!="
    case equal = "="
    case less = "<"
    case greater = ">"
    /// The text contains another, whatever the case of letters.
    case contains = "~"
  }

  /// The attribute or to-one relationship; an element of a composite attribute as `attribute.element`.
  package let name: String
  package let comparison: Comparison
  /// The value to compare with, as it was written; `nil` stands for no value.
  package let text: String
  private let number: Double?
  private let moment: Double?

  /// Reads a condition.
  ///
  /// - Parameters:
  ///   - text: The name, `=`, `!=`, `<`, `>` or `~`, and the value.
  ///   - now: The moment that words such as `yesterday` count from.
  /// - Returns: `nil` where the text is not a condition.
  package init?(_ text: String, now: StoreTimestamp) {
    guard let place = text.firstIndex(where: { "=!<>~".contains($0) }), place > text.startIndex,
      let comparison = Comparison.allCases.first(where: { text[place...].hasPrefix($0.rawValue) })
    else { return nil }
    name = String(text[..<place])
    self.comparison = comparison
    self.text = String(text[place...].dropFirst(comparison.rawValue.count))
    number = Double(self.text)
    moment = (try? Moment.parse(self.text, now: now))??.timestamp.secondsSinceReferenceDate
  }

  /// The attribute or relationship that it is about.
  package var property: String { RecordedValue.property(of: name) }

  /// Returns whether a value of a change meets the condition.
  package func isMet(by change: HistoryChange) -> Bool {
    for value in change.values where value.name == name {
      for case .value(let side)? in [value.old, value.new] where matches(side, value.kind) {
        return true
      }
    }
    return change.preservedValues?.contains {
      $0.attribute.name == name && matches($0.value, RecordedValue.Kind($0.attribute.type))
    } ?? false
  }

  private func matches(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Bool {
    switch comparison {
    case .equal: return isEqual(value, kind)
    case .notEqual: return !isEqual(value, kind)
    case .less: return order(value, kind).map { $0 < 0 } ?? false
    case .greater: return order(value, kind).map { $0 > 0 } ?? false
    case .contains:
      guard case .text(let stored) = value else { return false }
      return stored.lowercased().contains(text.lowercased())
    }
  }

  private func isEqual(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Bool {
    switch (value, kind) {
    case (.null, _): return text == "nil"
    case (.integer(let flag), .boolean) where text == "true" || text == "false":
      return (flag != 0) == (text == "true")
    case (.blob(let bytes), .uuid):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return text.lowercased().filter { $0 != "-" } == digits
    default: return order(value, kind) == 0
    }
  }

  /// Returns whether a value comes before the one of the condition, -1, after it, 1, or is equal; `nil` if they
  /// cannot be compared.
  private func order(_ value: StoredValue, _ kind: RecordedValue.Kind) -> Int? {
    switch value {
    case .integer(let stored): return number.map { Self.order(Double(stored), $0) }
    case .real(let stored):
      let other = kind == .date ? moment : number
      return other.map { Self.order(stored, $0) }
    case .text(let stored):
      // A decimal number may be stored as a text.
      if kind == .decimal, let stored = Double(stored), let number {
        return Self.order(stored, number)
      }
      return Self.order(stored, text)
    case .null, .malformedText, .blob: return nil
    }
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
}
