import PersistentHistory

/// Verifies a catalog line by line, and goes on after a damaged line.
struct CatalogInspection {
  /// The segments whose lines could be read, in their order.
  private(set) var entries: [CatalogEntry] = []
  /// The digest of each line.
  private(set) var digests: [ArchiveDigest] = []
  /// The number of bytes after the last whole line.
  private(set) var tornByteCount = 0
  private(set) var findings: FindingLog<ArchiveFindingKind>
  private let path: String

  init(path: String, limit: Int) {
    self.path = path
    findings = FindingLog(limit: limit)
  }

  /// Reads the catalog.
  mutating func run() throws(ArchiveError) {
    var lines = try CatalogLines(path: path)
    var previous: ArchiveDigest? = ArchiveDigest.none
    while let line = try lines.next() {
      let number = digests.count + 1
      let digest = line.digest
      digests.append(digest)
      do throws(ArchiveError) {
        let entry = try CatalogEntry(line: line.bytes, path: path, number: number)
        // After a damaged line it is unknown what the next one should follow.
        if let previous, entry.previousDigest != previous {
          add(number, "it does not follow the line before it: its previousSHA256 does not fit")
        }
        entries.append(entry)
        previous = digest
      } catch {
        previous = nil
        switch error {
        case .damaged(_, _, let detail): add(number, detail)
        case .unknownFormat(_, let schema):
          add(number, "it follows schema \(schema), expected \(ArchiveFormat.schema)")
        default: throw error
        }
      }
    }
    tornByteCount = lines.rest.count
    if CatalogEntry.lacksOnlyItsEnd(lines.rest.bytes[...]) {
      add(digests.count + 1, "it is whole except for its last byte, which is not a line feed")
    } else if tornByteCount > 0 {
      findings.add(
        .tornCatalog, at: .line(digests.count + 1, file: path),
        "it has \(tornByteCount) bytes and no end")
    }
  }

  private mutating func add(_ line: Int, _ detail: String) {
    findings.add(.damagedCatalog, at: .line(line, file: path), detail)
  }

  /// Compares the chain with a head of it that was kept elsewhere.
  mutating func compare(with anchor: ArchiveAnchor) {
    if anchor.count > digests.count {
      findings.add(
        .otherAnchor, at: .file(path),
        "it has \(digests.count) lines (\(anchor.count) when the anchor was written)")
    } else if (anchor.count == 0 ? .none : digests[anchor.count - 1]) != anchor.digest {
      findings.add(
        .otherAnchor, at: .line(anchor.count, file: path),
        "its SHA-256 is not that of the anchor")
    }
  }

  /// The head of the chain; `nil` if the catalog is damaged.
  var head: ArchiveAnchor? {
    guard findings.damageCount == 0 else { return nil }
    return ArchiveAnchor(count: digests.count, digest: digests.last ?? .none)
  }
}
