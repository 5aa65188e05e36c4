import PersistentHistory
import StoreFormat

/// Writes what the changes of objects come to as JSON lines.
///
/// The lines are for reading only: a net change is not what was recorded.
package struct NetChangeLineEncoder: Sendable {
  private var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private let path: String?

  /// An encoder with an empty buffer.
  ///
  /// - Parameter path: The store that the lines are about, where there are several; nil for none.
  package init(path: String? = nil) { self.path = path }

  /// What has been written since the last ``removeAll()``; whole lines.
  package var bytes: ArraySlice<UInt8> { writer.bytes }

  /// How many bytes have been written since the last ``removeAll()``.
  package var byteCount: Int { writer.count }

  /// Lends what has been written.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Forgets what has been written, for the caller has put it elsewhere.
  package mutating func removeAll() { writer.removeAll() }

  /// Writes what the changes of one object come to; nothing where it is as if none had been.
  package mutating func encode(_ change: NetChange) {
    guard let kind = change.kind else { return }
    let text = texts.text(for: change.entity)
    begin("{\"schema\":1,\"type\":\"netChange\"")
    writer.appendRaw(text.member)
    writer.appendRaw(",\"pk\":")
    writer.appendInteger(change.primaryKey)
    writer.append(change.object)
    switch kind {
    case .insert: writer.appendRaw(",\"kind\":\"insert\"")
    case .update: writer.appendRaw(",\"kind\":\"update\"")
    case .delete: writer.appendRaw(",\"kind\":\"delete\"")
    case .replace: writer.appendRaw(",\"kind\":\"replace\"")
    }
    if kind == .update, let mask = change.columns.mask {
      if change.columns.isComplete { writer.append(attributesIn: mask, text) }
      writer.append(columns: mask)
    }
    if !change.values.isEmpty {
      writer.appendRaw(",\"values\":")
      writer.appendRecordedValues(change.values)
    }
    if kind == .delete || kind == .replace { writer.append(tombstone: change.tombstone, text) }
    writer.appendRaw(",\"firstTransaction\":")
    writer.appendInteger(change.firstTransaction)
    writer.appendRaw(",\"lastTransaction\":")
    writer.appendInteger(change.lastTransaction)
    writer.appendRaw(",\"changeCount\":")
    writer.appendInteger(Int64(change.changeCount))
    writer.appendRaw("}\n")
  }

  private mutating func begin(_ start: StaticString) {
    writer.appendRaw(start)
    guard let path else { return }
    writer.appendRaw(",\"path\":")
    writer.appendString(path)
  }
}
