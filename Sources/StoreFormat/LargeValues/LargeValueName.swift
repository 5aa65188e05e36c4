/// The name of a file that holds a large value: a UUID in text form.
///
/// Nothing else can be one, so that no name leads out of the folder.
package struct LargeValueName: Hashable, Sendable {
  /// How many bytes a name has.
  static let length = 36
  private static let hyphens: Set<Int> = [8, 13, 18, 23]

  package let text: String

  /// A name that no other file has.
  package static func random() -> LargeValueName {
    LargeValueName(trusted: StoreIdentifier.random())
  }

  private init(trusted text: String) { self.text = text }

  /// The name that some bytes are; nil where they are none. The frameworks write capital letters;
  /// small ones name another file where the file system tells them apart.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    for (index, byte) in bytes.enumerated() {
      let fits =
        Self.hyphens.contains(index)
        ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit && byte < 128
      guard fits else { return nil }
    }
    text = String(decoding: bytes, as: UTF8.self)
  }
}
