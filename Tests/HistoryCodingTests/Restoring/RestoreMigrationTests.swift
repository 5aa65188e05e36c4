import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// History that was sealed under one model and comes back under another.
@Suite(.bounded) struct RestoreMigrationTests {
  /// A sample that was sealed, pruned to its newest transaction and migrated to another model.
  private final class Migrated {
    let folder: TemporaryFolder
    let path: String
    let sealed: SealedLines
    let query: StoreQuery

    /// - Parameters:
    ///   - model: The model that the store is migrated to.
    ///   - numbers: Its entities by number.
    init(_ model: ManagedModel, numbers: [(Int64, String)]) throws {
      folder = try TemporaryFolder()
      path = try SampleStore.write(to: folder.file("trips.store"))
      sealed = try SealedLines(store: path)
      query = try StoreQuery(path: path)
      let cache = try ModelArchive.cache(of: model).map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16)
      }
      let cases = TripsModel.numbers.map { number, name, _ in
        "WHEN \(number) THEN \(numbers.first { $0.1 == name }?.0 ?? 999)"
      }
      try query.run(
        """
        DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 12; DELETE FROM ATRANSACTION WHERE Z_PK < 12;
        UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases.joined(separator: " ")) END;
        DELETE FROM ACHANGE WHERE ZENTITY = 999;
        DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16001;
        UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(cache.joined())';
        ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE6 BLOB
        """)
      for (number, name) in numbers {
        try query.run("INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, 0)")
      }
    }

    func restore() throws -> RestorePlan {
      let restorer = try HistoryRestorer(path: path)
      let plan = try restorer.plan(RestoreRequest(), of: sealed)
      #expect(try restorer.restore(plan, of: sealed).problem == nil)
      return plan
    }

    func obstacle() throws -> RestoreObstacle? {
      let before = try query.contents()
      do {
        _ = try HistoryRestorer(path: path).plan(RestoreRequest(), of: sealed)
        return nil
      } catch let obstacle as RestoreObstacle {
        #expect(try query.contents() == before)
        return obstacle
      }
    }
  }

  private static let numbers: [(Int64, String)] = [
    (1, "Accommodation"), (2, "LivingAccommodation"), (3, "Airport"), (4, "BucketListItem"),
    (5, "Tag"), (6, "Trip"),
  ]

  /// The model of the samples with other properties in some entities, and an entity more.
  private static func model(
    _ change: (String, [ManagedProperty]) -> [ManagedProperty]?
  ) -> ManagedModel {
    let entities = TripsModel.model.entities.values.compactMap { entity in
      change(entity.name, entity.properties).map {
        ManagedEntity(
          name: entity.name, superentityName: entity.superentityName,
          isAbstract: entity.isAbstract, properties: $0)
      }
    }
    let airport = ManagedEntity(
      name: "Airport", properties: [.attribute(.init(name: "code", type: .string))])
    return ManagedModel(entities: entities + [airport])
  }

  /// What a person sees of a change, whatever the places of its properties are.
  private struct Seen: Equatable {
    let entity: String?
    let primaryKey: Int64?
    let kind: ChangeKind?
    let attributes: Set<String>?
    let values: [String: StoredValue]?

    init(_ change: HistoryChange) {
      entity = change.entity?.name
      primaryKey = change.primaryKey
      kind = change.kind
      attributes = change.attributes.map(Set.init)
      values = change.preservedValues.map {
        Dictionary(
          $0.map { ($0.attribute.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      }
    }
  }

  @Test
  func `names stay, and numbers and slots become those of the new model`() throws {
    let model = Self.model { name, properties in
      switch name {
      case "Trip":
        properties.filter { $0.name != "cost" } + [
          .attribute(.init(name: "budget", type: .double)),
          .attribute(.init(name: "comment", type: .string, preservesValueOnDeletion: true)),
          .relationship(.init(name: "home", destinationName: "Accommodation")),
        ]
      case "Accommodation": properties + [.attribute(.init(name: "phone", type: .string))]
      case "BucketListItem": properties + [.attribute(.init(name: "effort", type: .integer16))]
      default: properties
      }
    }
    let store = try Migrated(model, numbers: Self.numbers)
    let plan = try store.restore()
    #expect(plan.transactionCount == 11)
    #expect(plan.translatedEntities == ["BucketListItem", "LivingAccommodation", "Trip"])
    let after = try SealedLines(store: store.path).transactions
    #expect(after.map(\.number) == Array(1...12))
    for (now, then) in zip(after, store.sealed.transactions) where now.number < 12 {
      #expect(now.changes.map(Seen.init) == then.changes.map(Seen.init), "\(now.number)")
      #expect(now.changes.map(\.number) == then.changes.map(\.number))
      #expect(now.timestamp == then.timestamp && now.author == then.author)
    }
    // By hand: transaction 2 updated Trip's name, startDate and items.
    let slots = try #require(model.entitySlots()["Trip"])
    let mask = ColumnMask(
      slotCount: slots.slots.count,
      settingSlots: ["name", "startDate", "items"].flatMap(slots.indices(of:)))
    #expect(
      try store.query.rows("SELECT ZENTITY, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = 2 LIMIT 1")
        == [[.integer(6), .blob(mask.bytes)]])
    // The preserved attributes are comment, identifier, isFavorite, name, score, startDate, token.
    #expect(
      try store.query.lines(
        "SELECT ZTOMBSTONE0, ZTOMBSTONE3, ZTOMBSTONE6 FROM ACHANGE WHERE ZTRANSACTIONID = 4 AND ZENTITY = 6"
      )
        == ["|" + Self.name(in: store.sealed) + "|" + Self.token(in: store.sealed)])
  }

  private static func value(_ name: String, in sealed: SealedLines) -> StoredValue {
    sealed.transactions[3].changes[0].preservedValues?.first { $0.attribute.name == name }?.value
      ?? .null
  }

  private static func name(in sealed: SealedLines) -> String {
    switch value("name", in: sealed) {
    case .text(let text): text
    case .integer(let number): "\(number)"
    default: ""
    }
  }

  private static func token(in sealed: SealedLines) -> String {
    if case .blob(let bytes) = value("token", in: sealed) {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    } else {
      ""
    }
  }

  @Test
  func `entities missing in the new model are refused before anything is written`() throws {
    func obstacle(
      numbers: [(Int64, String)] = Self.numbers,
      _ change: @escaping (String, [ManagedProperty]) -> [ManagedProperty]?
    ) throws -> RestoreObstacle.ModelChange? {
      let obstacle = try Migrated(Self.model(change), numbers: numbers).obstacle()
      guard case .changedModel(_, _, let reason)? = obstacle else { return nil }
      #expect(obstacle?.message.contains(reason.text) == true)
      return reason
    }
    let none = try obstacle { $1 }
    #expect(none == nil)
    #expect(
      try obstacle { name, properties in
        properties.filter { name != "Trip" || $0.name != "startDate" }
      } == .property(entity: "Trip", .missing(property: "startDate")))
    #expect(
      try obstacle { name, properties in
        name != "BucketListItem"
          ? properties
          : properties.filter { $0.name != "isDone" } + [
            .relationship(.init(name: "isDone", destinationName: "Trip"))
          ]
      } == .property(entity: "BucketListItem", .changed(property: "isDone")))
    #expect(
      try obstacle { name, properties in
        name != "LivingAccommodation"
          ? properties
          : properties.filter { $0.name != "placeName" } + [
            .attribute(.init(name: "placeName", type: .string))
          ]
      } == .property(entity: "LivingAccommodation", .unpreserved(attribute: "placeName")))
    #expect(
      try obstacle { name, properties in
        name != "LivingAccommodation"
          ? properties
          : properties.filter { $0.name != "placeName" } + [
            .attribute(.init(name: "placeName", type: .binaryData, preservesValueOnDeletion: true))
          ]
      } == .property(entity: "LivingAccommodation", .changed(property: "placeName")))
    // Without a number, or with a number only.
    #expect(
      try obstacle(numbers: Self.numbers.filter { $0.1 != "BucketListItem" }) { $1 }
        == .missingEntity("BucketListItem"))
    #expect(
      try obstacle { name, properties in name == "BucketListItem" ? nil : properties }
        == .missingEntity("BucketListItem"))
  }

  @Test
  func `a store without a model takes no masks and tombstones`() throws {
    let store = try Migrated(TripsModel.model, numbers: TripsModel.numbers.map { ($0.0, $0.1) })
    try store.query.run("DELETE FROM Z_MODELCACHE")
    guard case .changedModel(_, 11, .unknownProperties)? = try store.obstacle() else {
      Issue.record("masks that nobody can read")
      return
    }
    // Where it was not known at the time either, everything is as it was.
    let before = try StoreLines(path: store.path).transactions
    let blind = SealedLines(
      storeIdentifier: store.sealed.storeIdentifier ?? "",
      transactions: store.sealed.transactions.map { transaction in
        var transaction = transaction
        for index in transaction.changes.indices {
          let entity = transaction.changes[index].entity
          transaction.changes[index].entity = HistoryEntity(
            name: entity?.name, number: entity?.number)
        }
        return transaction
      })
    let restorer = try HistoryRestorer(path: store.path)
    let plan = try restorer.plan(RestoreRequest(), of: blind)
    #expect(try restorer.restore(plan, of: blind).problem == nil)
    let after = try StoreLines(path: store.path).transactions
    #expect(after.count == 12 && after.last == before.last)
    #expect(
      after.flatMap(\.changes).map(\.mask)
        == store.sealed.transactions.flatMap(\.changes).map(\.mask))
  }
}
