import HistoryCoding
import PersistentHistory

/// The names and limits of the archive format.
///
/// A reader reports whatever exceeds a limit as damage, and a writer stays within them. Together the
/// limits on catalogs and manifests keep the memory for reading both below 64 MB.
package enum ArchiveFormat {
  static let schema: Int64 = 1
  /// The schemas of the catalog's lines: 1 for sealed segments, 2 for those that replace or remove others.
  static let catalogSchemas: ClosedRange<Int64> = 1...2
  package static let catalogName = "catalog.jsonl"

  /// The text of a frame in bytes; lines are not cut for it.
  static let frameTarget = 256 << 10
  /// The maximum text of a frame in bytes; a longer line continues in the next frame.
  static let frameLimit = 1 << 20
  /// The maximum text of one change, or of the part of a line before its changes, in bytes.
  static let partLimit = TransactionLineReader.partLimit
  /// The maximum number of frames in a segment: twice those of the largest segment that can be requested.
  static let maxFrames = 1 << 17

  /// The maximum size of a manifest in bytes.
  static let manifestLimit = 12 << 20
  /// The maximum number of values in one member or element of a manifest.
  static let manifestValueLimit = 1 << 16
  /// The maximum number of entities for which a manifest counts changes.
  static let maxCounts = 4096
  /// The maximum number of slots of one entity; SQLite allows its table 2,000 columns.
  static let maxSlots = 4096
  /// The maximum number of slots and tombstone attributes of all entities.
  static let maxProperties = 1 << 16

  /// The maximum size of a catalog in bytes: about 100,000 segments.
  static let catalogLimit: Int64 = 32 << 20
  /// The maximum length of a catalog line in bytes.
  static let catalogLineLimit = 4096
  /// The minimum length of a catalog line in bytes.
  static let shortestCatalogLine: Int64 = 320
}

/// The names of files by the transactions in them.
package enum SegmentName {
  static let segmentSuffix = ".jsonl.zst"
  static let manifestSuffix = ".json"

  /// Returns a range with padded numbers, so that names sort by transaction:
  /// `000000000001-000000000512`.
  package static func text(_ range: ClosedRange<Int64>) -> String {
    padded(range.lowerBound) + "-" + padded(range.upperBound)
  }

  /// Returns a number with at least twelve digits.
  package static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }

  /// Returns the range of a name that ``text(_:)`` made, or `nil` for any other name.
  package static func range(of name: some StringProtocol) -> ClosedRange<Int64>? {
    let numbers = name.split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, let first = Int64(numbers[0]), let last = Int64(numbers[1]),
      first <= last, text(first...last) == name
    else { return nil }
    return first...last
  }

  /// Whether a folder may be named after this store: only a UUID, which cannot lead to another folder.
  static func isStoreFolder(_ identifier: String) -> Bool {
    HistoryToken.isIdentifier(identifier)
  }
}
