import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes recorded values for people: `name: "Rome" -> "Roma"`.
enum ValueChangeText {
  private static let arrow = " -> "

  /// What a value was and became.
  static func text(_ value: RecordedValue) -> String {
    value.name + ": " + content(value.old, value.kind) + arrow + content(value.new, value.kind)
  }

  /// What a value was and became, made safe and short enough for a line of a terminal: of two long
  /// values each gets half of the room.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - text: How text is made safe.
  ///   - width: The columns that there are; nil for as many as it takes.
  static func line(_ value: RecordedValue, _ text: TerminalText, width: Int?) -> String {
    let name = text.escaped(value.name) + ": "
    let longest = ChangeText.longText
    var old = text.escaped(content(value.old, value.kind, longest: longest))
    var new = text.escaped(content(value.new, value.kind, longest: longest))
    if let width {
      let room = max(width - name.displayWidth - arrow.count, 8)
      if old.displayWidth + new.displayWidth > room {
        let half = room / 2
        old = old.truncated(to: max(half, room - new.displayWidth))
        new = new.truncated(to: max(room - half, room - old.displayWidth))
      }
    }
    return name + old + arrow + new
  }

  /// The properties that an update touched, those with what was recorded of them.
  static func properties(_ names: [String], _ values: [RecordedValue]) -> String {
    var parts: [String] = []
    for name in names {
      let recorded = values.filter { $0.property == name }
      parts += recorded.isEmpty ? [name] : recorded.map(text)
    }
    // Names may have changed since.
    parts += values.filter { !names.contains($0.property) }.map(text)
    return parts.joined(separator: ", ")
  }

  private static func content(
    _ content: RecordedContent, _ kind: RecordedValue.Kind, longest: Int = ChangeText.shortText
  ) -> String {
    switch content {
    case .digest(let bytes, let byteCount):
      return "\(byteCount.grouped) bytes (\(Hexadecimal.text(of: Array(bytes.prefix(4))))…)"
    // The name of another object, which is no text of its own.
    case .value(.text(let text)) where kind == .object: return text
    case .value(let value):
      return ChangeText.value(value, of: kind.attributeType, longest: longest)
    }
  }
}
