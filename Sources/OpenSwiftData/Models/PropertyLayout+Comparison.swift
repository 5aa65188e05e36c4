extension PropertyLayout {
  /// Whether two values of the property are the same; those of a type that is not `Equatable` never
  /// are.
  func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.fault, .fault): return true
    case (.stored(let left), .stored(let right)): return left == right
    case (.elements(let left), .elements(let right)): return left == right
    case (.inFile(let left), .inFile(let right)): return left == right
    case (.toOne(let left), .toOne(let right)): return left?.identifier == right?.identifier
    case (.toMany(let left), .toMany(let right)):
      return left.map(\.identifier) == right.map(\.identifier)
    case (.toManyFault(let added, let removed), .toManyFault(let otherAdded, let otherRemoved)):
      return added == otherAdded && removed == otherRemoved
    default:
      guard let left = plainValue(left), let right = plainValue(right) else { return false }
      return Self.areEqual(left, right)
    }
  }

  /// A value of the attribute's type; nil for nothing.
  private func plainValue(_ value: PropertyValue) -> Any? {
    switch value {
    case .value(let value): value
    case .stored(let stored): codec?.value(of: stored)
    case .elements(let elements): codec?.value(of: elements)
    default: nil
    }
  }

  private static func areEqual(_ left: Any, _ right: Any) -> Bool {
    func isEqual<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
    return (left as? any Equatable).map { isEqual($0) } ?? false
  }
}
