import PersistentHistory
import StoreFormat

/// Writes one line of a body file for each change, as The Sleuth Kit 3 has it for `mactime`.
///
/// ```
/// 0|x-coredata://1D07…/Trip/p1 (endDate, name) by widget|5-8|----------|0|0|0|0|1722213757|0|0
/// ```
///
/// The columns are MD5, name, inode, mode, UID, GID, size, and the times of access, modification, change
/// and creation in whole seconds since 1970. The time of an insert is that of creation, that of an update
/// that of modification, and that of a delete, or a change of a kind that no framework writes, that of
/// change. The other times are 0, and so are all times of a transaction without a time after 1970. The
/// inode is the number of the transaction and that of the change, and unique within a store.
///
/// `mactime` decodes a percent sign with two hexadecimal digits in each column, and drops a line whose
/// decoded name contains a line end. So names are escaped in two steps: controls, separators of lines and
/// controls of direction become `\u{A}`, and a backslash two; then `%` becomes `%25` and `|` becomes `%7C`.
package struct BodyFileEncoder: BufferedEncoder {
  var writer = JSONWriter(capacity: 1 << 16)
  /// The beginning of the names of a transaction's objects.
  private var source = ""
  /// The end of the names.
  private var origin = ""
  /// Who saved, if the text is too long for `origin`.
  private var longOrigin: String?
  private var number: Int64 = 0
  private var seconds: Int64 = 0

  /// Creates an encoder with an empty buffer.
  init() {}

  package mutating func begin(_ transaction: HistoryTransaction) {
    source = "0|x-coredata://" + BodyFileText.escaped(transaction.store ?? "") + "/"
    let origin = transaction.origin
    longOrigin = origin.flatMap { $0.utf8.count > TextDrain.longValue ? $0 : nil }
    self.origin = origin.map { " by " + (longOrigin == nil ? BodyFileText.escaped($0) : "") } ?? ""
    number = transaction.number
    let microseconds = transaction.timestamp?.unixMicroseconds ?? 0
    seconds = max(0, microseconds / 1_000_000)
  }

  package mutating func append(_ change: HistoryChange) {
    append(source)
    append(BodyFileText.escaped(ChangeSentence.object(change) + ChangeSentence.attributes(change)))
    append(origin)
    if let longOrigin { appendLong(longOrigin) }
    writer.appendRaw(UInt8(ascii: "|"))
    writer.appendInteger(number)
    writer.appendRaw(UInt8(ascii: "-"))
    writer.appendInteger(change.number)
    writer.appendRaw("|----------|0|0|0|0")
    appendTime(if: change.kind == .update)
    appendTime(if: change.kind == .delete || change.kind == nil)
    appendTime(if: change.kind == .insert)
    writer.appendRaw(UInt8(ascii: "\n"))
  }

  package mutating func end() { longOrigin = nil }

  /// Writes a text with escapes, in pieces.
  private mutating func appendLong(_ text: String) {
    var piece = ""
    for scalar in text.unicodeScalars {
      piece.unicodeScalars.append(scalar)
      guard piece.utf8.count >= TextDrain.longValue else { continue }
      append(BodyFileText.escaped(piece))
      writer.drainIfFull()
      piece = ""
    }
    append(BodyFileText.escaped(piece))
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { writer.appendRaw($0) }
  }

  private mutating func appendTime(if isSet: Bool) {
    writer.appendRaw(UInt8(ascii: "|"))
    writer.appendInteger(isSet ? seconds : 0)
  }
}

/// Texts in the columns of a body file.
enum BodyFileText {
  /// Returns a text that breaks no column or line, neither before nor after `mactime` has decoded it.
  static func escaped(_ text: String) -> String {
    guard !text.utf8.allSatisfy(isPlain) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "|": result += "%7C"
      case "\\": result += "\\\\"
      case _ where isBreaking(scalar):
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "|"), UInt8(ascii: "\\"): false
    default: (0x20..<0x7f).contains(byte)
    }
  }

  /// Whether a scalar ends a line for some program, or changes how a terminal shows it.
  private static func isBreaking(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7f..<0xa0, 0x2028, 0x2029: true
    default: scalar.properties.isBidiControl
    }
  }
}
