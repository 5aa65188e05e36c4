/// A string that is equal to another only if both have the same UTF-8 bytes.
///
/// `String` calls composed and decomposed forms of a letter equal; in JSON they are different
/// keys and different values.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactText, right: ExactText) -> Bool {
    // Equal bytes imply this, and for ASCII it is a plain comparison of memory.
    guard left.text.utf8.count == right.text.utf8.count, left.text == right.text else {
      return false
    }
    return left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var copy = text
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}
