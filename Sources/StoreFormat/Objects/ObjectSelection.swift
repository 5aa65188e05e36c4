/// The columns of properties that a statement reads from the rows of objects.
///
/// Every reader of objects selects columns and interprets rows by it: of present objects and of earlier states, one by
/// one or all of an entity.
package struct ObjectSelection: Sendable {
  /// The columns before those of the properties: the primary key and the number of the entity.
  package static let keys = ["Z_PK", "Z_ENT"]

  package let properties: [StoredProperty]
  /// SQL for the columns, in the order of the properties.
  package let expressions: [String]
  /// SQL for ``keys`` and all columns.
  package let list: String
  /// The place of the first column of each property in a row.
  package let places: [Int]
  /// Whether each property also has a column for the number of an entity.
  private let haveNumbers: [Bool]

  /// - Parameters:
  ///   - properties: Attributes and to-one relationships that have columns.
  ///   - offset: The number of columns that the statement has before these, usually ``keys``.
  ///   - longest: The maximum length of texts and data in bytes, of which longer ones are left out; each value is then
  ///     followed by its length.
  package init(
    _ properties: [StoredProperty], after offset: Int = keys.count, longest: Int? = nil
  ) {
    self.properties = properties
    var expressions: [String] = []
    var places: [Int] = []
    var haveNumbers: [Bool] = []
    for property in properties {
      places.append(offset + expressions.count)
      let columns = property.columns.map { quoted($0.name) }
      haveNumbers.append(columns.count > 1)
      if let longest, property.attribute != nil {
        expressions += columns.flatMap { Self.expressions($0, longest) }
      } else {
        expressions += columns
      }
    }
    self.expressions = expressions
    list = (Self.keys + expressions).joined(separator: ", ")
    self.places = places
    self.haveNumbers = haveNumbers
  }

  /// The value, unless it is a text or a blob that is too long; and how many bytes these two have.
  ///
  /// The length of a blob is known without reading it; that of a text in bytes is not.
  private static func expressions(_ column: String, _ longest: Int) -> [String] {
    let size =
      "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) "
      + "WHEN 'text' THEN length(CAST(\(column) AS BLOB)) END"
    return ["CASE WHEN \(size) > \(longest) THEN NULL ELSE \(column) END", size]
  }

  /// Returns SQL for ``keys`` and all columns of a row, with its SQL name.
  package func columns(of row: String) -> [String] {
    (Self.keys + properties.flatMap { $0.columns.map { quoted($0.name) } }).map { "\(row).\($0)" }
  }

  /// Returns the object that a to-one relationship leads to in a row; `nil` if it leads nowhere.
  package func destination(
    at index: Int, of row: StatementCursor, _ numbering: EntityNumbering
  ) -> StoreObject? {
    let place = places[index]
    return properties[index].destination(
      row.integerIfAny(at: place), haveNumbers[index] ? row.integerIfAny(at: place + 1) : nil,
      numbering)
  }

  /// Returns the places of a property's columns in a row.
  func places(at index: Int) -> Range<Int> {
    places[index]..<places[index] + (haveNumbers[index] ? 2 : 1)
  }

  /// Returns the values of a property's columns in a row.
  func values(
    at index: Int, of row: StatementCursor
  ) -> (value: StoredValue, entityNumber: StoredValue?) {
    let place = places[index]
    return (row.value(at: place), haveNumbers[index] ? row.value(at: place + 1) : nil)
  }

  /// Returns the length of a text or of data in a row; `nil` for anything else.
  func byteCount(at index: Int, of row: StatementCursor) -> Int? {
    row.integerIfAny(at: places[index] + 1).map { Int(clamping: $0) }
  }

  /// Returns what the columns of a property hold in a row; `nil` where they neither are a value nor name a file.
  package func content(
    at index: Int, of row: StatementCursor, _ numbering: EntityNumbering
  ) -> ColumnContent? {
    let (value, number) = values(at: index, of: row)
    return properties[index].content(value, number, numbering)
  }

  /// Reads the row with a primary key; returns `nil` without such a row, and without properties.
  ///
  /// - Parameter body: Receives the row, its ``keys`` first.
  package func read<Result>(
    _ primaryKey: Int64, _ statement: StatementRunner, _ body: (StatementCursor) throws -> Result
  ) throws -> Result? {
    guard let table = properties.first?.table else { return nil }
    let row = try StatementCursor(
      statement.database, sql: "SELECT \(list) FROM \(quoted(table)) WHERE Z_PK = ?1",
      isCached: true
    )
    defer { row.reset() }
    try row.bind(primaryKey)
    return try row.step() ? try body(row) : nil
  }
}
