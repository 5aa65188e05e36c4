import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// The tables that are created for a real store's own model, against those that the store has.
@Suite(.bounded, .needsRealStores) struct RealSchemaTests {
  /// Stores that one version of the frameworks created and none migrated: their tables and indexes
  /// are ours to the byte, in the same order.
  static let unmigrated = [
    "coredataplus-model2-v2.sqlite", "mediaanalysis-26.1.sqlite", "notes-ios15.sqlite",
    "photos-cloud-13.1.sqlite", "rmadmin-ios14.sqlite", "scout-v4.sqlite",
    "swiftdata-cocktails.store", "swiftdata-rm-0empty.store", "swiftdata-rm-1wal.store",
    "swiftdata-rm-4wal.store", "truthsocial-ios17.sqlite", "viber-purged.sqlite",
  ]

  private static let tables = """
    SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z*'
    AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'Z_PRIMARYKEY') AND name NOT GLOB 'Z_RT_*'
    """

  @Test(arguments: RealStores.paths)
  func `the model of a real store produces its tables`(path: String) throws {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    guard let model = try StoreFile(path: copy).read({ try $0.modelCache().model }) else { return }
    try StoreCreator.create(at: folder.file("created"), model: model)
    let (ours, theirs) = (
      try StoreQuery(path: folder.file("created")), try StoreQuery(path: copy)
    )
    let numbers = "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000"
    #expect(try ours.lines(numbers) == theirs.lines(numbers))
    let names = try ours.lines(Self.tables)
    #expect(!names.isEmpty)
    for name in names {
      // Migrated tables have their newer columns at the end, and tables of relationships keep the digits that
      // tell columns of one name apart.
      let column = name.hasPrefix("Z_") ? "rtrim(name, '0123456789')" : "name"
      let columns = "SELECT \(column), type FROM pragma_table_info('\(name)') ORDER BY 1"
      #expect(try ours.lines(columns) == theirs.lines(columns), "\(name)")
    }
    guard Self.unmigrated.contains(where: { path.hasSuffix("/" + $0) }) else { return }
    let tables = "SELECT sql FROM sqlite_master WHERE name IN (\(Self.tables))"
    #expect(try ours.lines(tables) == theirs.lines(tables))
    // What they have and we do not are indexes that a model asks for by name.
    let indexes = """
      SELECT sql FROM sqlite_master
      WHERE type = 'index' AND sql NOT NULL AND tbl_name NOT LIKE 'A%'
      """
    let ourIndexes = try ours.lines(indexes)
    let wanted = Set(ourIndexes)
    #expect(ourIndexes == (try theirs.lines(indexes).filter(wanted.contains)))
  }
}
