import GRDB

/// A part of a table that SQLite can only check by calculating it for each row: a hostile one takes any time and
/// memory.
package struct CalculatedPart: Hashable, Sendable {
  package let table: String
  /// The part in words, such as "the index hog".
  package let description: String
  /// Whether it is an index, so that the pages of the table can be checked without it.
  let isIndex: Bool
}

extension StoreSnapshot {
  /// Returns the calculated parts of a table, or of all tables, that no framework declares.
  ///
  /// The frameworks declare partial indexes whose conditions only compare columns; those are not listed.
  package func calculatedParts(ofTable table: String? = nil) throws -> [CalculatedPart] {
    let statement = StatementRunner(database)
    let tables = try statement.rows(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0
        AND (?1 IS NULL OR name = ?1) ORDER BY name
      """, [table.map(StoredValue.text) ?? .null])
    var conditions: [String: String] = [:]
    for row in try statement.rows(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    {
      if case .text(let name) = row[0], case .text(let sql) = row[1] { conditions[name] = sql }
    }
    return try tables.flatMap { row -> [CalculatedPart] in
      guard case .text(let name)? = row.first else { return [] }
      let declaration = try TableDeclaration(of: name, in: database)
      return declaration.calculatedColumns.map {
        CalculatedPart(table: name, description: "the column \($0)", isIndex: false)
      }
        + declaration.indexes.filter { index in
          index.fields.contains { $0.column == -2 }
            || index.isPartial
              && !(conditions[index.name].map(IndexCondition.onlyCompares) ?? false)
        }.map { CalculatedPart(table: name, description: "the index \($0.name)", isIndex: true) }
    }
  }
}

/// The condition of a partial index.
enum IndexCondition {
  /// The longest declaration that is read, in bytes.
  private static let longest = 1 << 14
  /// Words that may stand before a parenthesis; before any other it is the name of a function.
  private static let words: Set<String> = ["where", "and", "or", "not", "in", "between", "is"]
  /// Operators that are functions, or that build values.
  private static let functions: Set<String> = [
    "like", "glob", "match", "regexp", "cast", "case", "raise", "select",
  ]

  /// Whether the declaration of a partial index ends with a condition that only compares columns and constants.
  ///
  /// Names in quotation marks are read as a part of the condition; what cannot be read for certain counts as a
  /// calculation.
  static func onlyCompares(_ declaration: String) -> Bool {
    guard declaration.utf8.count <= longest,
      let start = declaration.ranges(of: #/(?i)\bWHERE\b/#).first,
      !declaration.contains("--"), !declaration.contains("/*"), !declaration.contains("||"),
      !declaration.contains("->")
    else { return false }
    var last = ""
    for match in declaration[start.lowerBound...].matches(
      of: #/'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|[A-Za-z0-9_.]+|[^\sA-Za-z0-9_]/#)
    {
      let token = match.output.lowercased()
      if functions.contains(token) { return false }
      if token == "(", let first = last.first,
        first.isLetter || first.isNumber || "_'\"`[".contains(first), !words.contains(last)
      {
        return false
      }
      last = token
    }
    return true
  }
}
