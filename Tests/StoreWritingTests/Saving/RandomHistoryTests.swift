import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// Random saves on random models: rows, masks and tombstones against a graph that knows no tables.
@Suite(.bounded) struct RandomHistoryTests {
  private static let batches = 20
  private static let casesPerBatch = Campaign.count(15, 50)

  @Test(arguments: 0..<batches)
  func `the rows and history of random saves match a model of them`(batch: Int) async throws {
    let folder = try TemporaryFolder()
    for number in 0..<Self.casesPerBatch {
      let seed = UInt64(batch * Self.casesPerBatch + number)
      let path = folder.file("\(seed).store")
      let records = try Self.run(seed: seed, path: path)
      if number == 0, let oracle = RealStores.oracle, let python = Tool("python3") {
        let lines = try await python.run([oracle, path]).lines
        #expect(try lines.map(Self.changes(ofOracle:)) == records, "seed \(seed)")
      }
    }
  }

  /// A change as text, as both the oracle's and our own reader's are.
  private static func run(seed: UInt64, path: String) throws -> [[String]] {
    var generator = SeededGenerator(seed: seed)
    let random = RandomModel(using: &generator)
    try StoreCreator.create(at: path, model: random.model)
    let editor = try StoreEditor(path: path)
    var shadow = ShadowStore(random)
    var outcomes: [ShadowStore.Outcome] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      var (save, makeSteps) = Saves.random(shadow, using: &generator)
      save.header.author = ["app", "widget", nil].randomElement(using: &generator) ?? nil
      guard let appended = try editor.append(save) else { continue }
      let outcome = shadow.apply(makeSteps { appended.primaryKey(of: $0) ?? 0 })
      let count = outcome.inserted.count + outcome.updated.count + outcome.deleted.count
      let range = count...(count + outcome.onlyMoved.count)
      #expect(range.contains(appended.changeCount), "seed \(seed)")
      outcomes.append(outcome)
      #expect(appended.position.number == Int64(outcomes.count), "seed \(seed)")
    }
    let query = try StoreQuery(path: path)
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"], "seed \(seed)")
    try checkRows(shadow, query, seed)
    try ShadowObjects.check(shadow, path, seed)
    return try checkHistory(outcomes, random, path, seed)
  }

  // MARK: - History

  private static func checkHistory(
    _ outcomes: [ShadowStore.Outcome], _ random: RandomModel, _ path: String, _ seed: UInt64
  ) throws -> [[String]] {
    let slots = random.model.entitySlots()
    var records: [[String]] = []
    try StoreFile(path: path).read { store in
      let transactions = try store.transactions(TransactionSelection())
      let changes = try transactions.changes()
      for outcome in outcomes {
        let hasTransaction = try transactions.next()
        #expect(hasTransaction, "seed \(seed)")
        var record: [String] = []
        var kinds: [Int64] = []
        var seen: Set<ShadowStore.Object> = []
        while try changes.next() {
          let entity = store.entities.name(of: changes.entityNumber ?? 0) ?? "?"
          let object = ShadowStore.Object(entity: entity, key: changes.primaryKey ?? 0)
          #expect(seen.insert(object).inserted, "seed \(seed)")
          kinds.append(changes.kind?.rawValue ?? -1)
          #expect(changes.extra.isEmpty, "seed \(seed)")
          var text = "\(changes.number) \(changes.kind?.name ?? "?") \(entity)/\(object.key)"
          switch changes.kind {
          case .insert?: #expect(outcome.inserted.contains(object), "seed \(seed)")
          case .update?:
            #expect(
              outcome.updated.contains(object) || outcome.onlyMoved.contains(object),
              "seed \(seed): \(object)")
            let names = Set(slots[entity]?.names(in: changes.mask ?? ColumnMask([])) ?? ["?"])
            let wanted = outcome.marks[object] ?? []
            #expect(wanted.isSubset(of: names), "seed \(seed): \(object) \(names) \(wanted)")
            #expect(
              names.isSubset(of: wanted.union(outcome.possibleMarks[object] ?? [])),
              "seed \(seed): \(object) \(names) \(wanted)")
            text += " \(names.sorted())"
          default:
            #expect(outcome.deleted.contains(object), "seed \(seed)")
            let attributes = slots[entity]?.tombstoneAttributes ?? []
            var tombstone = attributes.map { attribute in
              outcome.tombstones[object]?[attribute.name] ?? .null
            }
            let left = zip(attributes.map(\.name), changes.tombstone).filter { !$0.1.isNull }
            for (name, value) in left.sorted(by: { ordinally($0.0, $1.0) }) {
              text += " \(name)=\(Self.text(of: value))"
            }
            while tombstone.last?.isNull ?? false { tombstone.removeLast() }
            #expect(changes.tombstone == tombstone, "seed \(seed)")
          }
          record.append(text)
        }
        let wanted = outcome.inserted.union(outcome.updated).union(outcome.deleted)
        #expect(wanted.isSubset(of: seen), "seed \(seed)")
        #expect(kinds == kinds.sorted(), "seed \(seed)")
        records.append(record)
      }
      let hasMore = try transactions.next()
      #expect(!hasMore, "seed \(seed)")
    }
    return records
  }

  private static func text(of value: StoredValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .malformedText(let bytes), .blob(let bytes):
      "$" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// A line of the oracle in the same words; tombstones in the order of our slots, by name.
  private static func changes(ofOracle line: String) throws -> [String] {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let changes = try #require(object?["changes"] as? [[String: Any]])
    return changes.map { change in
      var text = "\(change["change"] ?? "") \(change["kind"] ?? "") "
      text += "\(change["entity"] ?? "")/\(change["pk"] ?? "")"
      if let names = change["attributes"] as? [String] { text += " \(names.sorted())" }
      let tombstone = change["tombstone"] as? [String: Any] ?? [:]
      for (name, value) in tombstone.sorted(by: { ordinally($0.key, $1.key) }) {
        if let blob = value as? [String: String] {
          text += " \(name)=$\(blob["$blob"] ?? "")"
        } else if let number = value as? NSNumber, line.contains("\"\(name)\": \(number).0") {
          text += " \(name)=\(number.doubleValue)"
        } else {
          text += " \(name)=\(value)"
        }
      }
      return text
    }
  }

  // MARK: - Rows

  private static func checkRows(
    _ shadow: ShadowStore, _ query: StoreQuery, _ seed: UInt64
  ) throws {
    let model = shadow.random.model
    let numbers = Dictionary(
      uniqueKeysWithValues: try query.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY").compactMap {
        row -> (String, Int64)? in
        guard case .text(let name) = row[0], case .integer(let number) = row[1] else { return nil }
        return (name, number)
      })
    let roots = model.entities.values.filter { $0.superentityName == nil }.map(\.name)
    for root in roots {
      let members = model.entities.keys.filter { shadow.random.isKind($0, of: root) }
      // Names that only one property of the hierarchy has are those of columns.
      let names = members.flatMap { member in
        (model.entities[member]?.attributes ?? []).flatMap { attribute in
          attribute.elements.isEmpty ? [attribute.name] : attribute.elements.map(\.name)
        }
      }.map { $0.uppercased() }
      let table = "Z\(root.uppercased())"
      let objects = shadow.objects.filter { members.contains($0.entity) }
      let present = try query.lines("SELECT Z_PK, Z_ENT, Z_OPT FROM \(table) ORDER BY 1")
      let wanted = objects.sorted { $0.key < $1.key }.map {
        "\($0.key)|\(numbers[$0.entity] ?? 0)|\(shadow.versions[$0] ?? 0)"
      }
      #expect(present.count == wanted.count, "seed \(seed)")
      for (line, object) in zip(zip(present, wanted), objects.sorted { $0.key < $1.key })
      where !shadow.everMoved.contains(object) {
        #expect(line.0 == line.1, "seed \(seed)")
      }
      let columns = Set(names.filter { name in names.count { $0 == name } == 1 }).sorted()
      let list = (["Z_PK"] + columns.map { "Z\($0)" }).joined(separator: ", ")
      let rows = Dictionary(
        uniqueKeysWithValues: try query.rows("SELECT \(list) FROM \(table)").map {
          ($0[0], Array($0.dropFirst()))
        })
      for object in objects {
        for (path, type) in shadow.random.paths(of: object.entity) {
          let leaf = String(path.split(separator: ".").last ?? "").uppercased()
          guard let column = columns.firstIndex(of: leaf) else { continue }
          let stored = rows[.integer(object.key)]?[column] ?? .null
          let expected = shadow.values[object]?[path] ?? .null
          #expect(
            isSame(stored, expected, type), "seed \(seed): \(object).\(path) \(stored)")
        }
      }
    }
    try checkKeys(shadow, query, seed)
  }

  private static func checkKeys(
    _ shadow: ShadowStore, _ query: StoreQuery, _ seed: UInt64
  ) throws {
    var joined = 0
    for (index, link) in shadow.random.links.enumerated() {
      let pairs = shadow.pairs[index] ?? []
      if link.inverseName != nil && link.isToMany && link.isInverseToMany {
        joined += pairs.count
        continue
      }
      guard !link.isToMany || link.inverseName != nil else { continue }
      // The key stands with the end that is to one; for two such, at both.
      let ends = [
        (link.name, link.ownerEntity, !link.isToMany, true),
        (link.inverseName ?? "", link.destinationEntity, !link.isInverseToMany, false),
      ].filter { $0.2 && !$0.0.isEmpty }
      for (name, entity, _, isOwner) in ends {
        let root = shadow.random.model.lineage(of: entity)?.first?.name ?? entity
        let rows = try query.lines(
          "SELECT Z_PK, Z\(name.uppercased()) FROM Z\(root.uppercased()) "
            + "WHERE Z\(name.uppercased()) NOT NULL")
        let wanted = pairs.filter { shadow.values[isOwner ? $0.owner : $0.member] != nil }.map {
          isOwner ? "\($0.owner.key)|\($0.member.key)" : "\($0.member.key)|\($0.owner.key)"
        }
        #expect(Set(rows) == Set(wanted), "seed \(seed): \(link)")
      }
    }
    let tables = try query.lines(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
    let rows = try tables.map { try query.lines("SELECT count(*) FROM \"\($0)\"") }
      .compactMap { $0.first.flatMap { Int($0) } }
    #expect(rows.reduce(0, +) == joined, "seed \(seed)")
  }

  /// SQLite keeps a real number without a fraction as an integer in some columns.
  private static func isSame(
    _ stored: StoredValue, _ expected: StoredValue, _ type: AttributeType
  ) -> Bool {
    if case .integer(let number) = stored, case .real(let real) = expected {
      return (type == .date || type == .decimal) && Double(number) == real
    }
    return stored == expected
  }
}

/// By UTF-16 units.
private func ordinally(_ left: String, _ right: String) -> Bool {
  left.utf16.lexicographicallyPrecedes(right.utf16)
}

/// Saves made of chance.
private enum Saves {
  /// A save, and what turns it into steps of the shadow once keys are known.
  static func random(
    _ shadow: ShadowStore, using generator: inout SeededGenerator
  ) -> (StoreSave, ((StoreObject) -> Int64) -> [ShadowStore.Step]) {
    let random = shadow.random
    var save = StoreSave(
      process: "tests", timestamp: StoreTimestamp(secondsSinceReferenceDate: 7e8))
    var available = shadow.objects.map { StoreObject(entityName: $0.entity, primaryKey: $0.key) }
    var inserts: [(StoreObject, [String: StoredValue])] = []
    var values: [(StoreObject, [String: StoredValue])] = []
    var relations: [(StoreObject, String, Bool, [StoreObject])] = []

    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      guard let entity = random.concreteNames.randomElement(using: &generator) else { break }
      let content = content(of: entity, random, using: &generator)
      let object = save.insert(entity, values: content)
      inserts.append((object, content))
      available.append(object)
    }
    let stored = available.filter { $0.primaryKey != nil }
    var touched: Set<StoreObject> = []
    for object in stored.shuffled(using: &generator).prefix(3)
    where Bool.random(using: &generator) {
      let content = content(of: object.entityName, random, using: &generator)
      save.update(object, values: content)
      values.append((object, content))
      touched.insert(object)
    }
    // One relationship of each object at most, so that the order of setting them does not matter
    // inside an object; objects follow as the save has them: inserted, then updated.
    for object in available where Bool.random(using: &generator) {
      let candidates = random.links.filter {
        random.isKind(object.entityName, of: $0.ownerEntity)
      }
      guard let link = candidates.randomElement(using: &generator) else { continue }
      let others = available.filter {
        random.isKind($0.entityName, of: link.destinationEntity)
          && (!link.isReflexive || $0 != object)
      }.shuffled(using: &generator)
      let count = Int.random(in: 0...(link.isToMany ? 3 : 1), using: &generator)
      let members = Array(others.prefix(count))
      if link.isToMany {
        save.update(object, toMany: [link.name: members])
      } else {
        save.update(object, toOne: [link.name: members.first])
      }
      relations.append((object, link.name, link.isToMany, members))
      touched.insert(object)
    }
    var deletions: [StoreObject] = []
    for object in available.shuffled(using: &generator).prefix(2)
    where Int.random(in: 0..<3, using: &generator) == 0 {
      save.delete(object)
      deletions.append(object)
    }
    let order = (inserts.map(\.0) + values.map(\.0) + relations.map(\.0))
    return (
      save,
      { key in
        func shadowed(_ object: StoreObject) -> ShadowStore.Object {
          ShadowStore.Object(entity: object.entityName, key: key(object))
        }
        // What is inserted and deleted was never there; what is deleted is not updated.
        let gone = Set(deletions)
        let vanished = Set(inserts.map(\.0)).intersection(gone)
        var steps: [ShadowStore.Step] = inserts.filter { !gone.contains($0.0) }
          .map { .insert(shadowed($0.0), $0.1) }
        steps += values.filter { !gone.contains($0.0) }.map { .values(shadowed($0.0), $0.1) }
        let sorted = relations.filter { !gone.contains($0.0) }.sorted {
          (order.firstIndex(of: $0.0) ?? 0) < (order.firstIndex(of: $1.0) ?? 0)
        }
        steps += sorted.map {
          .relate(shadowed($0.0), $0.1, $0.3.filter { !vanished.contains($0) }.map(shadowed))
        }
        return steps + deletions.filter { !vanished.contains($0) }.map { .delete(shadowed($0)) }
      }
    )
  }

  private static func content(
    of entity: String, _ random: RandomModel, using generator: inout SeededGenerator
  ) -> [String: StoredValue] {
    var content: [String: StoredValue] = [:]
    for (path, type) in random.paths(of: entity) where Int.random(in: 0..<3, using: &generator) > 0
    {
      content[path] = RandomModel.value(of: type, using: &generator)
    }
    return content
  }
}
