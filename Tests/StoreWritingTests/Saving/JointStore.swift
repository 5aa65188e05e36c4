import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreWriting

/// A store that takes part in saves to several, with an editor.
struct JointStore {
  let path: String
  let editor: StoreEditor
  let query: StoreQuery

  init(
    _ folder: TemporaryFolder, _ name: String, model: ManagedModel = TripsModel.model,
    hasLog: Bool = true
  ) throws {
    path = folder.file(name)
    try StoreCreator.create(at: path, model: model)
    if !hasLog { try StoreQuery(path: path).run("PRAGMA journal_mode = DELETE") }
    editor = try StoreEditor(path: path, busyTimeout: 0)
    query = try StoreQuery(path: path)
  }

  /// The authors of the transactions, and how many trips there are.
  func contents() throws -> [String] {
    try query.lines(
      """
      SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
      ORDER BY t.Z_PK
      """) + query.lines("SELECT count(*) FROM ZTRIP")
  }

  /// All rows of models and of the history.
  func rows() throws -> [String: [[StoredValue]]] {
    try query.contents().filter { !["Z_METADATA", "Z_MODELCACHE"].contains($0.key) }
  }

  func record() -> String { path + "-unfinished-save" }
  var hasRecord: Bool { (try? FileBytes.read(record())) != nil }

  /// A transaction of the store.
  func place(_ number: Int64, _ seconds: Double) throws -> JointSaveRecord.Place {
    let identifier = try StoreFile(path: path).read { $0.metadata.storeIdentifier }
    return JointSaveRecord.Place(
      path: editor.location.resolvedPath, storeIdentifier: try #require(identifier),
      number: number, timestamp: .init(secondsSinceReferenceDate: seconds))
  }
}
