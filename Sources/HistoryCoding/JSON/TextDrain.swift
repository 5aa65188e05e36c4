/// Takes the text of a ``JSONWriter`` while a long value is written, so that the text of the value, which can be
/// six times as long, is never in memory as a whole.
///
/// Writers call it only within values longer than ``longValue``, so that ordinary values cost nothing. A failure
/// is kept, because writing a value cannot fail; the caller throws it when the value is written.
///
/// It belongs to one thread, as its writer does.
package final class TextDrain: @unchecked Sendable {
  /// The length in bytes above which values are written in pieces.
  package static let longValue = 1 << 16
  /// The usual number of bytes to collect before they are taken.
  static let usualCapacity = 1 << 20

  /// The number of bytes to collect before they are taken.
  let capacity: Int
  /// The number of bytes that were taken.
  private(set) var byteCount = 0
  private let output: (UnsafeRawBufferPointer) throws -> Void
  private var failure: (any Error)?

  /// - Parameter output: Takes bytes, which are valid while the call lasts. It must not use the writer.
  package init(
    capacity: Int = usualCapacity, _ output: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.capacity = capacity
    self.output = output
  }

  /// A drain that passes on the text with escapes, after a beginning.
  ///
  /// - Parameter escape: Writes bytes with escapes; a text may be divided anywhere.
  convenience init(
    into outer: TextDrain, after beginning: StaticString = "",
    escape: @escaping (UnsafeBufferPointer<UInt8>, inout JSONWriter) -> Void
  ) {
    var escaped = JSONWriter()
    escaped.appendRaw(beginning)
    self.init { bytes in
      escape(bytes.bindMemory(to: UInt8.self), &escaped)
      escaped.withUnsafeBytes { outer.take($0) }
      escaped.removeAll()
    }
  }

  /// Takes bytes; nothing after a failure.
  func take(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !bytes.isEmpty else { return }
    byteCount += bytes.count
    do { try output(bytes) } catch { failure = error }
  }

  /// Ends everything with an error; the first one is kept.
  func fail(_ error: any Error) { if failure == nil { failure = error } }

  /// Whether nothing is taken any more.
  var hasFailed: Bool { failure != nil }

  /// Throws the first failure.
  package func throwFailure() throws {
    if let failure { throw failure }
  }
}

extension JSONWriter {
  /// Lets the drain take the text so far.
  mutating func drainText() {
    guard let drain else { return }
    withUnsafeBytes { drain.take($0) }
    removeAll()
  }

  /// Lets the drain take the text if there is much of it.
  @inline(__always)
  mutating func drainIfFull() {
    if let drain, count >= drain.capacity || drain.hasFailed { drainText() }
  }

  /// Lets the drain take the text if a long value will not fit in beside it, so that a drain that refuses long texts
  /// does so before the value is in memory.
  mutating func drainIfTooFull(for length: Int) {
    if let drain, length > drain.capacity - count { drainText() }
  }

  /// Copies bytes as they are, long ones in pieces.
  mutating func appendLong(raw bytes: UnsafeBufferPointer<UInt8>) {
    guard drain != nil, bytes.count > TextDrain.longValue else { return appendRaw(bytes) }
    for start in stride(from: 0, to: bytes.count, by: TextDrain.longValue) {
      let end = min(start + TextDrain.longValue, bytes.count)
      appendRaw(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      drainIfFull()
    }
  }

  /// Writes JSON within another text, with escapes.
  ///
  /// - Parameters:
  ///   - json: A writer for the JSON, whose text is removed before.
  ///   - isLong: Whether the JSON may be long. It is then escaped in pieces, if this writer has a drain.
  ///   - escape: Writes bytes with escapes; a text may be divided anywhere.
  ///   - write: Writes the JSON.
  mutating func append(
    _ json: inout JSONWriter, isLong: Bool,
    escape: @escaping (UnsafeBufferPointer<UInt8>, inout JSONWriter) -> Void,
    _ write: (inout JSONWriter) -> Void
  ) {
    json.removeAll()
    guard isLong, let drain else {
      write(&json)
      return json.withUnsafeBytes { escape($0.bindMemory(to: UInt8.self), &self) }
    }
    drainText()
    json.drain = TextDrain(into: drain, escape: escape)
    write(&json)
    json.drainText()
    json.drain = nil
  }
}
