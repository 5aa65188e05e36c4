import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes changes for people: `+ Trip/p12`, `~ Trip/p12  name, endDate`, `- Trip/p12  name: "Rome"`.
struct ChangeText {
  /// How much of a long text is shown where a change has one line among many, in characters.
  static let shortText = 60
  /// How much where the change, or the value, is what was asked for: all but what no one can read.
  static let longText = 1 << 16

  /// The counts of a transaction, such as `Trip +3 ~1  Item -2`.
  static func summary(_ summary: ChangeSummary) -> TableCell {
    guard summary.count > 0 else { return TableCell("no changes", style: .secondary) }
    var spans: [TableCell.Span] = []
    for entry in summary.entries {
      let name = entry.entity?.label ?? "?"
      spans.append(.init(text: (spans.isEmpty ? "" : "  ") + name, style: .plain))
      for (sign, count, style) in [
        ("+", entry.inserts, Style.inserted), ("~", entry.updates, .updated),
        ("-", entry.deletes, .deleted), ("?", entry.others, .warning),
      ] where count > 0 {
        spans.append(.init(text: " ", style: .plain))
        spans.append(.init(text: "\(sign)\(count)", style: style))
      }
    }
    return TableCell(spans: spans)
  }

  /// One change: its sign, its object, and what is known of it.
  ///
  /// - Parameters:
  ///   - includesValues: Whether recorded values stand beside the names of what was touched.
  ///   - longest: How much of a text is shown, in characters.
  static func spans(
    _ change: HistoryChange, includesValues: Bool = true, longest: Int = shortText
  ) -> [TableCell.Span] {
    let details = details(change, includesValues: includesValues, longest: longest)
    return [object(change)] + (details.isEmpty ? [] : [.init(text: "  ", style: .plain)]) + details
  }

  /// The sign of a change and its object.
  static func object(_ change: HistoryChange) -> TableCell.Span {
    let (sign, style): (String, Style) =
      switch change.kind {
      case .insert: ("+", .inserted)
      case .update: ("~", .updated)
      case .delete: ("-", .deleted)
      case nil: ("?", .warning)
      }
    let key = change.primaryKey.map { "p\($0)" } ?? "?"
    return .init(text: "\(sign) \(change.entity?.label ?? "?")/\(key)", style: style)
  }

  /// What is known of a change, in parts with gaps between.
  static func details(
    _ change: HistoryChange, includesValues: Bool = true, longest: Int = shortText
  ) -> [TableCell.Span] {
    var details: [TableCell.Span] = []
    let values = includesValues ? change.values : []
    if let mask = change.mask { details.append(columns(change.attributes, mask, values)) }
    details.append(tombstone(change.preservedValues, change.tombstone, longest: longest))
    if !change.extra.isEmpty {
      details.append(.init(text: extra(change.extra), style: .warning))
    }
    return spaced(details)
  }

  /// The parts that hold anything, with gaps between.
  static func spaced(_ parts: [TableCell.Span]) -> [TableCell.Span] {
    let parts = parts.filter { !$0.text.isEmpty }
    guard parts.count > 1 else { return parts }
    return parts.enumerated().flatMap { index, part in
      index == 0 ? [part] : [.init(text: "  ", style: .plain), part]
    }
  }

  /// The properties that were touched, or the numbers of their columns where no model tells names.
  ///
  /// - Parameter values: What was recorded of their values.
  static func columns(
    _ names: [String]?, _ mask: ColumnMask, _ values: [RecordedValue] = []
  ) -> TableCell.Span {
    if names != nil || !values.isEmpty {
      let names = names ?? []
      return names.isEmpty && values.isEmpty
        ? .init(text: "no attribute of the current model", style: .secondary)
        : .init(text: ValueChangeText.properties(names, values), style: .plain)
    }
    let slots = mask.setSlots.prefix(64).map(String.init).joined(separator: ", ")
    return .init(text: slots.isEmpty ? "no column" : "columns \(slots)", style: .secondary)
  }

  /// What a deleted object left behind.
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

  /// Columns that say more than a row should.
  static func extra(_ columns: [ExtraColumn]) -> String {
    columns.map { "\($0.column) = \(value($0.value, of: .undefined))" }.joined(separator: ", ")
  }

  /// A value of an attribute; bytes are told by their number, and long texts are cut.
  static func value(
    _ value: StoredValue, of type: AttributeType, longest: Int = shortText
  ) -> String {
    switch (type, value) {
    case (.boolean, .integer(let number)) where number == 0 || number == 1:
      return number == 1 ? "true" : "false"
    case (.date, .real(let seconds)):
      return StoreTimestamp(secondsSinceReferenceDate: seconds).iso8601Second
        ?? "\(seconds)"
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      return UUIDText.text(of: bytes)
    case (_, .null): return "nil"
    case (_, .integer(let number)): return "\(number)"
    case (_, .real(let number)): return "\(number)"
    case (_, .text(let text)): return "\"\(cut(text, longest))\""
    case (_, .malformedText(let bytes)):
      return "\"\(cut(String(decoding: bytes.prefix(longest * 8), as: UTF8.self), longest))\""
    case (_, .blob(let bytes)): return "\(bytes.count) bytes"
    }
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    let start = text.prefix(longest)
    return start.endIndex == text.endIndex ? text : start + "…"
  }
}
