import Foundation
import PersistentHistory
import StoreFormat

extension EntityLayout {
  /// What was recorded of an update, by property.
  ///
  /// A property that the class does not have any more is left out, and so is a value that is none of its
  /// type.
  func changedValues(
    of recorded: [RecordedValue], storeIdentifier: String
  ) -> [String: HistoryValueChange] {
    guard !recorded.isEmpty else { return [:] }
    let byName = Dictionary(
      recorded.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [String: HistoryValueChange] = [:]
    for name in Set(recorded.map(\.property)) {
      guard let index = index(named: name) else { continue }
      let property = properties[index]
      if property.relationship != nil {
        guard let value = byName[name] else { continue }
        changes[name] = HistoryValueChange(
          old: Self.identifier(value.old, storeIdentifier),
          new: Self.identifier(value.new, storeIdentifier))
      } else if let codec = property.codec {
        let parts = property.columnPaths.compactMap { byName[$0] }
        // Of a part nobody could tell what the whole was.
        guard parts.count == property.columnPaths.count,
          let old = Self.value(parts.map(\.old), codec),
          let new = Self.value(parts.map(\.new), codec)
        else { continue }
        changes[name] = HistoryValueChange(old: old, new: new)
      }
    }
    return changes
  }

  /// A value out of its columns: `.some(nil)` for nothing, nil for what is no value of the type.
  private static func value(
    _ contents: [RecordedContent], _ codec: AttributeCodec
  ) -> (any Sendable)?? {
    if contents.count == 1, case .digest(let bytes, let byteCount) = contents[0] {
      return HistoryValueDigest(sha256: Data(bytes), byteCount: Int(clamping: byteCount))
    }
    let stored = contents.compactMap(\.value)
    guard stored.count == contents.count else { return nil }
    if stored.allSatisfy(\.isNull) { return .some(nil) }
    // Values of attributes are plain data, and being Sendable leaves no trace in a value.
    return codec.value(of: stored).map { unsafeBitCast($0 as Any, to: (any Sendable).self) }
  }

  /// The model that a relationship led to.
  private static func identifier(
    _ content: RecordedContent, _ storeIdentifier: String
  ) -> PersistentIdentifier? {
    guard case .value(.text(let text)) = content, let object = try? HistoryObject(text) else {
      return nil
    }
    return PersistentIdentifier(
      entityName: object.entityName, storeIdentifier: storeIdentifier,
      key: .number(object.primaryKey))
  }
}
