import GRDB

/// The numbers that stand for entities in this file, from `Z_PRIMARYKEY`.
///
/// A number means something in one file only, and a migration deals new ones: names are what can
/// be kept.
package struct EntityNumbering: Hashable, Sendable {
  /// One row: an entity and the highest primary key that was ever handed out to it.
  package struct Entry: Hashable, Sendable {
    /// `Z_ENT`, the number in `ZENTITY` and in every row of the entity's table.
    package let number: Int64
    /// The entity's name.
    package let name: String
    /// The number of the super-entity, 0 for none.
    package let superNumber: Int64
    /// The highest primary key handed out; counted at the root of a hierarchy only.
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

  /// Every row, by number.
  package let entries: [Entry]
  private let numbersByName: [String: Int64]

  /// More entities than any model has; a table that is longer is not a list of entities.
  private static let mostEntities = 65_536

  /// An empty numbering, of a store that has none.
  package init(entries: [Entry] = []) {
    self.entries = entries.sorted { $0.number < $1.number }
    var numbers: [String: Int64] = [:]
    var ambiguous: Set<String> = []
    for entry in entries where numbers.updateValue(entry.number, forKey: entry.name) != nil {
      ambiguous.insert(entry.name)
    }
    // A name that two numbers carry names neither: what is written by name must lead back.
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
      guard entries.count < Self.mostEntities else {
        throw StoreError.damaged(
          path: path, place: "Z_PRIMARYKEY",
          detail: "it lists more than \(Self.mostEntities) entities")
      }
      guard case .text(let name) = cursor.value(at: 1), name.utf8.count <= 1024 else { continue }
      entries.append(
        Entry(
          number: cursor.integer(at: 0), name: name, superNumber: cursor.integer(at: 2),
          highestPrimaryKey: cursor.integer(at: 3)))
    }
    self.init(entries: entries)
  }

  /// The name of an entity number; nil where the store names no such entity, or not only one.
  package func name(of number: Int64) -> String? {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let entry = entries[middle]
      if entry.number == number {
        return numbersByName[entry.name] == number ? entry.name : nil
      }
      range =
        entry.number < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The number of an entity name.
  package func number(of name: String) -> Int64? { numbersByName[name] }

  /// The entity at the root of the hierarchy of another, which is the one that gives out primary keys;
  /// nil for a number that the store does not list, or whose hierarchy does not end.
  package func root(of number: Int64) -> Int64? {
    guard let lineage = lineage(of: number) else { return nil }
    return lineage.last?.number
  }

  /// The highest primary key handed out to the objects of an entity's hierarchy; nil for a number that
  /// the store does not list.
  package func highestPrimaryKey(of number: Int64) -> Int64? {
    lineage(of: number)?.last?.highestPrimaryKey
  }

  /// The entities that an object can be of that is named by one of them: the entity itself, those that
  /// it inherits from and those that inherit from it.
  package func relatives(of number: Int64) -> [Int64] {
    guard let lineage = lineage(of: number) else { return [number] }
    return lineage.map(\.number) + heirs(of: number).dropFirst()
  }

  /// Returns an entity and all that inherit from it, directly or not; the entity itself first.
  package func heirs(of number: Int64) -> [Int64] {
    let heirs = entries.filter { entry in
      entry.number != number && lineage(of: entry.number)?.contains { $0.number == number } ?? false
    }
    return [number] + heirs.map(\.number)
  }

  /// An entity and what it inherits from, the root last; nil where that does not end.
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

  /// The row of a number; they stand in order.
  private func entry(_ number: Int64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].number == number ? entries[low] : nil
  }

  /// The highest primary key handed out for a history table; 0 where the store never recorded any.
  package func highestNumber(of entity: HistoryEntity) -> Int64 {
    entries.first { $0.number == entity.rawValue }?.highestPrimaryKey ?? 0
  }

  /// The app's own entities, without those of the history and of mirroring.
  package var modelEntries: [Entry] { entries.filter { $0.number < HistoryEntity.change.rawValue } }
}
