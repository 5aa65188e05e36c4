import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// One store through two of the frameworks' own migrations, and through those of this module.
@Suite(
  .bounded,
  .enabled(
    if: RealStores.path("photos-migrated-10.15.7.sqlite") != nil && RealStores.oracle != nil
      && Tool("python3") != nil))
struct PhotosMigrationTests {
  /// A change as an independent decoder reads it.
  private struct Change: Hashable {
    let transaction: Int
    let object: String
    let names: [String]?
    let tombstone: String
  }

  private struct History {
    var changes: [Int: Change] = [:]
    var emptyTransactions: Set<Int> = []
    var numbers: [Int] = []
  }

  private struct Step: CustomTestStringConvertible {
    let before: String
    let after: String
    /// The entities that are no longer there, and how many changes of them.
    let removed: [String: Int]
    /// The properties that are no longer there, by the change that named them.
    let forgotten: [Int: [String]]
    /// Makes Apple's model one that a migration can be inferred to; `nil` where it already is.
    var adapted: (@Sendable (ManagedModel) -> ManagedModel)?
    var testDescription: String { "\(before) to \(after)" }
  }

  private static let steps = [
    Step(
      before: "10.15.7", after: "13.0.1",
      removed: ["MomentList": 2, "UniformTypeIdentifier": 3],
      forgotten: [
        65: [
          "highlightBeingKeyAsset", "monthHighlightBeingFirstAsset", "monthHighlightBeingKeyAsset",
          "yearHighlightBeingKeyAsset",
        ]
      ], adapted: keepingHierarchies),
    Step(
      before: "13.0.1", after: "15.7.1", removed: [:], forgotten: [67: ["qualitySortValue"]]),
  ]

  /// Returns the model of 13.0.1 with two classes in the hierarchies that they had in 10.15.7.
  ///
  /// The frameworks' migration was told that `GenericAsset` became its subclass `Asset`, and that `MomentShare`
  /// inherits from the new class `Share`. What the assets are, and what leads to them, keeps its names.
  private static func keepingHierarchies(_ model: ManagedModel) -> ManagedModel {
    let entities = model.entities.values.flatMap { entity -> [ManagedEntity] in
      let properties = entity.properties.map { property -> ManagedProperty in
        // Its destination was the subclass before, too.
        guard entity.name != "ExtendedAttributes", let relationship = property.relationship,
          relationship.destinationName == "Asset"
        else { return property }
        return .relationship(relationship.leading(to: "GenericAsset"))
      }
      func named(
        _ name: String, inheritingFrom superentityName: String? = nil, _ own: [ManagedProperty]
      ) -> ManagedEntity {
        ManagedEntity(
          name: name, superentityName: superentityName, isAbstract: entity.isAbstract,
          properties: own, uniquenessConstraints: own.isEmpty ? [] : entity.uniquenessConstraints)
      }
      switch entity.name {
      case "Asset":
        return [
          named("GenericAsset", properties), named("Asset", inheritingFrom: "GenericAsset", []),
        ]
      case "MomentShare":
        // The participants lead back to the new class.
        let shared = model.entities["Share"]?.properties.filter { $0.name != "participants" } ?? []
        return [named("MomentShare", properties + shared)]
      default: return [named(entity.name, inheritingFrom: entity.superentityName, properties)]
      }
    }
    return ManagedModel(entities: entities, versionIdentifiers: model.versionIdentifiers)
  }

  private static func store(_ version: String, in folder: TemporaryFolder) throws -> String {
    try folder.copy(store: #require(RealStores.path("photos-migrated-\(version).sqlite")))
  }

  private func history(_ path: String) async throws -> History {
    let oracle = try #require(RealStores.oracle)
    let result = try await #require(Tool("python3")).run([oracle, path])
    try #require(result.status == 0, "\(result.errors)")
    var history = History()
    for line in result.lines {
      let transaction = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let number = try #require(transaction["transaction"] as? Int)
      let changes = transaction["changes"] as? [[String: Any]] ?? []
      history.numbers.append(number)
      if changes.isEmpty { history.emptyTransactions.insert(number) }
      for change in changes {
        let tombstone = (change["tombstone"] as? [String: Any] ?? [:]).map { "\($0)=\($1)" }
        history.changes[try #require(change["change"] as? Int)] = Change(
          transaction: number,
          object: "\(change["kind"] ?? "") \(change["entity"] ?? "")/\(change["pk"] ?? "")",
          names: (change["attributes"] as? [String])?.sorted(),
          tombstone: tombstone.sorted().joined(separator: ", "))
      }
    }
    return history
  }

  @Test(arguments: steps.indices)
  func `a migrated history is the one that the frameworks make of it`(_ index: Int) async throws {
    let step = Self.steps[index]
    let folder = try TemporaryFolder()
    let path = try Self.store(step.before, in: folder)
    let other = try Self.store(step.after, in: folder)
    let before = try await history(path)
    let theirs = try await history(other)

    let wanted = try #require(try StoreFile(path: other).read { try $0.modelCache() }.model)
    let query = try StoreQuery(path: path)
    for name in try query.lines("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
      try query.run("DROP TRIGGER \"\(name)\"")
    }
    // What the frameworks did with the objects themselves is not inferable.
    for name in try query.lines(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'
        AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE') AND sql NOT LIKE 'CREATE VIRTUAL%'
      """)
    {
      try query.run("DELETE FROM \"\(name)\"")
    }
    let highest = try query.lines("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT >= 16000")
    if step.adapted != nil {
      // A class has left its hierarchy, which gives it another table.
      let migration = try StoreMigration(path: path)
      let error = #expect(throws: StoreWriteError.self) { try migration.migrate(to: wanted) }
      #expect(error?.message.contains("another table") == true, "\(String(describing: error))")
      migration.close()
    }
    let migration = try StoreMigration(path: path)
    try migration.migrate(to: step.adapted?(wanted) ?? wanted)
    try migration.commit()
    migration.close()
    let ours = try await history(path)
    #expect(Array(ours.numbers.dropLast()) == before.numbers)
    #expect(Array(theirs.numbers.prefix(before.numbers.count)) == before.numbers)
    var forgotten: [Int: [String]] = [:]
    for (number, change) in before.changes {
      #expect(ours.changes[number] == theirs.changes[number], "change \(number): \(change)")
      guard let kept = theirs.changes[number] else { continue }
      let names = Set(change.names ?? []).subtracting(kept.names ?? [])
      if !names.isEmpty { forgotten[number] = names.sorted() }
      #expect(Set(kept.names ?? []).isSubset(of: change.names ?? []))
    }
    #expect(forgotten == step.forgotten)
    let removed = before.changes.filter { theirs.changes[$0.key] == nil }.map { change in
      change.value.object.split { " /".contains($0) }.map(String.init)[1]
    }
    #expect(Dictionary(grouping: removed) { $0 }.mapValues(\.count) == step.removed)
    #expect(
      ours.emptyTransactions.intersection(before.numbers)
        == theirs.emptyTransactions.intersection(before.numbers))
    #expect(theirs.emptyTransactions.isSuperset(of: [4, 5, 6]))
    #expect(
      try query.lines(
        "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'CHANGE'")
        == highest.filter { $0.hasPrefix("CHANGE|") })
  }
}

extension ManagedRelationship {
  fileprivate func leading(to destinationName: String) -> ManagedRelationship {
    ManagedRelationship(
      name: name, destinationName: destinationName, inverseName: inverseName, isToMany: isToMany,
      isOrdered: isOrdered, isTransient: isTransient, isOptional: isOptional,
      deleteRule: deleteRule,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier)
  }
}
