import PersistentHistory
import StoreFormat

/// Writes what is known of an object as a JSON line, which follows the lines of its transactions.
///
/// What a deleted object left behind is written as in the line of its delete. Values of one that is
/// there are written by the types of their attributes, as those of a tombstone are. Data of more than
/// ``longestData`` bytes, and a text of more than ``/StoreFormat/ObjectReader/longestValue``, are
/// written as their size.
package struct ObjectLifeEncoder: Sendable {
  /// How many bytes data may have to be written out.
  package static let longestData = 1024

  private var writer = JSONWriter()

  /// An encoder with an empty buffer.
  package init() {}

  /// Lends what has been written.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.withUnsafeBytes(body)
  }

  /// Writes the line of an object.
  ///
  /// - Parameters:
  ///   - life: What is known of the object.
  ///   - store: The identifier of the store; nil in a store that has none.
  package mutating func encode(_ life: ObjectLife, store: String?) {
    writer.appendRaw("{\"schema\":1,\"type\":\"object\"")
    if let store {
      writer.appendRaw(",\"store\":")
      writer.appendString(store)
    }
    writer.appendRaw(",\"entity\":")
    writer.appendString(life.object.entityName)
    writer.appendRaw(",\"pk\":")
    writer.appendInteger(life.object.primaryKey)
    writer.append(life.object)
    writer.appendRaw(",\"state\":")
    writer.appendString(life.state.rawValue)
    append(",\"inserted\":", life.inserted)
    append(",\"updated\":", life.updated)
    append(",\"deleted\":", life.deleted)
    writer.appendRaw(",\"updateCount\":")
    writer.appendInteger(Int64(life.updateCount))
    writer.appendRaw(",\"changeCount\":")
    writer.appendInteger(Int64(life.changeCount))
    if let present = life.present { append(present) }
    if life.state == .deleted, let deletion = life.deletion {
      // Not the line of the delete, which the caller may have left out.
      let text = deletion.entity.map(EntityText.init)
      writer.append(tombstone: deletion.tombstone, text)
    }
    writer.appendRaw("}\n")
  }

  private mutating func append(_ key: StaticString, _ event: ObjectLife.Event?) {
    guard let event else { return }
    writer.appendRaw(key)
    writer.appendRaw("{\"transaction\":")
    writer.appendInteger(event.transaction)
    if let timestamp = event.timestamp { writer.append(timestamp, withStored: false) }
    writer.append(",\"author\":", event.author)
    writer.append(",\"process\":", event.process)
    writer.appendRaw("}")
  }

  private mutating func append(_ present: PresentObject) {
    if let version = present.version {
      writer.appendRaw(",\"version\":")
      writer.appendInteger(version)
    }
    var isFirst = false
    writer.append(present, &isFirst)
  }
}
