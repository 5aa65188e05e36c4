/// Why bytes are not the JSON that was expected, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the offending byte, counted from 0 at the start of the text.
  public let offset: Int
  /// What is wrong there; starts in lower case and has no full stop.
  public let message: String

  /// Makes an error of its place and message.
  public init(offset: Int, message: String) {
    self.offset = offset
    self.message = message
  }

  /// The message with the place after it.
  public var description: String { "\(message) at byte \(offset)" }
}
