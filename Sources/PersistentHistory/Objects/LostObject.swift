import StoreFormat

/// An object as it was before it was deleted, as far as that is known.
package struct LostObject: Sendable {
  /// Where a value is known from.
  package enum Source: String, Hashable, Sendable {
    /// The state of the store before the deletion, which its write-ahead log holds.
    case log
    /// The file of recorded values.
    case recorded
    case archive
    /// What the deletion preserved.
    case tombstone

    init(_ place: ValuePlace) {
      self =
        switch place {
        case .recorded: .recorded
        case .log: .log
        case .archive: .archive
        }
    }
  }

  package enum Value: Hashable, Sendable {
    /// A value as a store keeps it.
    case stored(StoredValue, RecordedValue.Kind)
    /// A value that is too long to be kept.
    case digest([UInt8], byteCount: Int64)
    /// Data in a file beside the store, which exists.
    case file(LargeValueName)
    /// The destination of a to-one relationship; `nil` for none.
    case object(StoreObject?)
    /// The destinations of a to-many relationship, in order if it has one.
    case objects([StoreObject])
  }

  package enum Knowledge: Hashable, Sendable {
    case known(Value, Source)
    case unknown(reason: String)
  }

  package struct Property: Hashable, Sendable {
    /// The attribute or relationship; an element of a composite attribute as `attribute.element`.
    package let name: String
    package let knowledge: Knowledge

    package var value: Value? {
      if case .known(let value, _) = knowledge { value } else { nil }
    }
  }

  package let object: HistoryObject
  /// The number of its entity; `nil` if the store has none.
  package let entityNumber: Int64?
  /// The transaction that deleted it; `nil` if none is recorded.
  package let deletion: ObjectLife.Event?
  /// The row as the log has it; `nil` if it has none.
  package let row: LogRow?
  /// The attributes and to-one relationships by name, then the to-many relationships.
  package let properties: [Property]

  /// Returns what is known of a property.
  package subscript(name: String) -> Knowledge {
    properties.first { $0.name == name }?.knowledge ?? .unknown(reason: Self.nowhere)
  }

  /// About how many bytes of memory it takes.
  package var byteCount: Int {
    properties.reduce(1024) { sum, property in
      switch property.value {
      case .stored(let value, _): sum + 128 + 2 * RecordedContent.value(value).byteCount
      case .objects(let objects): sum + 128 + 64 * objects.count
      case .file, .digest, .object, nil: sum + 128
      }
    }
  }

  package static let nowhere = "no source has its last value"
}

extension LostObject.Value {
  /// Takes a value before or after a change.
  init(_ content: RecordedContent, _ kind: RecordedValue.Kind) {
    switch content {
    case .digest(let bytes, let count): self = .digest(bytes, byteCount: count)
    case .value(.text(let text)) where kind == .object:
      self = .object(
        (try? HistoryObject(text)).map {
          StoreObject(entityName: $0.entityName, primaryKey: $0.primaryKey)
        })
    case .value where kind == .object: self = .object(nil)
    case .value(let value): self = .stored(value, kind)
    }
  }

  /// Takes what the columns of a property hold.
  init(_ content: ColumnContent, _ kind: RecordedValue.Kind) {
    switch content {
    case .value(let value): self = .stored(value, kind)
    case .file(let name): self = .file(name)
    case .object(let object): self = .object(object)
    }
  }
}
