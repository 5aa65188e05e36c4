import CSQLiteSupport
import GRDB
import StoreFormat

/// Removes from statements of a store's schema what is not a name: texts, numbers and comments.
struct SchemaText: Sendable {
  /// The names of tables, indexes, triggers, views and columns, in capital letters.
  private let objects: Set<String>
  /// The names of entities and properties.
  private let properties: Set<String>

  init(_ snapshot: StoreSnapshot, model: ManagedModel?) throws {
    let statement = StatementRunner(snapshot.database)
    let columns = try statement.texts(
      """
      SELECT upper(c.name) FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
      WHERE m.type = 'table' AND m.rootpage <> 0
      """)
    // The frameworks put a Z before the name of a property.
    objects = Set(try statement.texts("SELECT upper(name) FROM sqlite_master")).union(columns)
      .union(columns.compactMap { $0.first == "Z" ? String($0.dropFirst()) : nil })
    let names = NeutralNames(model, entityNames: snapshot.entities.modelEntries.map(\.name))
    properties = Set(names.entities.keys).union(names.properties.keys)
  }

  /// Returns a statement in which texts and numbers are replaced that are not names, lengths of types, numbers of
  /// entities or flags.
  func statement(_ sql: String, replacing replace: (StoredValue) -> StoredValue) -> String {
    let words = sql.split(separator: " ", maxSplits: 2).map { $0.uppercased() }
    let (isTable, isVirtual) = (words.contains("TABLE"), words.contains("VIRTUAL"))
    // What is not closed reaches to the end. A mark may have an accent, and is a mark for SQLite all the same.
    let part =
      #/
      (?<comment> --[^\n]*+ | \/\*(?:[^*]|\*(?!\/))*+(?:\*\/)? )
      | (?<data> [xX]'[^']*+'? )
      | (?<quoted> '(?:[^']|'')*+'? | "(?:[^"]|"")*+"? | `(?:[^`]|``)*+`? | \[[^\]]*+\]? )
      | [A-Za-z_$\u{80}-\u{10FFFF}][0-9A-Za-z_$\u{80}-\u{10FFFF}]*+
      | (?<number> [0-9][0-9A-Za-z_.]*+ )
      /#.matchingSemantics(.unicodeScalar)
    return sql.replacing(part) { match -> String in
      if match.output.comment != nil { return " " }
      if let data = match.output.data {
        return "x'" + String(repeating: "0", count: max(0, (data.utf8.count - 2) / 2 * 2)) + "'"
      }
      if let quoted = match.output.quoted {
        return literal(quoted, isVirtual: isVirtual, replace)
      }
      if let number = match.output.number {
        return self.number(
          number, before: sql[..<match.range.lowerBound], after: sql[match.range.upperBound...],
          isTable: isTable, replace)
      }
      return String(sql[match.range])
    }
  }

  /// Replaces a text, which is a name in calls of the frameworks' functions and in search indexes.
  private func literal(
    _ quoted: Substring, isVirtual: Bool, _ replace: (StoredValue) -> StoredValue
  ) -> String {
    guard let mark = quoted.unicodeScalars.first else { return "" }
    let end: Unicode.Scalar = mark == "[" ? "]" : mark
    var content = quoted.unicodeScalars.dropFirst()
    if content.last == end { content.removeLast() }
    // A doubled mark is part of the text; a closing bracket cannot be escaped.
    var text = String.UnicodeScalarView()
    var isDoubled = false
    for scalar in content {
      isDoubled = scalar == end && !isDoubled
      if scalar != end || isDoubled { text.append(scalar) }
    }
    if isName(String(text))
      || isVirtual && String(text).split(separator: " ").allSatisfy(Self.isOption)
    {
      return String(quoted)
    }
    var replaced = String.UnicodeScalarView([mark])
    if case .text(let text) = replace(.text(String(text))) {
      for scalar in text.unicodeScalars where scalar != "]" || end != "]" {
        replaced += scalar == end ? [scalar, scalar] : [scalar]
      }
    }
    return String(replaced + [end])
  }

  private func isName(_ text: String) -> Bool {
    let word = text.uppercased()
    return word.isEmpty || objects.contains(word) || properties.contains(text)
      || Self.words.contains(word) || word.hasPrefix("NSCOLLATE")
      || sqlite3_keyword_check(word, CInt(word.utf8.count)) != 0
  }

  private static func isOption(_ word: Substring) -> Bool {
    words.contains(word.uppercased()) || word.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  /// Words of SQLite that may stand in quotation marks: names, types, and settings of search indexes.
  private static let words: Set<String> = Set(
    """
    MAIN ROWID OID DOCID RANK NEW OLD INT INTEGER REAL FLOAT DECIMAL VARCHAR TEXT BLOB TIMESTAMP BINARY NOCASE RTRIM
    SIMPLE PORTER UNICODE61 ASCII TRIGRAM ICU REMOVE_DIACRITICS TOKENCHARS SEPARATORS CATEGORIES _COREDATATOKENIZER
    DELETE-ALL REBUILD OPTIMIZE MERGE AUTOMERGE INTEGRITY-CHECK
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  /// The largest number that triggers and indexes of the frameworks have; they are numbers of entities and flags.
  private static let largestNumber: Int64 = 99_999

  /// Replaces a number, unless it is a length, a number of an entity or a flag.
  private func number(
    _ text: Substring, before: Substring, after: Substring, isTable: Bool,
    _ replace: (StoredValue) -> StoredValue
  ) -> String {
    guard let number = Int64(text) else { return "0" }
    // VARCHAR(255) or DECIMAL(10, 2)
    let (last, next) = (before.last { !$0.isWhitespace }, after.first { !$0.isWhitespace })
    let isLength =
      (last == "(" || last == ",") && (next == ")" || next == ",") && number < 1000
    let stays = isTable ? number < 2 || isLength : number <= Self.largestNumber
    guard !stays, case .integer(let replaced) = replace(.integer(number)) else {
      return String(text)
    }
    return String(replaced)
  }
}
