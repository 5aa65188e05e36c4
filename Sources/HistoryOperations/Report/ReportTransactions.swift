import HistoryCoding
import PersistentHistory
import StoreFormat

/// The newest transactions of a history in the compact form of a report's data: arrays, with indexes
/// into lists of texts, entities and sets of attributes.
struct ReportTransactions {
  /// The elements of the array of transactions, separated by commas.
  private(set) var writer = JSONWriter(capacity: 1 << 16)
  private(set) var texts = TextList()
  private(set) var entities = TextList()
  /// The sets of attributes, by their indexes in ``texts``.
  private(set) var sets: [[Int]] = []

  private(set) var transactionCount: Int64 = 0
  /// The number of changes that were left out of these transactions.
  private(set) var hiddenChangeCount: Int64 = 0
  /// The number of values that were shortened.
  private(set) var shortenedCount: Int64 = 0
  /// Whether the limit of bytes is reached.
  private(set) var isFull = false

  private let byteLimit: Int
  private let isRedacted: Bool
  /// The bytes that escapes will add.
  private var escapeCount = 0
  private var setByteCount = 0
  private var setPlaces: [[Int]: Int] = [:]
  private var lastSet: (entity: Int, mask: ColumnMask, place: Int)?

  /// The maximum number of changes of one transaction.
  private static let maxChanges = 2000
  /// The maximum size of a value, in bytes.
  private static let maxValue = 1024
  /// The length to which a longer text is shortened.
  private static let shortText = 200

  init(byteLimit: Int, isRedacted: Bool) {
    self.byteLimit = byteLimit
    self.isRedacted = isRedacted
  }

  /// The bytes that this takes in the page.
  var byteCount: Int {
    writer.count + escapeCount + texts.byteCount + entities.byteCount + setByteCount
  }

  /// Reads transactions, newest first, until there are no more or the limit of bytes is reached.
  mutating func read(_ reader: TimelineReader) throws {
    while !isFull, let element = try reader.nextElement() {
      guard case .transaction(let transaction) = element else { continue }
      let start = writer.count
      do {
        try append(transaction, reader)
      } catch {
        writer.truncate(to: start)
        throw error
      }
      isFull = byteCount >= byteLimit
    }
  }

  private mutating func append(
    _ transaction: HistoryTransaction, _ reader: TimelineReader
  ) throws {
    let start = writer.count
    if transactionCount > 0 { writer.appendRaw(",") }
    writer.appendRaw("[")
    writer.append(transaction.number.reportJSON)
    writer.appendRaw(",")
    writer.append(transaction.timestamp.reportJSON)
    for role in [StringRole.author, .bundle, .process, .context] {
      writer.appendRaw(",")
      // Some programs name their contexts by the paths of files.
      let text = isRedacted && role == .context ? nil : transaction.text(role)
      writer.appendInteger(Int64(text.map { texts.place(of: $0.string) } ?? -1))
    }
    var changes = JSONWriter()
    var count: Int64 = 0
    var total: Int64?
    while total == nil {
      guard count < Self.maxChanges, byteCount + changes.count < byteLimit else { break }
      if let change = try reader.nextChange() {
        if count > 0 { changes.appendRaw(",") }
        append(change, to: &changes)
        count += 1
      } else {
        total = count
      }
    }
    let all = try total ?? reader.totalChangeCount(afterReading: count)
    hiddenChangeCount += all - count
    writer.appendRaw(",")
    writer.append(all.reportJSON)
    writer.appendRaw(",[")
    changes.withUnsafeBytes { writer.appendRaw($0.assumingMemoryBound(to: UInt8.self)) }
    writer.appendRaw("]]")
    escapeCount += ReportText.escapeCount(in: writer.bytes[start...])
    transactionCount += 1
  }

  private mutating func append(_ change: HistoryChange, to writer: inout JSONWriter) {
    let entity = change.entity.map { entities.place(of: $0.label) } ?? -1
    writer.appendRaw("[")
    writer.appendInteger(change.kind?.rawValue ?? 3)
    writer.appendRaw(",")
    writer.appendInteger(Int64(entity))
    writer.appendRaw(",")
    writer.append(change.primaryKey?.reportJSON ?? .null)
    // Members that are left out at the end cost nothing.
    var missing = 0
    func begin(_ writer: inout JSONWriter) {
      for _ in 0..<missing { writer.appendRaw(",null") }
      missing = 0
      writer.appendRaw(",")
    }
    if change.kind == .update, let mask = change.mask {
      begin(&writer)
      writer.appendInteger(Int64(set(of: mask, change.entity, entity)))
    } else {
      missing += 1
    }
    guard !isRedacted else { return writer.appendRaw("]") }
    if change.tombstone.contains(where: { !$0.isNull }) {
      begin(&writer)
      appendTombstone(of: change, to: &writer)
    } else {
      missing += 1
    }
    if !change.values.isEmpty {
      begin(&writer)
      append(change.values, to: &writer)
      if change.valueSource != .program {
        writer.appendRaw(",")
        writer.appendString(change.valueSource.rawValue)
      }
    }
    writer.appendRaw("]")
  }

  private mutating func set(of mask: ColumnMask, _ entity: HistoryEntity?, _ place: Int) -> Int {
    if let lastSet, lastSet.entity == place, lastSet.mask == mask { return lastSet.place }
    let names = (entity ?? HistoryEntity(name: nil)).columnLabels(in: mask)
      .map { texts.place(of: $0) }
    let set = setPlaces[names] ?? sets.count
    if set == sets.count {
      sets.append(names)
      setByteCount += names.count * 5 + 3
      setPlaces[names] = set
    }
    lastSet = (place, mask, set)
    return set
  }

  // MARK: - Values

  private mutating func appendTombstone(of change: HistoryChange, to writer: inout JSONWriter) {
    var isFirst = true
    func begin(_ name: String, _ texts: inout TextList, _ writer: inout JSONWriter) {
      writer.appendRaw(isFirst ? "[" : ",")
      isFirst = false
      writer.appendInteger(Int64(texts.place(of: name)))
      writer.appendRaw(",")
    }
    if let values = change.preservedValues {
      for (attribute, value) in values {
        begin(attribute.name, &texts, &writer)
        append(value, to: &writer) { $0.append(value, of: attribute.type) }
      }
    } else {
      for (slot, value) in change.tombstone.enumerated() where !value.isNull {
        begin("#\(slot)", &texts, &writer)
        append(value, to: &writer) { $0.append(raw: value) }
      }
    }
    writer.appendRaw(isFirst ? "[]" : "]")
  }

  private mutating func append(_ values: [RecordedValue], to writer: inout JSONWriter) {
    for (place, value) in values.enumerated() {
      writer.appendRaw(place == 0 ? "[" : ",")
      writer.appendInteger(Int64(texts.place(of: value.name)))
      writer.appendRaw(",{")
      if let old = value.old {
        writer.appendRaw("\"old\":")
        append(old, value.kind, to: &writer)
        if value.new != nil { writer.appendRaw(",") }
      }
      if let new = value.new {
        writer.appendRaw("\"new\":")
        append(new, value.kind, to: &writer)
      }
      writer.appendRaw("}")
    }
    writer.appendRaw("]")
  }

  private mutating func append(
    _ content: RecordedContent, _ kind: RecordedValue.Kind, to writer: inout JSONWriter
  ) {
    guard case .value(let value) = content else { return writer.append(content, kind) }
    append(value, to: &writer) { $0.append(content, kind) }
  }

  /// Writes a value, or what a page can show of it.
  private mutating func append(
    _ value: StoredValue, to writer: inout JSONWriter, whole: (inout JSONWriter) -> Void
  ) {
    switch value {
    case .integer(let number) where number.isInexactInPage:
      writer.append(.object(of: ["$int": String(number)]))
    case .text(let text) where text.utf8.count > Self.maxValue:
      shortenedCount += 1
      let start = String(decoding: text.utf8.prefix(Self.shortText), as: UTF8.self)
      writer.append(.object(of: ["$cut": start, "bytes": text.utf8.count]))
    case .blob(let bytes) where bytes.count > Self.maxValue,
      .malformedText(let bytes) where bytes.count > Self.maxValue:
      shortenedCount += 1
      writer.append(.object(of: ["$cut": "", "bytes": bytes.count]))
    default: whole(&writer)
    }
  }
}

/// Texts by the order in which they were first used, compared by their bytes.
struct TextList {
  private(set) var texts: [String] = []
  /// The bytes that the list takes in the page.
  private(set) var byteCount = 0
  private var places: [[UInt8]: Int] = [:]
  private var last: (text: String, place: Int)?
  /// The length to which a text is shortened, in bytes.
  private static let maxLength = 2048

  /// Returns a text shortened to the length that a page shows.
  static func shortened(_ text: String) -> String {
    text.utf8.count > maxLength
      ? String(decoding: text.utf8.prefix(maxLength), as: UTF8.self) + "…" : text
  }

  /// Returns the place of a text, which is added if it is not there.
  mutating func place(of text: String) -> Int {
    if let last, last.text.utf8.elementsEqual(text.utf8) { return last.place }
    // A hostile store may have many long texts, so those are neither kept nor distinguished.
    let short = Self.shortened(text)
    let key = Array(short.utf8)
    let place = places[key] ?? texts.count
    if place == texts.count {
      places[key] = place
      var writer = JSONWriter()
      writer.appendString(short)
      byteCount += writer.count + ReportText.escapeCount(in: writer.bytes) + 1
      texts.append(short)
    }
    last = (text, place)
    return place
  }
}

extension TimelineReader {
  /// Returns the number of changes of the current transaction.
  ///
  /// - Parameter count: How many of them were read.
  fileprivate func totalChangeCount(afterReading count: Int64) throws -> Int64 {
    let isStored = storeReader != nil
    let rest = Int64(try countChanges().count)
    return isStored ? rest : count + rest
  }
}

extension Int64 {
  /// Whether JavaScript cannot represent the number exactly.
  fileprivate var isInexactInPage: Bool { magnitude > 1 << 53 }

  /// The number as a page reads it: digits in a string where a number would be inexact.
  var reportJSON: JSONValue { isInexactInPage ? .string(String(self)) : .integer(self) }
}

extension StoreTimestamp? {
  /// The time as a page reads it: microseconds since 1970, or a text for a time that has none.
  var reportJSON: JSONValue {
    guard let self else { return .null }
    guard let microseconds = self.unixMicroseconds else {
      return .string("\(self.secondsSinceReferenceDate) s since 2001")
    }
    return microseconds.isInexactInPage
      ? self.iso8601().map(JSONValue.string) ?? .null : .integer(microseconds)
  }
}
