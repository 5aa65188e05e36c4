/// What a stored value is by its attribute's type, however it is written: in text, JSON, CSV or a table.
package enum ValueMeaning<Bytes: Collection<UInt8>> {
  case boolean(Bool)
  case time(StoreTimestamp)
  /// The 16 bytes of a UUID.
  case uuid(Bytes)
  /// What its storage class says.
  case plain

  @inline(__always)
  fileprivate init(_ number: Int64, _ type: AttributeType) {
    if case .boolean = type, number == 0 || number == 1 {
      self = .boolean(number == 1)
    } else {
      self = .plain
    }
  }

  @inline(__always)
  fileprivate init(_ number: Double, _ type: AttributeType) {
    if case .date = type {
      self = .time(StoreTimestamp(secondsSinceReferenceDate: number))
    } else {
      self = .plain
    }
  }

  @inline(__always)
  fileprivate init(_ bytes: Bytes, _ type: AttributeType) {
    if case .uuid = type, bytes.count == 16 { self = .uuid(bytes) } else { self = .plain }
  }
}

extension StoredValue {
  /// Returns what the value is as one of an attribute.
  package func meaning(as type: AttributeType) -> ValueMeaning<[UInt8]> {
    switch self {
    case .integer(let number): .init(number, type)
    case .real(let number): .init(number, type)
    case .blob(let bytes): .init(bytes, type)
    case .null, .text, .malformedText: .plain
    }
  }
}

extension LentValue {
  /// Returns what the value is as one of an attribute.
  package func meaning(as type: AttributeType) -> ValueMeaning<UnsafeRawBufferPointer> {
    switch self {
    case .integer(let number): .init(number, type)
    case .real(let number): .init(number, type)
    case .blob(let bytes): .init(bytes, type)
    case .text: .plain
    }
  }
}

extension AttributeType {
  /// Whether values are written as texts that are read back as something else, so that a stored text must be
  /// written in another way.
  package var hasTextForm: Bool {
    switch self {
    case .date, .uuid: true
    default: false
    }
  }
}
