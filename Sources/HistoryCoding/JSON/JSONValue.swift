/// One JSON value.
///
/// Two values are equal if they are written alike: strings compare by their bytes (not by canonical
/// equivalence, as `String` does), reals by their bits, objects in the order of their keys, and an
/// integer is never equal to a real.
package enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Every other number; JSON has no infinities and NaN, so they are written as `null`.
  case real(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue {
  /// The text of a string; `nil` for other values.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number of an integer; `nil` for other values.
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}

extension JSONValue: Hashable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first.bitPattern == second.bitPattern
    case (.string(let first), .string(let second)): ExactText(first) == ExactText(second)
    case (.array(let first), .array(let second)): first == second
    case (.object(let first), .object(let second)): first == second
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(ExactText(value))
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .real(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

/// A JSON object that keeps its keys in order.
///
/// Finding a key takes time proportional to the number of keys before it, which suits objects with few
/// keys.
package struct JSONObject: Hashable, Sendable {
  /// One key with its value.
  package struct Member: Hashable, Sendable {
    /// The key.
    package let key: String
    /// The value.
    package var value: JSONValue

    init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      ExactText(left.key) == ExactText(right.key) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(ExactText(key))
      hasher.combine(value)
    }
  }

  /// The keys and values in order; no key comes twice.
  package private(set) var members: [Member] = []

  /// Creates an empty object.
  package init() {}

  /// Creates an object of keys and values in order; a repeated key replaces the value.
  package init(_ pairs: some Sequence<(String, JSONValue)>) {
    for (key, value) in pairs { self[key] = value }
  }

  /// Creates an object of members whose keys are known to differ.
  init(distinctMembers members: [Member]) { self.members = members }

  /// The value of a key, compared by its bytes; `nil` if the object does not have it.
  ///
  /// Setting a new key puts it last, setting `nil` removes the key.
  package subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of key: String) -> Int? {
    let key = ExactText(key)
    return members.firstIndex { ExactText($0.key) == key }
  }
}

extension JSONObject: RandomAccessCollection, ExpressibleByDictionaryLiteral {
  package var startIndex: Int { members.startIndex }
  package var endIndex: Int { members.endIndex }
  package subscript(position: Int) -> Member { members[position] }
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// A string that is equal to another only if both have the same UTF-8 bytes.
///
/// `String` calls composed and decomposed forms of a letter equal; in JSON they are different
/// keys and different values.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactText, right: ExactText) -> Bool {
    // Equal bytes imply this, and for ASCII it is a plain comparison of memory.
    left.text.utf8.count == right.text.utf8.count && left.text == right.text
      && left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var copy = text
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

/// The keys of one object so far.
struct UniqueKeys {
  // Few keys are compared faster than hashed.
  private static let maxCompared = 16

  private var compared: [ExactText] = []
  private var hashed: Set<ExactText> = []

  /// The number of keys.
  var count: Int { max(compared.count, hashed.count) }

  /// Adds a key; returns `false` if it is there already.
  mutating func insert(_ key: String) -> Bool {
    let key = ExactText(key)
    if compared.count < Self.maxCompared {
      guard !compared.contains(key) else { return false }
      compared.append(key)
      return true
    }
    if hashed.isEmpty { hashed = Set(compared) }
    return hashed.insert(key).inserted
  }
}
