/// Writes the conditions of a selection in SQL, with values as parameters.
struct ConditionBuilder {
  private(set) var conditions: [String] = []
  private(set) var arguments: [StoredValue] = []

  mutating func add(_ condition: String) { conditions.append(condition) }

  /// Adds a parameter and returns its place in the statement.
  mutating func bind(_ value: StoredValue) -> String {
    arguments.append(value)
    return "?\(arguments.count)"
  }

  // MARK: - Texts

  mutating func add(
    _ condition: TransactionSelection.TextCondition, on role: StringRole, tables: HistoryTables
  ) {
    let columns = TextColumns(role, tables: tables)
    if let names = condition.anyOf {
      var alternatives = [isOneOf(names, in: columns)]
      if condition.orNone { alternatives.append(columns.isNone) }
      add("(" + alternatives.joined(separator: " OR ") + ")")
    }
    if !condition.noneOf.isEmpty {
      // For a transaction without the text the inner condition is null.
      add("(\(isOneOf(condition.noneOf, in: columns))) IS NOT TRUE")
    }
  }

  private mutating func isOneOf(_ names: [String], in columns: TextColumns) -> String {
    guard !names.isEmpty else { return "FALSE" }
    let list = names.map { bind(.text($0)) }.joined(separator: ", ")
    var alternatives: [String] = []
    if let identifier = columns.identifier {
      alternatives.append(
        "\(identifier) IN (SELECT Z_PK FROM ATRANSACTIONSTRING NOT INDEXED WHERE ZNAME IN (\(list)))"
      )
    }
    if let plain = columns.plain {
      let standsAlone = columns.isDangling.map { " AND \($0)" } ?? ""
      alternatives.append("(\(plain) IN (\(list))\(standsAlone))")
    }
    return alternatives.isEmpty ? "FALSE" : "(" + alternatives.joined(separator: " OR ") + ")"
  }

  /// The columns that hold one of the four texts.
  private struct TextColumns {
    let identifier: String?
    let plain: String?

    init(_ role: StringRole, tables: HistoryTables) {
      identifier =
        tables.internsStrings && tables.transactionColumns.contains(role.identifierColumn)
        ? "t.\(role.identifierColumn)" : nil
      plain = tables.transactionColumns.contains(role.plainColumn) ? "t.\(role.plainColumn)" : nil
    }

    /// The interned text is missing; the plain one counts.
    var isDangling: String? {
      identifier.map {
        "NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING AS s"
          + " WHERE s.Z_PK = \($0) AND typeof(s.ZNAME) = 'text')"
      }
    }

    var isNone: String {
      let parts = [isDangling, plain.map { "(typeof(\($0)) <> 'text')" }].compactMap { $0 }
      return parts.isEmpty ? "TRUE" : "(" + parts.joined(separator: " AND ") + ")"
    }
  }

  // MARK: - Changes

  /// The transaction has a change that meets the conditions.
  mutating func add(_ change: ChangeSelection, tables: HistoryTables) {
    let matching = matches(change)
    // Without an index every look-up would read the whole table.
    add(
      tables.indexesChangesByTransaction
        ? "EXISTS (SELECT 1 FROM ACHANGE AS c WHERE c.ZTRANSACTIONID = t.Z_PK AND \(matching))"
        : "t.Z_PK IN (SELECT c.ZTRANSACTIONID FROM ACHANGE AS c WHERE \(matching))")
  }

  /// Returns the conditions on a change, in the row `c`.
  private mutating func matches(_ change: ChangeSelection) -> String {
    var parts: [String] = []
    if let kinds = change.kinds {
      parts.append("c.ZCHANGETYPE IN (\(kinds.map { "\($0.rawValue)" }.joined(separator: ", ")))")
    }
    if let numbers = change.entityNumbers {
      parts.append("c.ZENTITY IN (\(numbers.map { bind(.integer($0)) }.joined(separator: ", ")))")
    }
    if let objects = change.objects {
      parts.append(
        anyOf(
          objects.map {
            "(c.ZENTITY = \(bind(.integer($0.entityNumber)))"
              + " AND c.ZENTITYPK = \(bind(.integer($0.primaryKey))))"
          }))
    }
    if let slots = change.slots { parts.append(anyOf(slots.map { touches($0) })) }
    return parts.isEmpty ? "TRUE" : parts.joined(separator: " AND ")
  }

  /// The mask fits its entity and has at least one of the slots set.
  private mutating func touches(_ slots: ChangeSelection.Slots) -> String {
    let length = (slots.slotCount + 7) / 8
    let set = anyOf(slots.slots.map { isSet($0) })
    let clear = (slots.slotCount..<length * 8).map { "NOT \(isSet($0))" }
    return
      ([
        "c.ZENTITY = \(bind(.integer(slots.entityNumber)))", "c.ZCHANGETYPE = 1",
        "typeof(c.ZCOLUMNS) = 'blob'", "length(c.ZCOLUMNS) = \(length)", set,
      ] + clear).joined(separator: " AND ").parenthesized
  }

  /// SQL has no operator for a bit of a blob, so the hexadecimal digit is compared.
  private func isSet(_ slot: Int) -> String {
    let bit = slot % 8
    let digits = (0..<16).filter { $0 & (0x8 >> (bit % 4)) != 0 }
      .map { String($0, radix: 16, uppercase: true) }.joined()
    return "(instr('\(digits)', substr(hex(substr(c.ZCOLUMNS, \(slot / 8 + 1), 1)), "
      + "\(bit / 4 + 1), 1)) > 0)"
  }
}

/// Returns a condition that holds if one of the alternatives does.
///
/// They are paired, because SQLite limits the depth of an expression.
func anyOf(_ alternatives: [String]) -> String {
  func joined(_ part: ArraySlice<String>) -> String {
    guard part.count > 2 else { return part.joined(separator: " OR ").parenthesized }
    let middle = part.startIndex + part.count / 2
    return (joined(part[..<middle]) + " OR " + joined(part[middle...])).parenthesized
  }
  return alternatives.isEmpty ? "FALSE" : joined(alternatives[...])
}

/// Returns an expression that is 1 if a column is not null, and otherwise null.
///
/// SQLite reads no value for it, only the header of the row.
func anyValue(of columns: [String]) -> String {
  guard !columns.isEmpty else { return "NULL" }
  return "CASE" + columns.map { " WHEN \($0) NOTNULL THEN 1" }.joined() + " END"
}

extension String {
  fileprivate var parenthesized: String { "(\(self))" }
}
