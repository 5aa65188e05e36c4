import GRDB
import StoreFormat

/// The content that a scrubbed copy of a store has for each of its tables.
package struct ScrubPlan: Sendable {
  /// The treatment of the values of one column.
  enum Rule: Hashable, Sendable {
    /// Nothing stays, because the meaning is not known. A column that may not be null keeps the type of the value.
    case emptied(mayBeNull: Bool)
    /// Integers stay, as keys, counts and flags of the frameworks; other values are replaced.
    case number
    /// 0 and 1 stay; other values are replaced.
    case boolean
    case date
    /// Data that begins with a byte that says where the value is stored.
    case largeData
    /// A value whose attribute is not known, perhaps data of that kind.
    case unknown
    case value
    /// The name of an enumeration's case, which is that of the column.
    case caseName(String)
    /// The name of an entity, which stays unless names are replaced.
    case entityName
    /// The model, which stays unless names are replaced.
    case model
    /// The mask of a change, which stays if it has the length of one, unless names are replaced.
    case mask
    /// A text that stays unless authors are replaced.
    case author
    /// A key of the frameworks, which stays if it is known.
    case frameworkKey
    /// A preserved value, by its number.
    case tombstone(Int)
    case propertyList
    /// A token of the history in an archive.
    case token
  }

  enum Treatment: Hashable, Sendable {
    /// Objects of the app.
    case objects
    /// A table of the frameworks.
    case framework
    /// A search index of SQLite, which is filled again from scrubbed values.
    case coordinates
    /// Not understood: the copy has the table without rows.
    case emptied
  }

  struct Table: Sendable {
    let name: String
    let sql: String
    let treatment: Treatment
    var columns: [(name: String, rule: Rule)]
    /// Whether the table belongs to a search index.
    var isPartOfIndex = false
  }

  /// A search index: a virtual table, whose rows are in tables of its own.
  struct Index: Sendable {
    let name: String
    let module: String
    let treatment: Treatment
  }

  let tables: [Table]
  let indexes: [Index]
  /// How the attributes of deleted objects are treated, by the number of the entity.
  let tombstoneRules: [Int64: [Rule]]
  /// The longest masks of changes, in bytes, by the number of the entity.
  let maskLengths: [Int64: Int]

  /// The path of the store.
  package let path: String
  package let storeIdentifier: String?
  /// The rows of the app's entities.
  package private(set) var objectCount: Int64 = 0
  package private(set) var rowCount: Int64 = 0
  package let transactionCount: Int64
  package let changeCount: Int64
  package let hasModel: Bool
  /// Tables that are not understood and lose their rows.
  package private(set) var emptiedTables: [String] = []
  /// Columns of the frameworks' tables that are not known and have values, which the copy does not have.
  package private(set) var emptiedColumns: [String] = []
  /// Settings of the file that apps can make, which the copy does not have.
  package let omittedSettings: [String]
  /// Columns of whole numbers that stay because triggers count in them, or because they look like
  /// relationships in a store without a model.
  package let keptColumns: [String]
  /// Names of authors, bundles and processes, up to ``maxAuthors``.
  package let authors: [String]
  package static let maxAuthors = 20
  package let applicationKeys: [String]
  /// The neutral names of the copy, or `nil` if names stay.
  let names: ScrubNames?
  /// The texts of the schema in a copy whose names stay.
  let schemaText: SchemaText
  /// Whether a copy with neutral names leaves out the model, because it cannot be read or does not fit the
  /// tables.
  package let omitsModel: Bool
  /// Triggers, views, search indexes, and indexes of expressions or with conditions, which a copy with neutral names
  /// does not have.
  package let omittedObjects: [String]

  /// Examines the tables of a store.
  ///
  /// - Parameter replacesNames: Whether the names of the model are replaced too.
  package init(_ snapshot: StoreSnapshot, replacesNames: Bool = false) throws {
    path = snapshot.location.path
    storeIdentifier = snapshot.metadata.storeIdentifier
    applicationKeys = snapshot.metadata.applicationKeys
    let reader = try ScrubTableReader(snapshot)
    hasModel = reader.modelTables != nil
    tombstoneRules = reader.tombstoneRules()
    (tables, indexes) = try reader.tables(withSearchIndexes: !replacesNames)
    maskLengths = try reader.maskLengths()
    omittedSettings = try ["user_version", "application_id"].filter {
      try reader.integer("PRAGMA \($0)") != 0
    }
    names = replacesNames ? try reader.names(of: tables.map(\.name)) : nil
    schemaText = try reader.schemaText()
    omitsModel = try replacesNames && !hasModel && snapshot.modelCacheCondition() != .missing
    omittedObjects = try names?.schema.omittedObjects(of: snapshot) ?? []
    keptColumns = reader.keptColumns
    let isTracked = snapshot.layout.history != nil
    transactionCount = isTracked ? try snapshot.transactionCount() : 0
    authors = try reader.authors(limit: Self.maxAuthors)
    var changeCount: Int64 = 0
    for table in tables {
      let count = try reader.integer("SELECT count(*) FROM \(quoted(table.name))")
      if table.name == "ACHANGE", isTracked { changeCount = count }
      switch table.treatment {
      case .objects: objectCount += count
      case .emptied where count > 0 && !table.isPartOfIndex: emptiedTables.append(table.name)
      case .framework, .emptied, .coordinates: break
      }
      guard table.treatment != .emptied else { continue }
      rowCount += count
      for case (let column, .emptied) in table.columns
      where try reader.integer(
        "SELECT EXISTS (SELECT 1 FROM \(quoted(table.name)) WHERE \(quoted(column)) IS NOT NULL)")
        != 0
      {
        emptiedColumns.append("\(table.name).\(column)")
      }
    }
    self.changeCount = changeCount
    emptiedTables += indexes.filter { $0.treatment == .emptied }.map(\.name)
  }
}
