import StoreFormat

/// A text of a transaction as a key, compared by its bytes as SQLite does.
///
/// A string of its own would be equal to every other way to compose its letters.
struct TextKey: Hashable, Sendable {
  /// Longer texts are told apart by their beginning and their length; nothing that names a program
  /// is as long, and a thousand of them must not fill memory.
  private static let longest = 2048

  /// The text, or as much of it as is kept.
  let text: RecordedText?
  private let byteCount: Int

  init(_ text: RecordedText?) {
    byteCount = text?.malformedBytes?.count ?? text?.string.utf8.count ?? 0
    guard let text, byteCount > Self.longest else {
      self.text = text
      return
    }
    let bytes =
      text.malformedBytes.map { $0.prefix(Self.longest) }
      ?? Array(text.string.utf8.prefix(Self.longest))[...]
    self.text = RecordedText(String(decoding: bytes, as: UTF8.self) + "…")
  }

  static func == (left: TextKey, right: TextKey) -> Bool {
    guard left.byteCount == right.byteCount, left.text?.malformedBytes == right.text?.malformedBytes
    else { return false }
    return switch (left.text?.string, right.text?.string) {
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    case (nil, nil): true
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(byteCount)
    hasher.combine(text?.string)
  }
}
