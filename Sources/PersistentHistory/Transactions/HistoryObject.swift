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

  /// Reads `Trip/p12`, `Trip/12` or `x-coredata://UUID/Trip/p12`.
  ///
  /// - Throws: ``HistoryError/malformedObject(text:)``.
  public init(_ text: String) throws(HistoryError) {
    let scheme = "x-coredata://"
    let isAddress = text.hasPrefix(scheme)
    var parts = (isAddress ? text.dropFirst(scheme.count) : text[...])
      .split(separator: "/", omittingEmptySubsequences: false)
    let store = isAddress && !parts.isEmpty ? String(parts.removeFirst()) : nil
    guard parts.count == 2, !parts[0].isEmpty,
      let key = Int64(decimal: parts[1].hasPrefix("p") ? parts[1].dropFirst() : parts[1]),
      store != ""
    else { throw .malformedObject(text: text) }
    self.init(entityName: String(parts[0]), primaryKey: key, storeIdentifier: store?.uppercased())
  }

  /// The object as `Trip/p12`.
  public var description: String { "\(entityName)/p\(primaryKey)" }
}
