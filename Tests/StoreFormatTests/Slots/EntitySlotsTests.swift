import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// Slots by the rules, on a model of our own.
@Suite(.bounded) struct EntitySlotsTests {
  private static let slots = TripsModel.slots

  private static func text(_ entity: String) -> [String]? {
    slots[entity]?.slots.map { "\($0.role.rawValue) \($0.name)" }
  }

  @Test
  func `slots are in the order of the frameworks`() {
    #expect(
      Self.text("Trip") == [
        "toOne stay", "entityKey stay", "attribute cost", "attribute identifier",
        "attribute isFavorite", "attribute name", "attribute place", "attribute place",
        "attribute score", "attribute startDate", "attribute token", "toMany items",
        "manyToMany tags",
      ])
    #expect(
      Self.text("BucketListItem") == [
        "toOne trip", "orderKey trip", "attribute isDone", "attribute title",
      ])
    // What is inherited comes first in each group.
    #expect(
      Self.text("LivingAccommodation") == [
        "toOne trip", "attribute address", "attribute isConfirmed", "attribute placeName",
      ])
    #expect(Self.text("Accommodation") == ["toOne trip", "attribute address"])
    #expect(Self.text("Tag") == ["attribute label", "manyToMany trips"])
  }

  @Test
  func `names are ordered by their UTF-16 units, capitals first`() {
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "E",
        properties: ["computedA", "computeS", "Z", "a", "_a", "ä", "é", "z", "a1", "a10", "a2"].map
        { .attribute(.init(name: $0, type: .string)) })
    ])
    #expect(
      model.entitySlots()["E"]?.slots.map(\.name) == [
        "Z", "_a", "a", "a1", "a10", "a2", "computeS", "computedA", "z", "ä", "é",
      ])
  }

  @Test
  func `preserved attributes are in the order of the tombstone`() {
    #expect(
      Self.slots["Trip"]?.tombstoneAttributes.map(\.name) == [
        "identifier", "isFavorite", "name", "score", "startDate", "token",
      ])
    #expect(Self.slots["LivingAccommodation"]?.tombstoneAttributes.map(\.name) == ["placeName"])
    #expect(Self.slots["Tag"]?.tombstoneAttributes.isEmpty == true)
  }

  @Test
  func `a mask has each of its names once, and none if it does not fit`() throws {
    let trip = try #require(Self.slots["Trip"])
    #expect(trip.slots.count == 13)
    #expect(
      trip.names(in: ColumnMask([0b1100_1110, 0b0001_1000])) == [
        "stay", "isFavorite", "name", "place", "items", "tags",
      ])
    #expect(trip.names(in: ColumnMask([0, 0])) == [])
    #expect(trip.names(in: ColumnMask([0])) == nil)
    #expect(trip.names(in: ColumnMask([0, 0, 0])) == nil)
    #expect(trip.names(in: ColumnMask([0, 0b0000_0100])) == nil)
    #expect(trip.indices(of: "stay") == [0, 1])
    #expect(trip.indices(of: "place") == [6, 7])
    #expect(trip.indices(of: "draft").isEmpty)
  }
}

/// Slots of the models in real stores, against what their own changes show.
@Suite(.bounded, .needsRealStores)
struct RealSlotsTests {
  private struct Vector: Sendable, CustomTestStringConvertible {
    var store: String
    var change: Int64
    var entity: String
    var primaryKey: Int64
    var transaction: Int64
    var mask: [UInt8]
    var slots: [Int]
    var names: [String]
    var testDescription: String { "\(store) \(change)" }

    init(
      _ store: String, _ change: Int64, _ entity: String, _ primaryKey: Int64,
      _ transaction: Int64, _ mask: String, _ slots: [Int], _ names: [String]
    ) {
      self.store = store
      self.change = change
      self.entity = entity
      self.primaryKey = primaryKey
      self.transaction = transaction
      self.mask = stride(from: 0, to: mask.utf8.count, by: 2).compactMap { offset in
        let start = mask.index(mask.startIndex, offsetBy: offset)
        return UInt8(mask[start..<mask.index(start, offsetBy: 2)], radix: 16)
      }
      self.slots = slots
      self.names = names
    }
  }

  private static let vectors = [
    Vector(
      "truthsocial-ios17.sqlite", 14, "ManagedChat", 1, 2, "800202", [0, 14, 22],
      ["lastMessage", "lastReadAt", "events"]),
    Vector("notes-ios17-josh.sqlite", 26, "ICCloudState", 3, 9, "10", [3], ["inCloud"]),
    Vector(
      "notes-ios17-josh.sqlite", 147, "ICCloudState", 1, 24, "08", [4],
      ["latestVersionSyncedToCloud"]),
    Vector(
      "notes-ios17-josh.sqlite", 103, "ICNote", 10, 15, "0000004000000000", [25],
      ["serverRecordData"]),
    Vector("swiftdata-rm-4wal.store", 39, "Component", 3, 27, "80", [0], ["craftingRecipe"]),
    Vector(
      "rmadmin-ios14.sqlite", 847, "UsageBlock", 51, 106, "1d60", [3, 4, 5, 7, 9, 10],
      [
        "lastEventDate", "longestSessionEndDate", "longestSessionStartDate",
        "screenTimeInSeconds", "categories", "countedItems",
      ]),
    Vector(
      "photos-14.6.sqlite", 266, "Asset", 2, 21, "10000000200000000000000000000000000000",
      [3, 34], ["computedAttributes", "analysisStateModificationDate"]),
    Vector(
      "photos-27.0beta.sqlite", 2871, "Asset", 1, 525,
      "0000000000000000000000000000002000000000", [122], ["thumbnailIndex"]),
  ]

  @Test(arguments: vectors)
  private func `known changes of real stores have the right names`(vector: Vector) throws {
    guard let source = RealStores.path(vector.store) else { return }
    let folder = try TemporaryFolder()
    try StoreFile(path: folder.copy(store: source)).read { snapshot in
      let rows = try ReadRows.transactions(
        of: snapshot,
        TransactionSelection(after: vector.transaction - 1, until: vector.transaction))
      let change = try #require(rows.first?.changes.first { $0.number == vector.change })
      #expect(change.kind == .update)
      #expect(change.entity.flatMap(snapshot.entities.name) == vector.entity)
      #expect(change.primaryKey == vector.primaryKey)
      #expect(change.mask == vector.mask)
      let mask = ColumnMask(try #require(change.mask))
      #expect(mask.setSlots == vector.slots)
      let slots = try snapshot.modelCache().model?.entitySlots()[vector.entity]
      #expect(slots?.names(in: mask) == vector.names)
    }
  }

  @Test(
    arguments: [
      (6, 0x20, "requiredComponents"), (11, 0x40, "producedItemCount"), (25, 0x80, "producedItem"),
    ] as [(Int64, UInt8, String)])
  func `the three slots of CraftingRecipe have the right names`(
    number: Int64, mask: UInt8, name: String
  ) throws {
    guard let source = RealStores.path("swiftdata-rm-4wal.store") else { return }
    let folder = try TemporaryFolder()
    try StoreFile(path: folder.copy(store: source)).read { snapshot in
      let change = try ReadRows.transactions(of: snapshot).flatMap(\.changes)
        .first { $0.number == number }
      #expect(change?.mask == [mask])
      let slots = try snapshot.modelCache().model?.entitySlots()["CraftingRecipe"]
      #expect(slots?.names(in: ColumnMask([mask])) == [name])
    }
  }

  @Test
  func `all slots of ICCloudState and Garnish have the right names`() throws {
    for (store, entity, names) in [
      (
        "notes-ios17-josh.sqlite", "ICCloudState",
        [
          "cloudSyncingObject", "cloudSyncingObject", "currentLocalVersion", "inCloud",
          "latestVersionSyncedToCloud", "localVersionDate",
        ]
      ), ("swiftdata-cocktails.store", "Garnish", ["name", "cocktails"]),
    ] {
      guard let source = RealStores.path(store) else { continue }
      let folder = try TemporaryFolder()
      let model = try StoreFile(path: folder.copy(store: source)).read { try $0.modelCache().model }
      let slots = try #require(model?.entitySlots()[entity])
      #expect(slots.slots.map(\.name) == names)
    }
  }

  @Test(
    .enabled(if: RealStores.oracle != nil && Tool("python3") != nil),
    arguments: RealStores.paths)
  func `slots agree with the independent decoder for every entity of every store`(
    source: String
  ) async throws {
    let oracle = try #require(RealStores.oracle)
    let python = try #require(Tool("python3"))
    let folder = try TemporaryFolder()
    let model = try StoreFile(path: folder.copy(store: source)).read { try $0.modelCache().model }
    guard let model else { return }
    let run = try await python.run([oracle, source, "--model"])
    #expect(run.status == 0)
    let slots = model.entitySlots()
    #expect(slots.count == run.lines.count)
    for line in run.lines {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let entity = try #require(object["entity"] as? String)
      #expect(slots[entity]?.slots.map(\.name) == object["slots"] as? [String], "\(entity)")
      #expect(
        slots[entity]?.tombstoneAttributes.map(\.name) == object["preserved"] as? [String],
        "\(entity)")
    }
  }
}
