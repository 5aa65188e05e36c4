import PersistentHistory
import StoreFormat

/// A member of a record: its key, and how its value is written and read.
///
/// A new member of a line is a key, and an entry in the table of its record.
struct LineField<Record, Context>: Sendable {
  typealias Write = @Sendable (inout JSONWriter, LineKey, Record, Context, inout Bool) -> Void
  typealias Read = @Sendable (LineMembers, inout Record, TransactionLineDecoder) throws -> Void

  let key: LineKey
  /// What a line without the member lacks; `nil` if the member may be missing.
  let missing: String?
  /// Writes the member; nothing if the record has no value for it.
  let write: Write
  /// Reads the member of a line that has it; `nil` if other members say the same.
  let read: Read?

  init(_ key: LineKey, missing: String? = nil, _ write: @escaping Write, read: Read? = nil) {
    self.key = key
    self.missing = missing
    self.write = write
    self.read = read
  }
}

/// What the members of a transaction say beside its own values: the JSON of the record's type, and in
/// lines the path of the store, and whether changes or fields are left out.
typealias TransactionContext = (type: StaticString, path: String?, isPartial: Bool)

typealias TransactionField = LineField<HistoryTransaction, TransactionContext>
typealias ChangeField = LineField<HistoryChange, EntityText?>

/// The members of records in their order, for both directions and for all formats that have them.
enum LineFields {
  /// The keys of a table without some.
  static func keys<Record, Context>(
    of table: [LineField<Record, Context>], except others: [LineKey]
  ) -> [LineKey] {
    table.map(\.key).filter { !others.contains($0) }
  }

  static let ofTransactions: [TransactionField] = [
    TransactionField(.schema) { json, key, _, _, isFirst in
      json.append(key, integer: HistoryLine.schema, &isFirst)
    },
    TransactionField(.type) { json, key, _, context, isFirst in
      json.append(key, &isFirst)
      json.appendRaw(context.type)
    },
    TransactionField(.store) { json, key, transaction, _, isFirst in
      json.append(key, string: transaction.store, &isFirst)
    } read: { members, transaction, _ in
      transaction.store = try members.string(.store)
    },
    TransactionField(.transaction, missing: "there, an integer") {
      json, key, transaction, _, isFirst in
      json.append(key, integer: transaction.number, &isFirst)
    } read: { members, transaction, _ in
      transaction.number = try members.required(.transaction)
    },
    TransactionField(.timestamp) { json, key, transaction, _, isFirst in
      if let timestamp = transaction.timestamp { json.append(key, timestamp, &isFirst) }
    },
    TransactionField(.timestampRaw) { json, key, transaction, _, isFirst in
      guard let timestamp = transaction.timestamp else { return }
      json.append(key, &isFirst)
      json.append(raw: timestamp.secondsSinceReferenceDate)
    } read: { members, transaction, _ in
      transaction.timestamp = try members.value(
        .timestampRaw, "a number", StoreTimestamp.init(raw:))
    },
    text(.author, { $0.author }, { $0.author = $1 }),
    text(.bundle, { $0.bundle }, { $0.bundle = $1 }),
    text(.process, { $0.process }, { $0.process = $1 }),
    text(.context, { $0.context }, { $0.context = $1 }),
    TransactionField(.queryGenerationRaw) { json, key, transaction, _, isFirst in
      guard let bytes = transaction.queryGeneration else { return }
      json.append(key, &isFirst)
      json.append(raw: .blob(bytes))
    } read: { members, transaction, _ in
      transaction.queryGeneration = try members.value(.queryGenerationRaw, "bytes in base64") {
        json -> [UInt8]? in
        if case .blob(let bytes)? = StoredValue(raw: json) { bytes } else { nil }
      }
    },
    // Beside those of a change, the extra columns of a transaction have a key of their own.
    TransactionField(.transactionExtra) { json, key, transaction, _, isFirst in
      json.append(key, extra: transaction.extra, &isFirst)
    },
    TransactionField(.extra) { json, key, transaction, _, isFirst in
      json.append(key, extra: transaction.extra, &isFirst)
    } read: { members, transaction, _ in
      transaction.extra = try members.extraColumns()
    },
    TransactionField(.path) { json, key, _, context, isFirst in
      json.append(key, string: context.path, &isFirst)
    },
    TransactionField(.partial) { json, key, _, context, isFirst in
      guard context.isPartial else { return }
      json.append(key, &isFirst)
      json.appendBoolean(true)
    } read: { members, transaction, _ in
      let isPartial = try members.value(.partial, "true") { json -> Bool? in
        if case .boolean(let flag) = json { flag } else { nil }
      }
      guard isPartial != true else { throw LineError.partial(transaction: transaction.number) }
    },
    // The changes follow one by one.
    TransactionField(.changes, missing: "an array") { json, key, _, _, isFirst in
      json.append(key, &isFirst)
      json.appendRaw(UInt8(ascii: "["))
    },
  ]

  private static func text(
    _ key: LineKey, _ value: @escaping @Sendable (HistoryTransaction) -> RecordedText?,
    _ set: @escaping @Sendable (inout HistoryTransaction, RecordedText?) -> Void
  ) -> TransactionField {
    TransactionField(key) { json, key, transaction, _, isFirst in
      json.append(key, value(transaction), &isFirst)
    } read: { members, transaction, _ in
      set(&transaction, try members.text(key))
    }
  }

  static let ofChanges: [ChangeField] = [
    ChangeField(.change, missing: "there, an integer") { json, key, change, _, isFirst in
      json.append(key, integer: change.number, &isFirst)
    } read: { members, change, _ in
      change.number = try members.required(.change)
    },
    ChangeField(.kind) { json, key, change, _, isFirst in
      guard let kind = change.kind else { return }
      json.append(key, &isFirst)
      json.append(kind)
    } read: { members, change, _ in
      change.kind = try members.string(.kind, "insert, update or delete", ChangeKind.init(name:))
    },
    ChangeField(.entity) { json, key, _, text, isFirst in
      guard let name = text?.name else { return }
      json.append(key, &isFirst)
      json.appendRaw(name)
    } read: { members, change, decoder in
      change.entity = try decoder.entity(of: members, change.kind)
    },
    ChangeField(.entityRaw) { json, key, _, text, isFirst in
      json.append(key, integer: text?.number, &isFirst)
    } read: { members, change, decoder in
      guard change.entity == nil else { return }
      change.entity = decoder.schema.entity(number: try members.required(.entityRaw))
    },
    ChangeField(.pk) { json, key, change, _, isFirst in
      json.append(key, integer: change.primaryKey, &isFirst)
    } read: { members, change, _ in
      change.primaryKey = try members.required(.pk)
    },
    ChangeField(.object) { json, key, change, text, isFirst in
      guard let primaryKey = change.primaryKey, let start = text?.objectStart else { return }
      json.append(key, &isFirst)
      json.append(objectStart: start, primaryKey)
    },
    ChangeField(.attributes) { json, key, change, text, isFirst in
      guard change.kind == .update, let mask = change.mask, let text, text.names(mask) else {
        return
      }
      json.append(key, &isFirst)
      json.appendAttributeNames(in: mask, text)
    },
    ChangeField(.columnsRaw) { json, key, change, _, isFirst in
      guard let mask = change.mask else { return }
      json.append(key, &isFirst)
      json.append(mask)
    } read: { members, change, _ in
      change.mask = try members.mask()
    },
    ChangeField(.values) { json, key, change, _, isFirst in
      guard !change.values.isEmpty else { return }
      json.append(key, &isFirst)
      json.appendRecordedValues(change.values)
    } read: { members, change, _ in
      try members.forEachMember(of: .values) { change.values.append(try RecordedValue($0, $1)) }
    },
    ChangeField(.valuesFrom) { json, key, change, _, isFirst in
      guard !change.values.isEmpty, change.valueSource != .program else { return }
      json.append(key, string: change.valueSource.rawValue, &isFirst)
    } read: { members, change, _ in
      let source = try members.string(.valuesFrom, ValueSource.log.rawValue) {
        ValueSource(rawValue: $0).flatMap { $0 == .program ? nil : $0 }
      }
      change.valueSource = source ?? .program
    },
    ChangeField(.tombstone) { json, key, change, text, isFirst in
      guard change.kind == .delete else { return }
      json.append(key, tombstone: change.tombstone, text, &isFirst)
    } read: { members, change, _ in
      // The values as they are stored say more.
      guard !members.has(.tombstoneRaw) else { return }
      change.tombstone = try members.tombstone(of: change.entity)
    },
    ChangeField(.tombstoneRaw) { json, key, change, text, isFirst in
      json.append(
        key, storedTombstone: change.tombstone, change.kind == .delete ? text : nil, &isFirst)
    } read: { members, change, _ in
      change.tombstone = try members.storedTombstone()
    },
    ChangeField(.extra) { json, key, change, _, isFirst in
      json.append(key, extra: change.extra, &isFirst)
    } read: { members, change, _ in
      change.extra = try members.extraColumns()
    },
  ]
}

extension JSONWriter {
  /// Writes the selected members of a record in the order of their table.
  ///
  /// - Parameter isFirst: Whether the object that is being written has no member yet; updated.
  @inline(__always)
  mutating func append<Record, Context>(
    _ table: [LineField<Record, Context>], of record: Record, _ context: Context,
    _ fields: FieldSelection, _ isFirst: inout Bool
  ) {
    // A loop over the array copies each field, which takes as long as writing a short one.
    table.withUnsafeBufferPointer { table in
      for index in table.indices where fields.contains(table[index].key) {
        table[index].write(&self, table[index].key, record, context, &isFirst)
      }
    }
  }
}

extension LineMembers {
  /// Reads the members of a record in the order of their table.
  @inline(__always)
  func read<Record, Context>(
    _ table: [LineField<Record, Context>], into record: inout Record,
    _ decoder: TransactionLineDecoder
  ) throws {
    try table.withUnsafeBufferPointer { table in
      for index in table.indices {
        if has(table[index].key) {
          try table[index].read?(self, &record, decoder)
        } else if let missing = table[index].missing {
          throw LineError.unexpected(key: table[index].key.name, expectation: missing)
        }
      }
    }
  }
}

// MARK: - Gaps

extension JSONWriter {
  /// Writes the line of a gap.
  mutating func append(line gap: HistoryGap, path: String? = nil) {
    begin(line: "\"gap\"")
    var isFirst = false
    append(.path, string: path, &isFirst)
    append(.store, string: gap.store, &isFirst)
    append(.after, integer: gap.after, &isFirst)
    append(.oldest, integer: gap.oldest, &isFirst)
    appendRaw("}\n")
  }
}

extension HistoryGap {
  /// Reads the line of a gap.
  init(_ members: LineMembers) throws {
    self.init(
      store: try members.string(.store), after: try members.required(.after),
      oldest: try members.integer(.oldest))
  }
}
