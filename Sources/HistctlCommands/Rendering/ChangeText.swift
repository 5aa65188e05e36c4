import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// The sign of a kind of change, its color, and its word.
struct ChangeSign {
  let text: String
  let style: Style
  let word: String

  static let insert = ChangeSign(text: "+", style: .inserted, word: "inserted")
  static let update = ChangeSign(text: "~", style: .updated, word: "updated")
  static let delete = ChangeSign(text: "-", style: .deleted, word: "deleted")
  static let replace = ChangeSign(text: "±", style: .warning, word: "replaced")
  static let other = ChangeSign(text: "?", style: .warning, word: "changed")
}

extension ChangeSign {
  init(_ kind: ChangeKind?) {
    self =
      switch kind {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      case nil: .other
      }
  }

  init(_ kind: NetChangeKind) {
    self =
      switch kind {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      case .replace: .replace
      }
  }
}

/// A number of changes of one kind.
typealias SignedCount = (sign: ChangeSign, count: Int)

extension Bars.Row {
  /// Makes a row whose bar has a part for each kind of change.
  init(label: String, counts: [SignedCount]) {
    self.init(
      label: label, parts: counts.map { (Double($0.count), $0.sign.style) },
      text: counts.map { "\($0.sign.text)\($0.count.grouped)" }.joined(separator: " "))
  }
}

/// Writes changes as text: `+ Trip/p12`, `~ Trip/p12  name, endDate`, `- Trip/p12  name: "Rome"`.
struct ChangeText {
  /// The characters of a long text that are shown in a list of changes.
  static let shortText = 60
  /// The maximum number of columns of a mask that are shown by their numbers.
  static let maxColumns = 64
  /// The characters of a long text that are shown for a single change or value.
  static let longText = 1 << 16

  /// Returns the counts of a transaction, such as `Trip +3 ~1  Item -2`.
  static func summary(_ summary: ChangeSummary) -> TableCell {
    guard summary.count > 0 else { return TableCell("no changes", style: .secondary) }
    var spans: [TableCell.Span] = []
    for entry in summary.entries {
      let name = entry.entity?.label ?? "?"
      spans.append(
        .init(text: (spans.isEmpty ? "" : "  ") + name, style: .plain, isName: true))
      for (sign, count) in counts(entry) {
        spans.append(.init(text: " ", style: .plain))
        spans.append(.init(text: "\(sign.text)\(count)", style: sign.style))
      }
    }
    return TableCell(spans: spans)
  }

  /// Returns the numbers of changes of one entity that are not 0.
  static func counts(_ entry: ChangeSummary.Entry) -> [SignedCount] {
    [
      (.insert, entry.inserts), (.update, entry.updates), (.delete, entry.deletes),
      (.other, entry.others),
    ].filter { $0.1 > 0 }
  }

  /// Returns one change: its sign, its object and its details.
  ///
  /// - Parameters:
  ///   - includesValues: Whether to show recorded values of attributes.
  ///   - longest: The maximum length of a text, in characters.
  static func spans(
    _ change: HistoryChange, includesValues: Bool = true, longest: Int = shortText
  ) -> [TableCell.Span] {
    let details = details(change, includesValues: includesValues, longest: longest)
    return [object(change)] + (details.isEmpty ? [] : [.init(text: "  ", style: .plain)]) + details
  }

  /// Returns the sign of a change and its object.
  static func object(_ change: HistoryChange) -> TableCell.Span {
    let sign = ChangeSign(change.kind)
    let key = change.primaryKey.map { "p\($0)" } ?? "?"
    return .init(text: "\(sign.text) \(change.entity?.label ?? "?")/\(key)", style: sign.style)
  }

  /// Returns the details of a change, separated by spaces.
  static func details(
    _ change: HistoryChange, includesValues: Bool = true, longest: Int = shortText
  ) -> [TableCell.Span] {
    var details: [TableCell.Span] = []
    let values = includesValues ? ValueChangeText.shown(change) : []
    if let mask = change.mask {
      details.append(columns(change.attributes, mask, values))
    } else if !values.isEmpty {
      let texts = values.map { ValueChangeText.text($0, of: change.kind) }
      details.append(.init(text: texts.joined(separator: ", "), style: .plain))
    }
    // The values of a delete include those of its tombstone.
    if change.kind != .delete || change.values.isEmpty {
      details.append(tombstone(change.preservedValues, change.tombstone, longest: longest))
    }
    if !change.extra.isEmpty {
      details.append(.init(text: extra(change.extra), style: .warning))
    }
    return spaced(details)
  }

  /// Returns the parts that are not empty, separated by spaces.
  static func spaced(_ parts: [TableCell.Span]) -> [TableCell.Span] {
    let parts = parts.filter { !$0.text.isEmpty }
    guard parts.count > 1 else { return parts }
    return parts.enumerated().flatMap { index, part in
      index == 0 ? [part] : [.init(text: "  ", style: .plain), part]
    }
  }

  /// Returns the attributes that were set, or the numbers of their columns without a model.
  ///
  /// - Parameter values: Their recorded values.
  static func columns(
    _ names: [String]?, _ mask: ColumnMask, _ values: [RecordedValue] = []
  ) -> TableCell.Span {
    if names != nil || !values.isEmpty {
      let names = names ?? []
      return names.isEmpty && values.isEmpty
        ? .init(text: "no attribute of the current model", style: .secondary)
        : .init(text: ValueChangeText.properties(names, values), style: .plain)
    }
    // A damaged mask can have more bits than any table has columns.
    let slots = mask.firstSetSlots(maxColumns + 1)
    let text = slots.prefix(maxColumns).map(String.init).joined(separator: ", ")
    guard slots.count > maxColumns else {
      return .init(text: text.isEmpty ? "no column" : "columns \(text)", style: .secondary)
    }
    return .init(
      text: "columns \(text) and others of a mask of \(mask.byteCount.grouped) bytes",
      style: .secondary)
  }

  /// Returns the values in a tombstone.
  static func tombstone(
    _ named: [(attribute: ManagedAttribute, value: StoredValue)]?, _ stored: [StoredValue],
    longest: Int = shortText
  ) -> TableCell.Span {
    if let named {
      let values = named.map {
        "\($0.attribute.name): \(value($0.value, of: $0.attribute.type, longest: longest))"
      }
      return .init(text: values.joined(separator: ", "), style: .plain)
    }
    let values = stored.map { value($0, of: .undefined, longest: longest) }.joined(separator: ", ")
    return .init(text: values.isEmpty ? "" : "tombstone " + values, style: .secondary)
  }

  /// Returns unexpected columns of a row.
  static func extra(_ columns: [ExtraColumn]) -> String {
    columns.map { "\($0.column) = \(value($0.value, of: .undefined))" }.joined(separator: ", ")
  }

  /// Returns a value of an attribute; the length of data, and the beginning of a long text.
  static func value(
    _ value: StoredValue, of type: AttributeType, longest: Int = shortText
  ) -> String {
    switch value.meaning(as: type) {
    case .boolean(let flag): return flag ? "true" : "false"
    case .time(let time):
      return TimeText.universal(time) ?? "\(time.secondsSinceReferenceDate)"
    case .uuid(let bytes): return UUIDText.text(of: bytes)
    case .plain: break
    }
    switch value {
    case .null: return "nil"
    case .integer(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .text(let text): return "\"\(cut(text, longest))\""
    case .malformedText(let bytes):
      return "\"\(cut(String(decoding: bytes.prefix(longest * 8), as: UTF8.self), longest))\""
    case .blob(let bytes): return "\(bytes.count) bytes"
    }
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    let start = text.prefix(longest)
    return start.endIndex == text.endIndex ? text : start + "…"
  }
}

/// The columns that say which transaction a row is about: TOKEN, STORE if there are several, TIME, AUTHOR and
/// PROCESS.
struct TransactionColumns {
  let columns: [TableColumn]
  private let reading: HistoryReading
  private let showsAuthors: Bool
  private let showsProcess: Bool

  /// - Parameters:
  ///   - reading: The history.
  ///   - showsAuthors: Whether any transaction has an author; those of most apps have none.
  ///   - showsProcess: Whether there is a column for the process.
  ///   - asked: The conditions on who saved; what was asked for stays on a narrow terminal.
  ///   - authorPriority: The priority of the author, between 40 of the time and 50 of the token, or below.
  init(
    _ reading: HistoryReading, showsAuthors: Bool, showsProcess: Bool = true,
    asked: AuthorOptions? = nil, authorPriority: Int = 30
  ) {
    self.reading = reading
    self.showsAuthors = showsAuthors
    self.showsProcess = showsProcess
    let author = TableColumn(
      // Narrower, most names could not be told apart.
      "AUTHOR", priority: authorPriority, minimumWidth: 8, canShrink: true,
      canDrop: asked?.namesAuthors != true)
    let process = TableColumn(
      "PROCESS", priority: 10, minimumWidth: 7, canShrink: true,
      canDrop: asked?.process.isEmpty ?? true)
    columns =
      [
        // Of several stores, the identifiers would leave no room for the time.
        TableColumn(
          "TOKEN", alignment: reading.tokens.isQualified ? .leading : .trailing, priority: 50,
          minimumWidth: 14, canShrink: reading.name != nil)
      ] + (reading.name == nil ? [] : [.store])
      + [TableColumn("TIME", priority: 40, canDrop: true)]
      + (showsAuthors ? [author] : []) + (showsProcess ? [process] : [])
  }

  /// Returns the cells of a transaction.
  ///
  /// - Parameter history: The history that has it; `nil` if there is only one.
  func cells(
    _ transaction: HistoryTransaction, of history: HistoryReading? = nil
  ) -> [TableCell] {
    cells(transaction.number, transaction.timestamp, transaction.author, of: history)
      + (showsProcess ? [TableCell(transaction.process?.string ?? "", style: .secondary)] : [])
  }

  /// Returns the cells of a transaction of which no more is known.
  func cells(
    _ number: Int64, _ timestamp: StoreTimestamp?, _ author: RecordedText?,
    of history: HistoryReading? = nil
  ) -> [TableCell] {
    let history = history ?? reading
    return [TableCell(history.tokens.text(number), style: .token)]
      + (history.name.map { [TableCell($0)] } ?? []) + [history.time.cell(timestamp)]
      + (showsAuthors ? [TableCell(author?.string ?? "")] : [])
  }

  /// The cells where no transaction is known.
  var unknown: [TableCell] {
    [TableCell("-", style: .token), TableCell("-")] + (showsAuthors ? [TableCell("")] : [])
  }
}

extension TableColumn {
  /// The column for the name of a store, where several are shown.
  static let store = TableColumn("STORE", priority: 45, minimumWidth: 8, canShrink: true)
}
