/// An encoder that gathers its text in a writer, and lends or forgets that.
protocol BufferedEncoder: HistoryEncoder {
  var writer: JSONWriter { get set }
}

extension BufferedEncoder {
  /// How much the writer holds.
  package var byteCount: Int { writer.count }

  /// Lends what the writer holds.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Empties the writer.
  package mutating func removeAll() { writer.removeAll() }
}
