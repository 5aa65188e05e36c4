import StoreFormat
import StoreWriting

/// Stores with many transactions that look alike, written by SQL alone.
package enum LongHistory {
  /// Writes a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - transactions: The number of transactions, numbered from 1 and a second apart.
  ///   - changesEach: The number of changes of each transaction.
  ///   - sizes: Other numbers of changes, by transaction.
  @discardableResult
  package static func write(
    to path: String, transactions: Int, changesEach: Int, sizes: [Int: Int] = [:],
    shape: StoreWriter.Shape = StoreWriter.Shape()
  ) throws -> String {
    let writer = try StoreWriter(path: path, shape: shape)
    let cases = sizes.sorted { $0.key < $1.key }.map { "WHEN \($0.key) THEN \($0.value)" }
    let size =
      cases.isEmpty
      ? "\(changesEach)" : "CASE i \(cases.joined(separator: " ")) ELSE \(changesEach) END"
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(transactions))"
    try writer.sql(
      """
      \(numbers) INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
        SELECT i, 16002, 700000000.0 + i FROM n
      """)
    try writer.sql(
      """
      \(numbers), m(i, k) AS
        (SELECT i, 1 FROM n WHERE \(size) >= 1 UNION ALL SELECT i, k + 1 FROM m WHERE k < \(size))
      INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT 16001, 1, 4, k, i, x'80' FROM m ORDER BY i, k
      """)
    try writer.sql(
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(ZENTITYPK) FROM ACHANGE), 0) WHERE Z_ENT = 4;
      INSERT INTO Z_PRIMARYKEY SELECT 16001, 'CHANGE', 0, max(Z_PK) FROM ACHANGE;
      INSERT INTO Z_PRIMARYKEY SELECT 16002, 'TRANSACTION', 0, max(Z_PK) FROM ATRANSACTION
      """)
    try writer.close()
    return path
  }

  /// Writes a store of the trips model with a long history unrelated to its tables, and with a tag for
  /// an app to update.
  package static func writeForApps(
    to path: String, transactions: Int, changesEach: Int
  ) throws {
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    save.insert("Tag")
    try editor.append(save)
    try editor.close()
    let changes = transactions * changesEach
    try StoreQuery(path: path).run(
      """
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(transactions))
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, 7e8 + i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(changes))
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        SELECT i, 16001, 0, 4, i, 1 + (i - 1) / \(changesEach) FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(transactions) WHERE Z_ENT = 16002;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(changes) WHERE Z_ENT = 16001
      """)
  }
}
