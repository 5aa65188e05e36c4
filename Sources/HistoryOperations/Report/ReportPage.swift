import DurableFiles
import HistoryCoding
import PersistentHistory
import PropertyLists
import StoreFormat

/// The page of a report, before and after its data.
///
/// A report is one file, which includes the style and the scripts in `Page`. Its content security policy
/// allows only these, by their SHA-256.
struct ReportPage {
  let afterData: String
  private let start: String

  /// In this order: each uses those before it, and the last starts the page.
  private static let scripts = [
    PackageResources.dom_js, PackageResources.format_js, PackageResources.clock_js,
    PackageResources.data_js, PackageResources.filters_js, PackageResources.address_js,
    PackageResources.chart_js, PackageResources.timeline_js, PackageResources.heatmap_js,
    PackageResources.growth_js, PackageResources.ranks_js, PackageResources.changes_js,
    PackageResources.objects_js, PackageResources.transactions_js, PackageResources.search_js,
    PackageResources.head_js, PackageResources.overview_js, PackageResources.main_js,
  ]

  init() {
    let style = "\n" + Self.text(PackageResources.report_css)
    let script =
      "\n(() => {\n\"use strict\";\n\n"
      + Self.scripts.map(Self.text).joined(separator: "\n") + "})();\n"
    let policy = [
      "default-src 'none'", "script-src \(Self.source(script))", "style-src \(Self.source(style))",
      "img-src data:", "base-uri 'none'", "form-action 'none'",
    ].joined(separator: "; ")
    let halves = Self.text(PackageResources.report_html)
      .split(separator: "{{data}}", maxSplits: 1, omittingEmptySubsequences: false)
    start = String(halves[0])
      .replacing("{{policy}}", with: policy).replacing("{{style}}", with: style)
    afterData = halves.dropFirst().joined().replacing("{{script}}", with: script)
  }

  /// Returns the page up to its data. Its script sets the same title; this one is seen without it.
  func beforeData(title: String) -> String {
    start.replacing(
      "{{title}}", with: title.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))
  }

  private static func text(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }

  /// Returns the part of a policy that allows an element with a text.
  private static func source(_ text: String) -> String {
    "'sha256-\(Base64.text(of: SHA256Hasher.digest(of: Array(text.utf8))))'"
  }
}

/// Writes the data of a report, in which no text of a store can become markup.
///
/// In JSON, `<`, `>` and `&` occur only inside strings, so they are escaped in the finished text:
/// `</script>` and `<!--` cannot occur in it.
struct ReportText {
  private let output: (UnsafeRawBufferPointer) throws -> Void
  private var escaped: [UInt8] = []
  private(set) var byteCount: Int64 = 0

  init(_ output: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.output = output }

  /// Writes a part of the page as it is.
  mutating func write(page text: String) throws {
    var text = text
    try text.withUTF8 { try output(UnsafeRawBufferPointer($0)) }
    byteCount += Int64(text.utf8.count)
  }

  /// Writes JSON, or a part of it that ends between two characters.
  mutating func write(_ json: JSONWriter) throws {
    var place = 0
    while place < json.count {
      escaped.removeAll(keepingCapacity: true)
      json.withUnsafeBytes { bytes in
        while place < bytes.count, escaped.count < 1 << 16 {
          place += append(characterIn: bytes[place...])
        }
      }
      try escaped.withUnsafeBytes(output)
      byteCount += Int64(escaped.count)
    }
  }

  /// Returns how many bytes the escapes add to some JSON.
  static func escapeCount(in json: ArraySlice<UInt8>) -> Int {
    json.count { isEscaped($0) } * 5
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&")
      || byte == 0x7F
  }

  /// Writes the next byte, or the character that begins there and that would break a line, control a terminal
  /// or turn the direction of writing; returns its length.
  private mutating func append(characterIn rest: Slice<UnsafeRawBufferPointer>) -> Int {
    let start = rest.startIndex
    let byte = rest[start]
    if byte == 0xC2, rest.count > 1, rest[start + 1] < 0xA0 {
      escape(UInt16(rest[start + 1]))
      return 2
    }
    if byte == 0xE2, rest.count > 2, rest[start + 1] & 0xFE == 0x80 {
      let unit =
        0x2000 | UInt16(rest[start + 1] & 1) << 6 | UInt16(rest[start + 2] & 0x3F)
      switch unit {
      case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
        escape(unit)
        return 3
      default: break
      }
    }
    if Self.isEscaped(byte) { escape(UInt16(byte)) } else { escaped.append(byte) }
    return 1
  }

  private mutating func escape(_ unit: UInt16) {
    escaped += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
    for shift in [12, 8, 4, 0] { escaped.append(Self.digit(UInt8(unit >> shift & 15))) }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }
}
