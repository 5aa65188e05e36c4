import PersistentHistory
import StoreFormat

/// Writes the net effects of changes on objects as JSON lines.
///
/// The lines are for reading only: a net change is not what was recorded.
package struct NetChangeLineEncoder: BufferedText, Sendable {
  var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private let path: String?

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter path: The store that the lines are about, if there are several.
  package init(path: String? = nil) { self.path = path }

  /// The bytes written since the last ``removeAll()``; whole lines.
  package var bytes: ArraySlice<UInt8> { writer.bytes }

  /// Writes the net effect on one object; nothing if there is none.
  package mutating func encode(_ change: NetChange) {
    guard let kind = change.kind else { return }
    let text = texts.text(for: change.entity)
    var isFirst = false
    begin("\"netChange\"", text, change.primaryKey, kind)
    if kind == .update, let mask = change.columns.mask {
      if change.columns.isComplete, text.names(mask) {
        writer.append(.attributes)
        writer.appendAttributeNames(in: mask, text)
      }
      writer.append(.columnsRaw)
      writer.append(mask)
    }
    if !change.values.isEmpty {
      writer.append(.values)
      writer.appendRecordedValues(change.values)
    }
    if kind == .delete || kind == .replace {
      writer.append(.tombstone, tombstone: change.tombstone, text, &isFirst)
      writer.append(.tombstoneRaw, storedTombstone: change.tombstone, text, &isFirst)
    }
    writer.append(.firstTransaction)
    writer.appendInteger(change.firstTransaction)
    writer.append(.lastTransaction)
    writer.appendInteger(change.lastTransaction)
    writer.append(.changeCount)
    writer.appendInteger(Int64(change.changeCount))
    writer.appendRaw("}\n")
  }

  /// Writes the differences between two copies of an object.
  package mutating func encode(_ difference: ObjectDifference) {
    begin(
      "\"difference\"", texts.text(for: difference.entity), difference.primaryKey, difference.kind)
    writer.append(.values)
    writer.appendRecordedValues(difference.values)
    if !difference.columns.isEmpty {
      writer.append(.columns)
      writer.appendRecordedValues(
        difference.columns.map { column in
          var column = column
          column.kind = column.apparentKind ?? .other
          return column
        })
    }
    if !difference.unexplained.isEmpty {
      writer.append(.unexplained)
      writer.appendStrings(difference.unexplained)
    }
    if let transactions = difference.transactions {
      writer.append(.firstTransaction)
      writer.appendInteger(transactions.lowerBound)
      writer.append(.lastTransaction)
      writer.appendInteger(transactions.upperBound)
    }
    writer.appendRaw("}\n")
  }

  private mutating func begin(
    _ type: StaticString, _ text: EntityText, _ primaryKey: Int64, _ kind: NetChangeKind
  ) {
    writer.begin(line: type)
    if let path {
      writer.append(.path)
      writer.appendString(path)
    }
    if let name = text.name {
      writer.append(.entity)
      writer.appendRaw(name)
    } else if let number = text.number {
      writer.append(.entityRaw)
      writer.appendInteger(number)
    }
    writer.append(.pk)
    writer.appendInteger(primaryKey)
    if let start = text.objectStart {
      writer.append(.object)
      writer.append(objectStart: start, primaryKey)
    }
    writer.append(.kind)
    writer.appendString(kind.rawValue)
  }
}

extension JSONWriter {
  fileprivate mutating func appendStrings(_ texts: [String]) {
    appendRaw(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { appendRaw(UInt8(ascii: ",")) }
      appendString(text)
    }
    appendRaw(UInt8(ascii: "]"))
  }
}

/// Writes what is known of an object as JSON lines: its life, which follows the lines of its
/// transactions, or the changes that last set its attributes.
///
/// The values that a deleted object left are written as in the line of its delete. Values of an object
/// that exists are written by the types of their attributes, as those of a tombstone are. Data of more
/// than ``longestData`` bytes, and a text of more than ``/StoreFormat/ObjectReader/longestValue``, are
/// written as their size.
package struct ObjectLineEncoder: BufferedText, Sendable {
  /// The maximum size of data that is written in full, in bytes.
  static let longestData = 1024

  var writer = JSONWriter()

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter drain: Takes the text while a long value is written; `nil` to keep all of it.
  package init(drain: TextDrain? = nil) { writer.drain = drain }

  /// Writes the line of an object.
  ///
  /// - Parameters:
  ///   - life: What is known of the object.
  ///   - store: The identifier of the store; `nil` in a store that has none.
  package mutating func encode(_ life: ObjectLife, store: String?) {
    var isFirst = false
    begin("\"object\"", of: life.object, store)
    writer.append(.state)
    writer.appendString(life.state.rawValue)
    append(.inserted, life.inserted)
    append(.updated, life.updated)
    append(.deleted, life.deleted)
    writer.append(.updateCount)
    writer.appendInteger(Int64(life.updateCount))
    writer.append(.changeCount)
    writer.appendInteger(Int64(life.changeCount))
    if let present = life.present {
      if let version = present.version {
        writer.append(.version)
        writer.appendInteger(version)
      }
      writer.append(present, &isFirst)
    }
    if life.state == .deleted, let deletion = life.deletion {
      // The caller may have left out the line of the delete.
      let (values, text) = (deletion.tombstone, deletion.entity.map(EntityText.init))
      writer.append(.tombstone, tombstone: values, text, &isFirst)
      writer.append(.tombstoneRaw, storedTombstone: values, text, &isFirst)
    }
    writer.appendRaw("}\n")
  }

  /// Writes the line of an attribute.
  package mutating func encode(
    _ line: ObjectBlame.Line, of object: HistoryObject, store: String?
  ) {
    begin("\"blame\"", of: object, store)
    writer.append(.attribute)
    writer.appendString(line.name)
    append(line.value)
    if line.isDerived {
      writer.append(.derived)
      writer.appendRaw("true")
    }
    if let kind = line.kind {
      writer.append(.kind)
      writer.append(kind)
    }
    if let event = line.event {
      var isFirst = false
      writer.appendMembers(of: event, &isFirst)
    }
    if let before = line.before, let old = before.old {
      writer.append(.old)
      writer.append(old, before.kind)
    }
    writer.appendRaw("}\n")
  }

  /// Writes the line of a deleted object with its last known values.
  package mutating func encode(_ lost: LostObject, store: String?) {
    begin("\"recovered\"", of: lost.object, store)
    if let deletion = lost.deletion {
      var isFirst = false
      writer.appendMembers(of: deletion, &isFirst)
    }
    writer.append(.values)
    writer.appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    for property in lost.properties {
      writer.appendName(property.name, &isFirst)
      switch property.knowledge {
      case .known(let value, let source):
        writer.appendRaw("{\"value\":")
        writer.append(value)
        writer.appendRaw(",\"from\":")
        writer.appendString(source.rawValue)
      case .unknown(let reason):
        writer.appendRaw("{\"unknown\":")
        writer.appendString(reason)
      }
      writer.appendRaw(UInt8(ascii: "}"))
    }
    writer.appendRaw("}}\n")
  }

  private mutating func begin(_ type: StaticString, of object: HistoryObject, _ store: String?) {
    writer.begin(line: type)
    if let store {
      writer.append(.store)
      writer.appendString(store)
    }
    writer.append(.entity)
    writer.appendString(object.entityName)
    writer.append(.pk)
    writer.appendInteger(object.primaryKey)
    writer.append(.object)
    writer.appendString(object.description)
  }

  /// Writes a value under its key; nothing if it is not known.
  private mutating func append(_ value: ObjectBlame.Value) {
    if case .unknown = value { return }
    writer.append(.value)
    switch value {
    case .present(let value): writer.append(value)
    case .reference(let reference): writer.append(reference)
    case .preserved(let value, let type): writer.append(value, of: type)
    case .recorded(let content, let kind): writer.append(content, kind)
    case .unknown: break
    }
  }

  private mutating func append(_ key: LineKey, _ event: ObjectLife.Event?) {
    guard let event else { return }
    var isFirst = true
    writer.append(key)
    writer.appendRaw(UInt8(ascii: "{"))
    writer.appendMembers(of: event, &isFirst)
    writer.appendRaw(UInt8(ascii: "}"))
  }
}

extension JSONWriter {
  /// Writes the members of the transaction of a change.
  fileprivate mutating func appendMembers(of event: ObjectLife.Event, _ isFirst: inout Bool) {
    append(.transaction, &isFirst)
    appendInteger(event.transaction)
    if let timestamp = event.timestamp { append(.timestamp, timestamp, &isFirst) }
    append(.author, event.author, &isFirst)
    append(.process, event.process, &isFirst)
  }

  /// Writes the last known value of a property.
  fileprivate mutating func append(_ value: LostObject.Value) {
    switch value {
    case .stored(let value, let kind): append(RecordedContent.value(value), kind)
    case .digest(let bytes, let count): append(.digest(bytes, byteCount: count), .other)
    case .file(let name):
      appendRaw("{\"$external\":")
      appendString(name.text)
      appendRaw(UInt8(ascii: "}"))
    case .object(nil): appendRaw("null")
    case .object(let object?): append(object)
    case .objects(let objects):
      appendRaw(UInt8(ascii: "["))
      for (index, object) in objects.enumerated() {
        if index > 0 { appendRaw(UInt8(ascii: ",")) }
        append(object)
      }
      appendRaw(UInt8(ascii: "]"))
    }
  }

  private mutating func append(_ object: StoreObject) {
    appendRaw("{\"$object\":")
    appendString("\(object.entityName)/p\(object.primaryKey ?? 0)")
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes the present state of an object, under the key that says whether its names are those of the
  /// model.
  mutating func append(_ present: PresentObject, _ isFirst: inout Bool) {
    append(present.key, &isFirst)
    appendMembers(of: present)
  }

  /// Writes the present state of an object as a JSON object.
  mutating func appendMembers(of present: PresentObject) {
    appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    for value in present.values where !value.value.isNull || value.isLeftOut {
      appendName(value.name, &isFirst)
      append(value)
    }
    for reference in present.references {
      guard reference.primaryKey != nil else { continue }
      appendName(reference.name, &isFirst)
      append(reference)
    }
    for count in present.counts {
      appendName(count.name, &isFirst)
      appendRaw("{\"$count\":")
      appendInteger(count.count)
      appendRaw(UInt8(ascii: "}"))
    }
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes the object that a relationship refers to.
  fileprivate mutating func append(_ reference: PresentObject.Reference) {
    guard let key = reference.primaryKey else { return appendRaw("null") }
    appendRaw("{\"$object\":")
    appendString("\(reference.entityName ?? "?")/p\(key)")
    appendRaw(UInt8(ascii: "}"))
  }

  fileprivate mutating func append(_ value: PresentObject.Value) {
    if let file = value.externalFile {
      appendRaw("{\"$external\":")
      appendString(file)
      if let reason = value.problemReason {
        appendRaw(",\"$problem\":")
        appendString(reason)
      }
      appendRaw(UInt8(ascii: "}"))
    } else if let size = value.byteCount,
      value.isLeftOut || value.isData && size > ObjectLineEncoder.longestData
    {
      appendRaw("{\"$size\":")
      appendInteger(Int64(size))
      appendRaw(UInt8(ascii: "}"))
    } else {
      append(value.value, of: value.type)
    }
  }
}

extension PresentObject {
  /// The key of the state, which says whether its names are those of the model.
  var key: LineKey { isNamedByModel ? .current : .currentRaw }
}
