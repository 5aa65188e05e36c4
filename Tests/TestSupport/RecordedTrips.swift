import Foundation
import StoreFormat
import StoreWriting

/// A store of trips whose updates were saved with their values beside it.
package struct RecordedTrips {
  /// The time of the first transaction in seconds since 2001; each next one is a minute later.
  package static let start = 743_906_500.25

  /// The folder of the store.
  package let folder: TemporaryFolder
  /// The store.
  package let path: String
  /// The file of values.
  package var valuesPath: String { path + "-values.db" }

  /// Saves six transactions:
  ///
  /// 1. inserts `Trip/p1` and `Trip/p2`, a tag, and `LivingAccommodation/p1`;
  /// 2. renames `Trip/p1` to Roma, with another date, identifier, flag, token and place, and a stay;
  /// 3. without recorded values, renames `Trip/p2`;
  /// 4. by the widget, renames `Trip/p1` to Rom and scores it, and gives it a tag;
  /// 5. deletes `Trip/p2`;
  /// 6. sets `Trip/p1`'s name to what it is, its token to 70,000 bytes and its score to nothing.
  package init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path, recordsValues: true)
    var number = 0.0
    func save(_ author: String = "app") -> StoreSave {
      defer { number += 1 }
      return StoreSave(
        author: author, process: "Trips",
        timestamp: StoreTimestamp(secondsSinceReferenceDate: Self.start + number * 60))
    }
    var first = save()
    for (name, score) in [("Rome", 1), ("Oslo", 2)] {
      first.insert(
        "Trip",
        values: [
          "name": .text(name), "score": .integer(Int64(score)), "startDate": .real(743_000_000),
          "identifier": .blob([UInt8](repeating: 0x11, count: 16)), "isFavorite": .integer(0),
        ])
    }
    first.insert("Tag", values: ["label": .text("city")])
    first.insert("LivingAccommodation", values: ["placeName": .text("Hotel")])
    try editor.append(first)
    let rome = StoreObject(entityName: "Trip", primaryKey: 1)
    let oslo = StoreObject(entityName: "Trip", primaryKey: 2)
    var second = save()
    second.update(
      rome,
      values: [
        "name": .text("Roma"), "startDate": .real(743_000_000.5), "isFavorite": .integer(1),
        "identifier": .blob([UInt8](repeating: 0x22, count: 16)), "token": .blob([1, 2, 255]),
        "place.latitude": .real(41.9), "place.longitude": .real(12.5), "cost": .real(-0.0),
      ], toOne: ["stay": StoreObject(entityName: "LivingAccommodation", primaryKey: 1)])
    try editor.append(second)
    var third = save("importer")
    third.update(oslo, values: ["name": .text("Bergen")])
    try StoreEditor(path: path).append(third)
    var fourth = save("widget")
    fourth.update(
      rome, values: ["name": .text("Rom"), "score": .integer(9)],
      toMany: ["tags": [StoreObject(entityName: "Tag", primaryKey: 1)]])
    try editor.append(fourth)
    var fifth = save()
    fifth.delete(oslo)
    try editor.append(fifth)
    var sixth = save()
    sixth.update(
      rome,
      values: [
        "name": .text("Rom"), "token": .blob([UInt8](repeating: 7, count: 70_000)), "score": .null,
      ])
    try editor.append(sixth)
    try editor.close()
  }

  /// The rows of the file of values, values in SQLite's own notation.
  package func rows() throws -> [String] {
    try StoreQuery(path: valuesPath).lines(
      """
      SELECT transaction_number, change_number, entity || '/p' || primary_key, name, kind,
        CASE WHEN old_length IS NULL THEN quote(old) ELSE 'digest' END,
        CASE WHEN new_length IS NULL THEN quote(new) ELSE 'digest' END
      FROM recorded_value ORDER BY transaction_number, change_number, name
      """)
  }
}
