import GRDB

/// The numbers of entities in this file, from `Z_PRIMARYKEY`.
///
/// A number is valid only in one file, and a migration assigns new ones; names last.
package struct EntityNumbering: Hashable, Sendable {
  /// One row: an entity and the highest primary key that was ever issued to it.
  package struct Entry: Hashable, Sendable {
    /// `Z_ENT`, the number in `ZENTITY` and in every row of the entity's table.
    package let number: Int64
    package let name: String
    /// The number of the super-entity, 0 for none.
    package let superNumber: Int64
    /// The highest primary key issued; counted at the root of a hierarchy only.
    package let highestPrimaryKey: Int64
  }

  /// The numbers of the history's own tables, which are entities as well.
  package enum HistoryEntity: Int64, Sendable {
    /// `ACHANGE`.
    case change = 16001
    /// `ATRANSACTION`.
    case transaction = 16002
    /// `ATRANSACTIONSTRING`.
    case string = 16003
  }

  package let entries: [Entry]
  private let numbersByName: [String: Int64]

  /// More entities than any model has.
  private static let maxEntities = 65_536

  /// An empty numbering, of a store that has none.
  package init(entries: [Entry] = []) {
    self.entries = entries.sorted { $0.number < $1.number }
    var numbers: [String: Int64] = [:]
    var ambiguous: Set<String> = []
    for entry in entries where numbers.updateValue(entry.number, forKey: entry.name) != nil {
      ambiguous.insert(entry.name)
    }
    // A name with two numbers is ambiguous: rows that are written by name must be found again.
    numbersByName = numbers.filter { !ambiguous.contains($0.key) }
  }

  /// Reads `Z_PRIMARYKEY`.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` when it has more rows than a model can have.
  init(database: Database, layout: StoreLayout, path: String) throws {
    guard layout.tableNames.contains("Z_PRIMARYKEY") else {
      self.init()
      return
    }
    var entries: [Entry] = []
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    while try cursor.step() {
      guard entries.count < Self.maxEntities else {
        throw StoreError.damaged(
          path: path, place: "Z_PRIMARYKEY",
          detail: "it lists more than \(Self.maxEntities) entities")
      }
      guard case .text(let name) = cursor.value(at: 1), name.utf8.count <= 1024 else { continue }
      entries.append(
        Entry(
          number: cursor.integer(at: 0), name: name, superNumber: cursor.integer(at: 2),
          highestPrimaryKey: cursor.integer(at: 3)))
    }
    self.init(entries: entries)
  }

  /// Whether an object of the app was ever saved, by the primary keys that were issued.
  package var hasSavedObjects: Bool {
    entries.contains { $0.number < 16_000 && $0.highestPrimaryKey > 0 }
  }

  /// Returns the name of an entity number, or `nil` if the store has none or the name is ambiguous.
  package func name(of number: Int64) -> String? {
    entry(number).flatMap { numbersByName[$0.name] == number ? $0.name : nil }
  }

  package func number(of name: String) -> Int64? { numbersByName[name] }

  /// Returns the root of an entity's hierarchy, which issues its primary keys, or `nil` for a number that
  /// the store does not list, or whose hierarchy does not end.
  package func root(of number: Int64) -> Int64? {
    lineage(of: number)?.last?.number
  }

  /// Returns the highest primary key issued in an entity's hierarchy, or `nil` for a number that the store
  /// does not list.
  package func highestPrimaryKey(of number: Int64) -> Int64? {
    lineage(of: number)?.last?.highestPrimaryKey
  }

  /// Returns an entity, those that it inherits from and those that inherit from it: the entities that an
  /// object named by this one may be of.
  package func relatives(of number: Int64) -> [Int64] {
    guard let lineage = lineage(of: number) else { return [number] }
    return lineage.map(\.number) + entityAndDescendants(of: number).dropFirst()
  }

  /// Returns an entity and all that inherit from it, directly or not; the entity itself first.
  package func entityAndDescendants(of number: Int64) -> [Int64] {
    let descendants = entries.filter { entry in
      entry.number != number && lineage(of: entry.number)?.contains { $0.number == number } ?? false
    }
    return [number] + descendants.map(\.number)
  }

  /// Returns an entity and those that it inherits from, the root last, or `nil` where that does not end.
  private func lineage(of number: Int64) -> [Entry]? {
    var lineage: [Entry] = []
    var next = number
    repeat {
      guard lineage.count < ManagedModel.deepestInheritance, let entry = entry(next) else {
        return nil
      }
      lineage.append(entry)
      next = entry.superNumber
    } while next != 0
    return lineage
  }

  /// Returns the row of a number; the rows are sorted.
  private func entry(_ number: Int64) -> Entry? {
    let place = entries.partitioningIndex { $0.number >= number }
    return place < entries.count && entries[place].number == number ? entries[place] : nil
  }

  /// Returns the highest number issued for a history table, or 0 if the store never recorded any.
  package func highestNumber(of entity: HistoryEntity) -> Int64 {
    entries.first { $0.number == entity.rawValue }?.highestPrimaryKey ?? 0
  }

  /// Returns the numbers of the app's entities by other names.
  package func renamed(_ newName: (String) -> String) -> EntityNumbering {
    EntityNumbering(
      entries: modelEntries.map { entry in
        Entry(
          number: entry.number, name: newName(entry.name), superNumber: entry.superNumber,
          highestPrimaryKey: entry.highestPrimaryKey)
      })
  }

  /// The app's entities, without those of history and mirroring.
  package var modelEntries: [Entry] { entries.filter { $0.number < HistoryEntity.change.rawValue } }
}

extension EntityNumbering {
  /// The numbers that the frameworks give the entities of a model in a new store.
  ///
  /// They count from 1, depth first through each hierarchy, siblings by name without regard to case.
  package init(numbering model: ManagedModel) {
    let children = Dictionary(
      grouping: model.entities.values, by: { $0.superentityName ?? "" }
    ).mapValues { siblings in
      siblings.map(\.name).sorted(by: Self.precedes)
    }
    var entries: [Entry] = []
    // A worklist instead of recursion: the depth of a hierarchy is not trusted.
    var rest: [(name: String, superNumber: Int64)] = (children[""] ?? []).reversed()
      .map { ($0, 0) }
    while let next = rest.popLast(), entries.count < model.entities.count {
      let number = Int64(entries.count + 1)
      entries.append(
        Entry(
          number: number, name: next.name, superNumber: next.superNumber, highestPrimaryKey: 0))
      rest += (children[next.name] ?? []).reversed().map { ($0, number) }
    }
    self.init(entries: entries)
  }

  /// The order of entities: by name without regard to case.
  package static func precedes(_ left: String, _ right: String) -> Bool {
    let (lowerLeft, lowerRight) = (left.lowercased(), right.lowercased())
    return lowerLeft == lowerRight ? ordinally(left, right) : ordinally(lowerLeft, lowerRight)
  }
}
