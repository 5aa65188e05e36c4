import PersistentHistory
import StoreFormat
import StoreWriting
import TestSupport
import Testing

@testable import HistoryArchive

/// Net values of updates in an archive.
@Suite(.bounded) struct ArchivedValuesTests {
  private let trips: RecordedTrips
  private let archive: String

  /// Renames `Trip/p1` without and then with recorded values, and a new trip and the tag only with them, and seals
  /// all of it.
  init() throws {
    trips = try RecordedTrips()
    archive = trips.folder.file("archive")
    let trip = StoreObject(entityName: "Trip", primaryKey: 1)
    let tag = StoreObject(entityName: "Tag", primaryKey: 1)
    for (name, isRecorded) in [("Paris", false), ("Nice", true)] {
      let editor = try StoreEditor(path: trips.path, recordsValues: isRecorded)
      var save = StoreSave()
      save.update(trip, values: ["name": .text(name)])
      if isRecorded {
        save.update(
          StoreObject(entityName: "Trip", primaryKey: 3), values: ["name": .text("Ulm")])
        save.update(tag, values: ["label": .text("town")])
      } else {
        save.insert("Trip", values: ["name": .text("Bonn")])
      }
      try editor.append(save)
      try editor.close()
    }
    let file = try StoreFile(path: trips.path)
    let sealer = try ArchiveSealer(archivePath: archive, store: file.location, lockWait: 30)
    _ = try file.read(withHelpers: 1) { snapshot, helpers in
      sealer.recordedValues = try RecordedValues(beside: snapshot)
      return try sealer.seal(snapshot, helpers, before: .end)
    }
  }

  @Test(
    arguments: [
      (6, ["Tag/p1 label: city → town", "Trip/p1 name: ? → Nice"]),
      (7, ["Tag/p1 label: city → town", "Trip/p1 name: Paris → Nice", "Trip/p3 name: Bonn → Ulm"]),
    ] as [(Int64, [String])])
  func `an unrecorded update makes the old value unknown`(
    _ after: Int64, _ expected: [String]
  ) throws {
    let timeline = HistoryTimeline(try ArchiveReader(path: archive))
    let reader = try NetChangeReader(
      timeline, query: HistoryQuery(after: after), schema: timeline.schema())
    var found: [String] = []
    while let change = try reader.next() {
      found += change.values.map { value in
        func text(_ content: RecordedContent?) -> String {
          if case .value(.text(let text))? = content { text } else { "?" }
        }
        let object = change.object?.description ?? ""
        return "\(object) \(value.name): \(text(value.old)) → \(text(value.new))"
      }
    }
    #expect(found == expected)
  }
}
