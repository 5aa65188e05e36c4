import Foundation
import StoreFormat
import Synchronization

/// A store with a small, lively history that most tests read.
package enum SampleStore {
  /// The number of transactions, numbered from 1.
  package static let transactionCount = 12

  /// The files of a store, by the ends of their names, for each requested shape.
  private static let known = Mutex<[StoreWriter.Shape: [String: [UInt8]]]>([:])

  /// Writes it: an app, a widget and a save without author; inserts, updates and deletes.
  @discardableResult
  package static func write(
    to path: String, shape: StoreWriter.Shape = StoreWriter.Shape()
  ) throws -> String {
    let files = try known.withLock { $0[shape] } ?? files(of: shape)
    for (ending, bytes) in files { try FileBytes.write(bytes, to: path + ending) }
    return path
  }

  private static func files(of shape: StoreWriter.Shape) throws -> [String: [UInt8]] {
    let folder = try TemporaryFolder()
    let path = folder.file("sample.store")
    let writer = try StoreWriter(path: path, shape: shape)
    try fill(writer)
    try writer.close()
    var files: [String: [UInt8]] = [:]
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
      files[ending] = try FileBytes.read(path + ending)
    }
    known.withLock { $0[shape] = files }
    return files
  }

  /// Adds the history to a store that has been created.
  package static func fill(_ writer: StoreWriter) throws {
    let trip = TripsModel.number("Trip")
    let item = TripsModel.number("BucketListItem")
    let stay = TripsModel.number("LivingAccommodation")
    let authors: [String?] = ["app", "app", "widget", nil]
    var change: Int64 = 0
    func add(
      _ transaction: Int64, _ kind: Int64, _ entity: Int64, _ key: Int64, mask: [UInt8]? = nil,
      tombstone: [StoredValue] = []
    ) throws {
      change += 1
      try writer.change(
        change, of: transaction, kind, entity, key, mask: mask, tombstone: tombstone)
    }
    for number in 1...Int64(transactionCount) {
      try writer.transaction(
        number, author: authors[Int(number) % 4], context: number == 5 ? "import" : nil)
      switch number % 4 {
      case 1:
        try add(number, 0, trip, number)
        try add(number, 0, item, number)
        try add(number, 0, stay, number)
      case 2:
        try add(number, 1, trip, number - 1, mask: mask("Trip", ["name", "startDate", "items"]))
        try add(number, 1, item, number - 1, mask: mask("BucketListItem", ["isDone"]))
      case 3:
        try add(
          number, 1, stay, number - 2, mask: mask("LivingAccommodation", ["isConfirmed", "trip"]))
      default:
        try add(
          number, 2, trip, number - 3,
          tombstone: [
            .blob(Array(0..<16)), .integer(1), .text("Rome \(number)"), .integer(number * 10),
            .real(743_906_557.824189), .blob([1, 2, 3]),
          ])
        try add(number, 2, stay, number - 3, tombstone: [.text("Hotel")])
        try add(number, 2, item, number - 3)
      }
    }
  }

  /// The mask of an entity in which all slots of some properties are set.
  package static func mask(_ entity: String, _ names: [String]) -> [UInt8] {
    guard let slots = TripsModel.slots[entity] else { return [] }
    return ColumnMask(
      slotCount: slots.slots.count, settingSlots: names.flatMap(slots.indices(of:))
    ).bytes
  }
}
