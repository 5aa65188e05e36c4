import GRDB

/// The pages of `ACHANGE` and of its index by transaction, where they can be read past SQLite.
///
/// Everything that SQLite would do to a value on its way out of the file has to be ruled out here:
/// values that a column's default or an expression gives, integers that a column shows as reals.
struct ChangePages {
  /// What a column of `ACHANGE` is to whoever reads changes.
  package enum Role: UInt8 {
    case number, kind, entity, primaryKey, transaction, mask, own
    /// A value that a deleted object left behind.
    case tombstone
    /// A column that holds null in every store that a framework wrote.
    case unexpected
  }

  let file: PageFile
  /// The store, for errors.
  package let path: String
  /// The first page of the table.
  package let table: UInt32
  /// The first page of the index by transaction; nil where its entries are not just the transaction
  /// and the row.
  package let index: UInt32?
  /// The columns in the order of their fields.
  let roles: [Role]
  /// For each column that holds a tombstone, its slot; 0 for the others.
  package let tombstoneSlots: [Int]
  /// Whether the values of tombstones are in the file just as SQLite would give them.
  let readsTombstones: Bool

  /// Looks at the schema; nil where the rows have to be asked for from SQLite.
  init?(_ database: Database, path: String) throws {
    guard let file = PageFile(database),
      let table = try Self.root(of: "ACHANGE", type: "table", database),
      // A table without row numbers is kept as an index is.
      TreePage(PageBuffer(file), reading: table, of: file)?.kind.isTable == true
    else { return nil }
    self.file = file
    self.path = path
    self.table = table
    let columns = try Self.columns(database)
    guard let roles = Self.roles(of: columns) else { return nil }
    self.roles = roles
    tombstoneSlots = columns.map { TombstoneColumn.number(of: $0.name) ?? 0 }
    // Other affinities show whole numbers as reals, and other encodings texts as other bytes.
    let encoding = try String.fetchOne(database, sql: "PRAGMA encoding")
    readsTombstones =
      encoding == "UTF-8"
      && zip(columns, roles).allSatisfy { $1 != .tombstone || ["BLOB", ""].contains($0.type) }
    index = try Self.index(database)
  }

  private static func root(of name: String, type: String, _ database: Database) throws -> UInt32? {
    let page = try Int64.fetchOne(
      database, sql: "SELECT rootpage FROM sqlite_master WHERE name = ? AND type = ?",
      arguments: [name, type])
    return page.flatMap { $0 > 0 ? UInt32(exactly: $0) : nil }
  }

  private struct Column {
    let name: String
    /// The declared type in capitals.
    let type: String
    let isPrimaryKey: Bool
    /// Whether what is read is what is stored.
    let isStored: Bool
  }

  private static func columns(_ database: Database) throws -> [Column] {
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT name, upper(type), pk, dflt_value IS NULL AND hidden = 0
        FROM pragma_table_xinfo('ACHANGE') ORDER BY cid
        """)
    var columns: [Column] = []
    while try cursor.step() {
      guard case .text(let name) = cursor.value(at: 0), case .text(let type) = cursor.value(at: 1)
      else { return [] }
      columns.append(
        Column(
          name: name, type: type, isPrimaryKey: cursor.integer(at: 2) == 1,
          isStored: cursor.integer(at: 3) == 1))
    }
    return columns
  }

  private static func roles(of columns: [Column]) -> [Role]? {
    let known: [String: Role] = [
      "Z_PK": .number, "ZCHANGETYPE": .kind, "ZENTITY": .entity, "ZENTITYPK": .primaryKey,
      "ZTRANSACTIONID": .transaction, "ZCOLUMNS": .mask, "Z_ENT": .own,
    ]
    var roles: [Role] = []
    for column in columns {
      let isTombstone = TombstoneColumn.number(of: column.name) != nil
      let role = known[column.name] ?? (isTombstone ? .tombstone : .unexpected)
      switch role {
      case .number: guard column.type == "INTEGER", column.isPrimaryKey else { return nil }
      case .mask, .tombstone, .unexpected: break
      // The affinity by which a whole number is stored, and shown, as an integer.
      default: guard column.type.contains("INT") else { return nil }
      }
      guard column.isStored else { return nil }
      roles.append(role)
    }
    return roles.isEmpty ? nil : roles
  }

  private static func index(_ database: Database) throws -> UInt32? {
    let names = try String.fetchAll(
      database,
      sql: """
        SELECT list.name FROM pragma_index_list('ACHANGE') AS list
        WHERE list.partial = 0
          AND (SELECT group_concat(info.cid || ':' || coalesce(info.name, '') || ':' || info.desc)
               FROM pragma_index_xinfo(list.name) AS info)
            = (SELECT cid || ':ZTRANSACTIONID:0,-1::0' FROM pragma_table_info('ACHANGE')
               WHERE name = 'ZTRANSACTIONID')
        """)
    return try names.first.flatMap { try root(of: $0, type: "index", database) }
  }
}
