import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes old and new values as text: `name: "Rome" -> "Roma"`, of an insert or a delete `name: "Rome"`.
enum ValueChangeText {
  private static let arrow = " -> "
  /// Marks a value that an update set again.
  private static let unchanged = " (unchanged)"

  /// Returns the values to show of a change: those of an insert or a delete without nulls.
  static func shown(_ change: HistoryChange) -> [RecordedValue] {
    guard change.kind != .update else { return change.values }
    return change.values.filter { ($0.old ?? $0.new) != .value(.null) }
  }

  /// Returns the old and the new value of an update, or the one value of another change.
  static func text(_ value: RecordedValue, of kind: ChangeKind? = .update) -> String {
    let (old, new) = sides(value, kind, longest: ChangeText.shortText)
    return value.name + ": " + old + (new.map { arrow + $0 } ?? "")
      + (kind == .update && value.isUnchanged ? unchanged : "")
  }

  private static func sides(
    _ value: RecordedValue, _ kind: ChangeKind?, longest: Int
  ) -> (String, String?) {
    func side(_ side: RecordedContent?) -> String {
      side.map { content($0, value.kind, longest: longest) } ?? "?"
    }
    guard kind == .update, !value.isUnchanged else { return (side(value.old ?? value.new), nil) }
    let (old, new) = (side(value.old), side(value.new))
    guard old == new, let before = value.old, let after = value.new else { return (old, new) }
    return (old, new + difference(before, after))
  }

  /// Says how two values differ that are shown alike.
  private static func difference(_ old: RecordedContent, _ new: RecordedContent) -> String {
    if case .value(.blob) = new { return " (other bytes)" }
    guard case .value(.text(let old)) = old, case .value(.text(let new)) = new else {
      return " (differs)"
    }
    let common = zip(old, new).prefix { $0 == $1 }.count
    return " (differs after \(common.grouped) characters)"
  }

  /// Returns the values of a change, escaped and shortened for a line of a terminal; two long values get half
  /// of the width each.
  static func line(
    _ value: RecordedValue, of kind: ChangeKind?, _ text: TerminalText, width: Int?
  ) -> String {
    let name = text.escaped(value.name) + ": "
    let sides = sides(value, kind, longest: ChangeText.longText)
    var old = text.escaped(sides.0)
    guard var new = sides.1.map(text.escaped) else {
      let end = kind == .update && value.isUnchanged ? unchanged : ""
      return name
        + (width.map { old.truncated(to: max($0 - name.displayWidth - end.count, 8)) } ?? old) + end
    }
    if let width {
      let available = max(width - name.displayWidth - arrow.count, 8)
      if old.displayWidth + new.displayWidth > available {
        let half = available / 2
        old = old.truncated(to: max(half, available - new.displayWidth))
        new = new.truncated(to: max(available - half, available - old.displayWidth))
      }
    }
    return name + old + arrow + new
  }

  /// Returns the attributes that an update set, with their recorded values.
  static func properties(_ names: [String], _ values: [RecordedValue]) -> String {
    var parts: [String] = []
    for name in names {
      let recorded = values.filter { $0.property == name }
      parts += recorded.isEmpty ? [name] : recorded.map { text($0) }
    }
    // The names may have changed since.
    parts += values.filter { !names.contains($0.property) }.map { text($0) }
    return parts.joined(separator: ", ")
  }

  static func content(
    _ content: RecordedContent, _ kind: RecordedValue.Kind, longest: Int = ChangeText.shortText
  ) -> String {
    switch content {
    case .digest(let bytes, let byteCount):
      return "\(byteCount.grouped) bytes (\(Hexadecimal.text(of: Array(bytes.prefix(4))))…)"
    // The name of another object.
    case .value(.text(let text)) where kind == .object: return text
    case .value(let value):
      return ChangeText.value(value, of: kind.attributeType, longest: longest)
    }
  }
}

extension RecordedValue {
  /// Whether the value before is known and was set again.
  fileprivate var isUnchanged: Bool { old != nil && old == new }
}
