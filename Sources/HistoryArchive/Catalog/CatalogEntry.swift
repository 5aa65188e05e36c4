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
  var store: String
  /// The number of the first transaction.
  public let first: Int64
  /// The number of the last transaction.
  public let last: Int64
  /// The number of the transaction right before the first, if it was known. Numbers between the two were
  /// never used.
  public let after: Int64?
  let manifestDigest: ArchiveDigest
  /// The digest of the line before, including its line feed; ``ArchiveDigest/none`` in the first line.
  let previousDigest: ArchiveDigest

  /// The numbers of the transactions.
  public var range: ClosedRange<Int64> { first...max(first, last) }

  /// The line, including its line feed.
  var line: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.appendRaw("{\"schema\":")
    writer.appendInteger(kind.schema)
    writer.appendRaw(",\"type\":")
    writer.appendString(kind.rawValue)
    writer.appendRaw(",\"store\":")
    writer.appendString(store)
    writer.appendRaw(",\"first\":")
    writer.appendInteger(first)
    writer.appendRaw(",\"last\":")
    writer.appendInteger(last)
    if let after {
      writer.appendRaw(",\"after\":")
      writer.appendInteger(after)
    }
    writer.appendRaw(",\"manifestSHA256\":")
    writer.appendString(manifestDigest.description)
    writer.appendRaw(",\"previousSHA256\":")
    writer.appendString(previousDigest.description)
    let digest = writer.withUnsafeBytes { ArchiveDigest(of: $0) }
    writer.appendRaw(",\"lineSHA256\":")
    writer.appendString(digest.description)
    writer.appendRaw("}\n")
    return Array(writer.bytes)
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
    let json: JSONValue
    do {
      json = try JSONReader().read(line)
    } catch {
      throw damaged("it is not JSON: \(error)")
    }
    guard case .object(let object) = json else { throw damaged("it is not an object") }
    guard case .integer(let schema)? = object["schema"] else { throw damaged("it has no schema") }
    guard ArchiveFormat.catalogSchemas.contains(schema) else {
      throw .unknownFormat(path: path, schema: schema)
    }
    guard case .string(let type)? = object["type"], let kind = Kind(rawValue: type),
      case .string(let store)? = object["store"], case .integer(let first)? = object["first"],
      case .integer(let last)? = object["last"],
      case .string(let manifest)? = object["manifestSHA256"],
      case .string(let previous)? = object["previousSHA256"],
      let manifestDigest = ArchiveDigest(hexadecimal: manifest),
      let previousDigest = ArchiveDigest(hexadecimal: previous)
    else { throw damaged("a key is missing or has a value of the wrong type") }
    var after: Int64?
    if case .integer(let number)? = object["after"] { after = number }
    self.init(
      kind: kind, store: store, first: first, last: last, after: after,
      manifestDigest: manifestDigest, previousDigest: previousDigest)
    guard self.line == line else {
      throw damaged("its lineSHA256 is not the digest of the line")
    }
    guard SegmentName.isStoreFolder(store) else { throw damaged("its store is not a UUID") }
    guard first >= 1, first <= last, after.map({ $0 < first }) ?? true else {
      throw damaged("its numbers contradict each other")
    }
  }
}
