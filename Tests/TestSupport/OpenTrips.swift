import StoreFormat
import StoreWriting

/// A store of trips that an app has open, whose log holds all saves after the first.
package struct OpenTrips {
  package let folder: TemporaryFolder
  package let path: String
  package let editor: StoreEditor
  private let reader: StoreQuery
  /// Runs plain SQL on the store.
  package var query: StoreQuery { reader }

  package init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    // Keeps the log when the editor closes.
    reader = try StoreQuery(path: path)
    editor = try StoreEditor(path: path)
    var save = StoreSave(author: "app")
    for name in ["Rome", "Oslo", "Bern"] {
      save.insert("Trip", values: ["name": .text(name), "score": .integer(1)])
    }
    try editor.append(save)
    try reader.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
  }

  package static func trip(_ key: Int64) -> StoreObject {
    StoreObject(entityName: "Trip", primaryKey: key)
  }

  package func save(_ body: (inout StoreSave) -> Void) throws {
    var save = StoreSave(author: "app")
    body(&save)
    try editor.append(save)
  }

  package func sql(_ text: String) throws { try reader.run(text) }
}
