import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes old and new values as text: `name: "Rome" -> "Roma"`, of an insert or a delete `name: "Rome"`.
enum ValueChangeText {
  private static let arrow = " -> "

  /// Returns the values to show of a change: those of an insert or a delete without nulls.
  static func shown(_ change: HistoryChange) -> [RecordedValue] {
    guard change.kind != .update else { return change.values }
    return change.values.filter { ($0.old ?? $0.new) != .value(.null) }
  }

  /// Returns the old and the new value of an update, or the one value of another change.
  static func text(_ value: RecordedValue, of kind: ChangeKind? = .update) -> String {
    let (old, new) = sides(value, kind, longest: ChangeText.shortText)
    return value.name + ": " + old + (new.map { arrow + $0 } ?? "")
  }

  private static func sides(
    _ value: RecordedValue, _ kind: ChangeKind?, longest: Int
  ) -> (String, String?) {
    func side(_ side: RecordedContent?) -> String {
      side.map { content($0, value.kind, longest: longest) } ?? "?"
    }
    return kind == .update
      ? (side(value.old), side(value.new)) : (side(value.old ?? value.new), nil)
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
      return name + (width.map { old.truncated(to: max($0 - name.displayWidth, 8)) } ?? old)
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
