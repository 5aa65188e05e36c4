import StoreFormat

/// All rows of a table as python3's own SQLite reads them, each value with its storage class.
///
/// A value is written `n`, `i:5`, `r:` and the bits of the double, `t:` or `b:` and the bytes in
/// hexadecimal, so that rows can be compared bit for bit.
package struct TableDump: Sendable {
  /// The columns, in table order.
  package let columns: [String]
  /// The rows in the order of their primary key, the values of each with bars between them.
  package let lines: [String]

  /// The values of the rows.
  package var rows: [[String]] { lines.map(Self.values(of:)) }

  /// The values of a row.
  package static func values(of line: String) -> [String] {
    line.split(separator: "|").map(String.init)
  }

  /// Whether this machine can read tables this way.
  package static let isPossible = Tool("python3") != nil

  private static let program = """
    import sqlite3, struct, sys
    path, table = sys.argv[1:3]
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    db.text_factory = bytes
    columns = [row[1].decode() for row in db.execute("PRAGMA table_info('%s')" % table)]
    def text(kind, value):
        if kind == b"null": return "n"
        if kind == b"integer": return "i:%d" % value
        if kind == b"real": return "r:" + struct.pack(">d", value).hex()
        return ("t:" if kind == b"text" else "b:") + bytes(value).hex()
    quoted = ['"%s"' % name.replace('"', '""') for name in columns]
    names = ", ".join("typeof(%s), %s" % (name, name) for name in quoted)
    rows = db.execute("SELECT %s FROM %s ORDER BY %s" % (names, table, columns[0]))
    print(*columns, sep="|")
    for row in rows: print(*[text(*row[i:i + 2]) for i in range(0, len(row), 2)], sep="|")
    """

  /// Reads a table.
  package static func read(_ table: String, of path: String) async throws -> TableDump {
    guard let python = Tool("python3") else { return TableDump(columns: [], lines: []) }
    let result = try await python.run(["-c", program, path, table])
    let lines = result.lines
    return TableDump(columns: lines.first.map(values(of:)) ?? [], lines: Array(lines.dropFirst()))
  }

  /// Returns a value in the form of a dump.
  package static func text(_ value: StoredValue) -> String {
    switch value {
    case .null: "n"
    case .integer(let value): "i:\(value)"
    case .real(let value): "r:" + hexadecimal(value.bitPattern.bigEndian)
    case .text(let text): "t:" + hexadecimal(Array(text.utf8))
    case .malformedText(let bytes): "t:" + hexadecimal(bytes)
    case .blob(let bytes): "b:" + hexadecimal(bytes)
    }
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    withUnsafeBytes(of: bits) { hexadecimal(Array($0)) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
