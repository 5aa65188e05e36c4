import StoreFormat

/// A complete file of an export that is about to get its name, or has it already while the bookmark has not moved yet.
///
/// A bookmark keeps it from before the file appears until the bookmark moves to the end of the file, so that a run after
/// an interruption knows what to finish.
package struct PendingFile: Hashable, Sendable {
  /// The path below the folder of the export, which may have been moved or copied together with the store.
  package let name: String
  /// The numbers of the first and the last transaction that the export looked at.
  package let range: ClosedRange<Int64>
  /// When the last transaction was saved; `nil` if the store does not say.
  package let timestamp: StoreTimestamp?
  package let content: FileDigest

  package init(
    name: String, range: ClosedRange<Int64>, timestamp: StoreTimestamp?, content: FileDigest
  ) {
    self.name = name
    self.range = range
    // JSON has no infinities.
    self.timestamp = timestamp.flatMap { $0.secondsSinceReferenceDate.isFinite ? $0 : nil }
    self.content = content
  }

  /// Whether a transaction of a store is the one at the end of the file, which another copy of the store may not have.
  package func endsWith(_ position: TransactionPosition) -> Bool {
    position.number == range.upperBound && (timestamp == nil || timestamp == position.timestamp)
  }
}

extension PendingFile: Codable {
  private enum Key: String, CodingKey {
    case bytes, file, first, last, sha256, timestampRaw
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let first = try values.decode(Int64.self, forKey: .first)
    let last = try values.decode(Int64.self, forKey: .last)
    guard first <= last else {
      throw DecodingError.dataCorruptedError(
        forKey: .last, in: values, debugDescription: "the range ends before it begins")
    }
    self.init(
      name: try values.decode(String.self, forKey: .file), range: first...last,
      timestamp: try values.decodeIfPresent(Double.self, forKey: .timestampRaw)
        .map(StoreTimestamp.init(secondsSinceReferenceDate:)),
      content: FileDigest(
        byteCount: try values.decode(Int64.self, forKey: .bytes),
        digest: try values.decode(String.self, forKey: .sha256)))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(content.byteCount, forKey: .bytes)
    try values.encode(name, forKey: .file)
    try values.encode(range.lowerBound, forKey: .first)
    try values.encode(range.upperBound, forKey: .last)
    try values.encode(content.digest, forKey: .sha256)
    try values.encodeIfPresent(timestamp?.secondsSinceReferenceDate, forKey: .timestampRaw)
  }
}
