import Crypto

/// A value before or after an update: itself, or of a long one what tells it from others.
public enum RecordedContent: Hashable, Sendable {
  /// The value as the store keeps it.
  case value(StoredValue)
  /// The SHA-256 of the bytes of a text or of data that is too long to be kept, and how many they
  /// are.
  case digest([UInt8], byteCount: Int64)

  /// The longest text or data that is kept as it is, in bytes.
  public static let longestValue = 1 << 16
  /// How many bytes a digest has.
  public static let digestLength = 32

  /// Takes a value, or its digest where it is too long.
  public init(_ value: StoredValue) {
    switch value {
    case .text(var text) where text.utf8.count > Self.longestValue:
      self = text.withUTF8 { Self.digest(of: UnsafeRawBufferPointer($0)) }
    case .malformedText(let bytes) where bytes.count > Self.longestValue,
      .blob(let bytes) where bytes.count > Self.longestValue:
      self = bytes.withUnsafeBytes { Self.digest(of: $0) }
    default: self = .value(value)
    }
  }

  private static func digest(of bytes: UnsafeRawBufferPointer) -> RecordedContent {
    var hash = SHA256()
    hash.update(bufferPointer: bytes)
    return .digest(Array(hash.finalize()), byteCount: Int64(bytes.count))
  }

  /// The value; nil where only its digest is kept.
  public var value: StoredValue? {
    if case .value(let value) = self { value } else { nil }
  }

  /// How much memory it takes, but for a few bytes.
  public var byteCount: Int {
    switch self {
    case .value(.text(let text)): text.utf8.count
    case .value(.blob(let bytes)), .value(.malformedText(let bytes)): bytes.count
    case .value, .digest: 32
    }
  }
}
