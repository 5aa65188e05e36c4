/// A value where it lies in a page of the file, so that reading it allocates nothing.
///
/// The bytes are there only as long as whoever lends them says.
package enum LentValue {
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// A floating point number; never a NaN.
  case real(Double)
  /// The bytes of a text, which need not be clean UTF-8 and may hold a NUL.
  case text(UnsafeRawBufferPointer)
  /// Bytes.
  case blob(UnsafeRawBufferPointer)

  /// The value as one that can be kept.
  package var stored: StoredValue {
    switch self {
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .blob(let bytes): return .blob(Array(bytes))
    case .text(let bytes):
      if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
        return .text(text)
      }
      return .malformedText(Array(bytes))
    }
  }
}
