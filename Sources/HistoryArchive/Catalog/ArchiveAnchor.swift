/// The head of an archive's chain at one time: how many segments there were, and the digest of the
/// catalog's last line.
///
/// Whoever keeps it elsewhere can tell later that nothing was cut off or exchanged.
package struct ArchiveAnchor: Hashable, Sendable, CustomStringConvertible {
  /// How many lines the catalog had.
  package let count: Int
  /// The digest of the last of them; ``ArchiveDigest/none`` of an empty catalog.
  package let digest: ArchiveDigest

  /// An anchor.
  package init(count: Int, digest: ArchiveDigest) {
    self.count = count
    self.digest = digest
  }

  /// Reads the form that ``description`` has.
  ///
  /// - Throws: ``ArchiveError/malformedAnchor(text:)``.
  package init(_ text: String) throws(ArchiveError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), count >= 0, String(count) == parts[0],
      let digest = ArchiveDigest(hexadecimal: String(parts[1]))
    else { throw .malformedAnchor(text: text) }
    self.init(count: count, digest: digest)
  }

  /// The anchor as one word: `3:9f86d0…`.
  package var description: String { "\(count):\(digest)" }
}
