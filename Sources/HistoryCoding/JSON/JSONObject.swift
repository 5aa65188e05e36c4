/// A JSON object that keeps its keys in order.
///
/// Finding a key takes as long as there are keys before it: it is made for objects of a few keys.
package struct JSONObject: Sendable {
  /// One key with its value.
  package struct Member: Sendable {
    /// The key.
    package let key: String
    /// The value.
    package var value: JSONValue

    /// Makes a member of a key and a value.
    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The keys and values in order; no key comes twice.
  package private(set) var members: [Member]

  /// Makes an empty object.
  package init() {
    members = []
  }

  /// Makes an object of keys and values in order; a key that comes again replaces the value.
  package init(_ pairs: some Sequence<(String, JSONValue)>) {
    self.init()
    for (key, value) in pairs { self[key] = value }
  }

  /// Takes members of which the caller knows that no key comes twice.
  init(distinctMembers members: [Member]) {
    self.members = members
  }

  /// The value of a key, compared by its bytes; nil where the object does not have it.
  ///
  /// Setting a new key puts it last, setting nil removes the key.
  package subscript(key: String) -> JSONValue? {
    get {
      index(of: key).map { members[$0].value }
    }
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

extension JSONObject: RandomAccessCollection {
  /// The place of the first member.
  package var startIndex: Int { members.startIndex }
  /// The place after the last member.
  package var endIndex: Int { members.endIndex }
  /// The member at a place.
  package subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Makes an object with its keys in this order; a key that comes again replaces the value.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }
}

extension JSONObject: Hashable {}

extension JSONObject.Member: Hashable {
  /// Whether both have the same key, byte for byte, and equal values.
  package static func == (left: JSONObject.Member, right: JSONObject.Member) -> Bool {
    ExactText(left.key) == ExactText(right.key) && left.value == right.value
  }

  /// Hashes the bytes of the key, and the value.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(key))
    hasher.combine(value)
  }
}
