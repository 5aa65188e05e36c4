import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// The histories of real stores, row by row against an independent decoder.
@Suite(.bounded, .enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
struct RealHistoryTests {
  /// A value as both sides can write it; numbers as the doubles that JSON takes them for.
  private static func text(_ value: StoredValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): "\(Double(number))"
    case .real(let number): "\(number)"
    case .text(let text): "text \(text)"
    case .malformedText(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
    case .blob(let bytes): "blob \(bytes.map { String(format: "%02x", $0) }.joined())"
    }
  }

  private static func text(decoder value: Any) -> String? {
    switch value {
    case let text as String: "text \(text)"
    case let number as NSNumber: "\(number.doubleValue)"
    case let blob as [String: String]: blob["$blob"].map { "blob \($0)" }
    default: nil
    }
  }

  @Test(arguments: RealStores.paths)
  func `histories of real stores agree with the independent decoder`(source: String) async throws {
    let oracle = try #require(RealStores.oracle)
    let python = try #require(Tool("python3"))
    let folder = try TemporaryFolder()
    let store = try StoreFile(path: folder.copy(store: source))
    let hasHistory = try store.read { $0.layout.history != nil }
    let run = try await python.run([oracle, source])
    #expect((run.status == 0) == hasHistory)
    guard hasHistory else { return }
    try store.read { snapshot in
      let slots = try snapshot.modelCache().model?.entitySlots() ?? [:]
      let rows = try ReadRows.transactions(of: snapshot)
      #expect(rows.count == run.lines.count)
      for (row, line) in zip(rows, run.lines) {
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(row.number == (object["transaction"] as? NSNumber)?.int64Value)
        #expect(row.seconds == (object["timestampRaw"] as? NSNumber)?.doubleValue)
        #expect(row.author?.string == object["author"] as? String)
        #expect(row.bundle?.string == object["bundle"] as? String)
        #expect(row.process?.string == object["process"] as? String)
        #expect(row.context?.string == object["context"] as? String)
        #expect(row.extra.isEmpty)
        let changes = try #require(object["changes"] as? [[String: Any]])
        #expect(row.changes.count == changes.count)
        for (change, expected) in zip(row.changes, changes) {
          let place = "\(source) \(change.number)"
          #expect(change.number == (expected["change"] as? NSNumber)?.int64Value, "\(place)")
          #expect(change.kind?.name == expected["kind"] as? String, "\(place)")
          #expect(change.primaryKey == (expected["pk"] as? NSNumber)?.int64Value, "\(place)")
          let entity = change.entity.flatMap(snapshot.entities.name)
          #expect(entity == expected["entity"] as? String, "\(place)")
          #expect(change.extra.isEmpty, "\(place)")
          #expect((change.mask != nil) == (change.kind == .update), "\(place)")
          let shape = entity.flatMap { slots[$0] }
          let names = change.mask.flatMap { shape?.names(in: ColumnMask($0)) }
          #expect(names?.sorted() == expected["attributes"] as? [String], "\(place)")
          guard change.kind == .delete, let shape else {
            #expect(change.tombstone.isEmpty, "\(place)")
            continue
          }
          #expect(change.tombstone.count <= shape.tombstoneAttributes.count, "\(place)")
          var tombstone: [String: String] = [:]
          for (attribute, value) in zip(shape.tombstoneAttributes, change.tombstone) {
            tombstone[attribute.name] = Self.text(value)
          }
          let decoded = try #require(expected["tombstone"] as? [String: Any])
          #expect(tombstone == decoded.compactMapValues(Self.text(decoder:)), "\(place)")
          #expect(tombstone.count == decoded.count, "\(place)")
        }
      }
    }
  }

  @Test
  func `every update in stores since macOS 10.15 is decoded`() throws {
    var updates = 0
    for source in RealStores.paths {
      let folder = try TemporaryFolder()
      try StoreFile(path: folder.copy(store: source)).read { snapshot in
        guard snapshot.layout.history != nil, let model = try snapshot.modelCache().model else {
          return
        }
        let slots = model.entitySlots()
        let changes = try snapshot.changes(TransactionSelection())
        let rows = try snapshot.transactions(TransactionSelection())
        while try rows.next() {
          try changes.start(transaction: rows.number)
          while try changes.next() {
            guard changes.kind == .update else { continue }
            updates += 1
            let entity = changes.entityNumber.flatMap(snapshot.entities.name)
            let mask = try #require(changes.mask)
            let names = entity.flatMap { slots[$0] }?.names(in: mask)
            #expect(names != nil, "\(source) \(changes.number)")
          }
        }
      }
    }
    #expect(updates > 0)
  }
}
