import StoreFormat

/// An object, by its entity and primary key, written `Trip/p12`.
public struct HistoryObject: Hashable, Sendable, CustomStringConvertible {
  /// The object's own entity.
  public let entityName: String
  /// The primary key in the entity's table.
  public let primaryKey: Int64
  /// The store of an `x-coredata://` address, or `nil` without one.
  public let storeIdentifier: String?

  /// Creates an object.
  public init(entityName: String, primaryKey: Int64, storeIdentifier: String? = nil) {
    self.entityName = entityName
    self.primaryKey = primaryKey
    self.storeIdentifier = storeIdentifier
  }

  private static let scheme = "x-coredata://"

  /// Returns whether a text begins as the address of an object, as apps and debuggers print it.
  static func isAddress(_ text: String) -> Bool { address(in: text) != nil }

  /// Returns the address without what debuggers print around it: `0x9a <x-coredata://UUID/Trip/p12>`.
  private static func address(in text: String) -> Substring? {
    let inner =
      text.hasSuffix(">")
      ? text.lastIndex(of: "<").map { text[text.index(after: $0)...].dropLast() } ?? text[...]
      : text[...]
    return inner.hasPrefix(scheme) ? inner.dropFirst(scheme.count) : nil
  }

  /// Reads `Trip/p12`, `Trip/12` or `x-coredata://UUID/Trip/p12`, also as a debugger prints it.
  ///
  /// - Throws: ``HistoryError/malformedObject(text:)``.
  public init(_ text: String) throws(HistoryError) {
    let address = Self.address(in: text)
    var parts = (address ?? text[...]).split(separator: "/", omittingEmptySubsequences: false)
    let store = address != nil && !parts.isEmpty ? String(parts.removeFirst()) : nil
    guard parts.count == 2, !parts[0].isEmpty,
      let key = Int64(decimal: parts[1].hasPrefix("p") ? parts[1].dropFirst() : parts[1]),
      store != ""
    else { throw .malformedObject(text: text) }
    self.init(entityName: String(parts[0]), primaryKey: key, storeIdentifier: store?.uppercased())
  }

  /// The object as `Trip/p12`.
  public var description: String { "\(entityName)/p\(primaryKey)" }
}
