import HistoryCoding
import StoreFormat

/// One segment, as one line of the catalog.
///
/// The line is canonical: an entry has exactly one text, which ends with the digest of the bytes before
/// it. A line is sound if and only if writing its entry gives the same bytes.
public struct CatalogEntry: Hashable, Sendable {
  /// The kind of a line.
  enum Kind: String, Sendable {
    /// History was sealed in a segment.
    case segment
    /// The segment replaces those listed before it that are within its range.
    case merge
    /// As ``merge``, and all segments of the store that are listed before and begin earlier are removed.
    case forget

    /// Programs that know only sealing must reject an archive with removed segments.
    fileprivate var schema: Int64 { self == .segment ? 1 : ArchiveFormat.catalogSchemas.upperBound }
  }

  var kind = Kind.segment
  var store = ""
  /// The number of the first transaction.
  public internal(set) var first: Int64 = 0
  /// The number of the last transaction.
  public internal(set) var last: Int64 = 0
  /// The number of the transaction right before the first, if it was known. Numbers between the two were
  /// never used.
  public internal(set) var after: Int64?
  var manifestDigest = ArchiveDigest.none
  /// The digest of the line before, including its line feed; ``ArchiveDigest/none`` in the first line.
  var previousDigest = ArchiveDigest.none

  /// The numbers of the transactions.
  public var range: ClosedRange<Int64> { first...max(first, last) }

  /// The line, including its line feed.
  var line: [UInt8] {
    var coder = MemberCoder(capacity: 512)
    var entry = self
    coder.appendRaw("{")
    entry.code(&coder)
    var digest = coder.writer.withUnsafeBytes { ArchiveDigest(of: $0) }
    coder.required("lineSHA256", .digest, &digest)
    coder.appendRaw("}\n")
    return Array(coder.writer.bytes)
  }

  /// Lists the members of a line, without the digest of these.
  private mutating func code(_ coder: inout MemberCoder) {
    var schema = kind.schema
    coder.schema(&schema, in: ArchiveFormat.catalogSchemas)
    coder.required("type", .kind, &kind)
    coder.required("store", .string, &store)
    coder.required("first", .integer, &first)
    coder.required("last", .integer, &last)
    coder.optional("after", .integer, &after)
    coder.required("manifestSHA256", .digest, &manifestDigest)
    coder.required("previousSHA256", .digest, &previousDigest)
  }

  /// The digest of the line, which the next line names.
  var digest: ArchiveDigest { ArchiveDigest(of: line) }
}

extension CatalogEntry {
  /// The line of a segment that follows the lines of a catalog.
  init(
    _ kind: Kind, _ manifest: SegmentManifest, _ digest: ArchiveDigest, in catalog: ArchiveCatalog
  ) {
    self.init(
      kind: kind, store: manifest.store, first: manifest.first.number, last: manifest.last.number,
      after: manifest.after, manifestDigest: digest, previousDigest: catalog.head.digest)
  }

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - line: The line, including its line feed.
  ///   - path: The catalog, for messages.
  ///   - number: The number of the line, counted from 1, for messages.
  init(line: [UInt8], path: String, number: Int) throws(ArchiveError) {
    func damaged(_ detail: String) -> ArchiveError {
      .damaged(path: path, place: "line \(number)", detail: detail)
    }
    guard line.count <= ArchiveFormat.catalogLineLimit else { throw damaged("it is too long") }
    self.init()
    do throws(ArchiveError) {
      try MemberCoder.read(line, path: path) { code(&$0) }
    } catch .damaged(_, let place, let detail) {
      throw damaged("\(place): \(detail)")
    }
    guard self.line == line else {
      throw damaged("its lineSHA256 is not the digest of the line")
    }
    guard SegmentName.isStoreFolder(store) else { throw damaged("its store is not a UUID") }
    guard first >= 1, first <= last, after.map({ $0 < first }) ?? true else {
      throw damaged("its numbers contradict each other")
    }
  }
}

extension MemberCoder.Form<CatalogEntry.Kind> {
  fileprivate static var kind: Self {
    Self(
      expected: "the kind of a line",
      read: { $0.text.flatMap(CatalogEntry.Kind.init(rawValue:)) },
      write: { $0.appendString($1.rawValue) })
  }
}
