import HistoryCoding
import StoreFormat

/// One sealed segment as a line of the catalog has it.
///
/// The line is canonical: an entry gives exactly one text, which ends with the digest of its own
/// bytes before it. So a line is sound if, and only if, it is the text of what it says.
public struct CatalogEntry: Hashable, Sendable {
  /// The identifier of the store.
  package internal(set) var store: String
  /// The number of the first transaction.
  public let first: Int64
  /// The number of the last transaction.
  public let last: Int64
  /// The number of the transaction right before the first, where that was known: this segment goes on
  /// behind it, whatever numbers lie between.
  public let after: Int64?
  /// The digest of the manifest.
  package let manifestDigest: ArchiveDigest
  /// The digest of the line before, with its line end; ``ArchiveDigest/none`` in the first line.
  package let previousDigest: ArchiveDigest

  /// An entry.
  package init(
    store: String, first: Int64, last: Int64, after: Int64?, manifestDigest: ArchiveDigest,
    previousDigest: ArchiveDigest
  ) {
    self.store = store
    self.first = first
    self.last = last
    self.after = after
    self.manifestDigest = manifestDigest
    self.previousDigest = previousDigest
  }

  /// The numbers of the transactions.
  public var range: ClosedRange<Int64> { first...max(first, last) }

  /// The line, with its line end.
  package var line: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.appendRaw("{\"schema\":1,\"type\":\"segment\",\"store\":")
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

  /// The digest of the line with its line end, which the next line names.
  package var digest: ArchiveDigest { ArchiveDigest(of: line) }

  /// Whether bytes are a line whose end is another byte than a line feed; a crash leaves only lines
  /// that break off.
  static func lacksOnlyItsEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count > 1 else { return false }
    let line = Array(bytes.dropLast()) + [UInt8(ascii: "\n")]
    return (try? CatalogEntry(line: line, path: "", number: 1)) != nil
  }

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - line: The line, with its line end.
  ///   - path: The catalog, for messages.
  ///   - number: Which line of it this is, counted from 1.
  /// - Throws: ``ArchiveError/damaged(path:place:detail:)`` or
  ///   ``ArchiveError/unknownFormat(path:schema:)``.
  package init(line: [UInt8], path: String, number: Int) throws(ArchiveError) {
    func damaged(_ detail: String) -> ArchiveError {
      .damaged(path: path, place: "line \(number)", detail: detail)
    }
    guard line.count <= ArchiveFormat.catalogLineLimit else { throw damaged("it is too long") }
    let object: JSONObject
    do {
      guard case .object(let json) = try JSONReader().read(line) else {
        throw damaged("it is no object")
      }
      object = json
    } catch let error as ArchiveError {
      throw error
    } catch {
      throw damaged("it is not JSON: \(error)")
    }
    guard case .integer(let schema)? = object["schema"] else { throw damaged("it has no schema") }
    guard schema == ArchiveFormat.schema else {
      throw .unknownFormat(path: path, schema: schema)
    }
    guard case .string(let store)? = object["store"], case .integer(let first)? = object["first"],
      case .integer(let last)? = object["last"],
      let manifest = Self.digest(object, "manifestSHA256"),
      let previous = Self.digest(object, "previousSHA256")
    else { throw damaged("a key is missing, or its value is of the wrong kind") }
    var after: Int64?
    if case .integer(let number)? = object["after"] { after = number }
    self.init(
      store: store, first: first, last: last, after: after, manifestDigest: manifest,
      previousDigest: previous)
    guard self.line == line else {
      throw damaged("it is not what it was when it was written: its lineSHA256 does not fit")
    }
    guard SegmentName.isStoreFolder(store) else {
      throw damaged("its store is no identifier of one")
    }
    guard first >= 1, first <= last, after.map({ $0 < first }) ?? true else {
      throw damaged("its numbers contradict each other")
    }
  }

  private static func digest(_ object: JSONObject, _ key: String) -> ArchiveDigest? {
    guard case .string(let text)? = object[key] else { return nil }
    return ArchiveDigest(hexadecimal: text)
  }
}
