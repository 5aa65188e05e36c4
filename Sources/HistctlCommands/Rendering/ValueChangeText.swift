import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes recorded values as text: `name: "Rome" -> "Roma"`.
enum ValueChangeText {
  private static let arrow = " -> "

  /// Returns the old and the new value.
  static func text(_ value: RecordedValue) -> String {
    value.name + ": " + content(value.old, value.kind) + arrow + content(value.new, value.kind)
  }

  /// Returns the old and the new value, escaped and shortened for a line of a terminal; two long values
  /// get half of the width each.
  static func line(_ value: RecordedValue, _ text: TerminalText, width: Int?) -> String {
    let name = text.escaped(value.name) + ": "
    let longest = ChangeText.longText
    var old = text.escaped(content(value.old, value.kind, longest: longest))
    var new = text.escaped(content(value.new, value.kind, longest: longest))
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
      parts += recorded.isEmpty ? [name] : recorded.map(text)
    }
    // The names may have changed since.
    parts += values.filter { !names.contains($0.property) }.map(text)
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
