import StoreFormat

/// The stages of a plan from a store's version to a container's.
struct MigrationPath {
  /// A version, restricted to the models of one store.
  private struct Version {
    let type: any VersionedSchema.Type
    let schema: Schema
    let model: ManagedModel

    var name: String { "\(type) (\(type.versionIdentifier))" }
  }

  private let path: String
  private let plan: any SchemaMigrationPlan.Type
  private let present: ManagedModel
  private let wanted: ManagedModel
  private let versions: [Version]

  init(
    plan: any SchemaMigrationPlan.Type, path: String, schema: Schema, present: ManagedModel,
    wanted: ManagedModel
  ) throws {
    self.path = path
    self.plan = plan
    self.present = present
    self.wanted = wanted
    // With several stores in a container, each has its part of every version.
    let isWhole = plan.schemas.contains { type in
      Set(Schema(versionedSchema: type).layouts.keys) == Set(schema.layouts.keys)
    }
    let names = Set(wanted.entities.keys).union(present.entities.keys)
    versions = try plan.schemas.map { type in
      let models =
        isWhole
        ? type.models
        : type.models.filter { model in
          names.contains(EntityLayout.of(model).name)
        }
      let schema = Schema(models, version: type.versionIdentifier)
      return Version(type: type, schema: schema, model: try schema.managedModel())
    }
  }

  /// Throws an error unless the models of a store identify its version in a plan.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` for two versions with equal models.
  static func check(_ plan: any SchemaMigrationPlan.Type) throws {
    var known: [(type: any VersionedSchema.Type, model: ManagedModel)] = []
    for type in plan.schemas {
      let model = try Schema(versionedSchema: type).managedModel()
      if let other = known.first(where: {
        ModelDifference.first(store: $0.model, schema: model) == nil
      }) {
        throw SwiftDataError(
          .unknownSchema,
          "\(other.type) and \(type) of \(plan) have equal models, so that no store tells which of "
            + "the two it is of; give an attribute of one a hashModifier")
      }
      known.append((type, model))
    }
  }

  /// Returns the steps in order.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` if the plan lacks a version or a stage;
  ///   ``SwiftDataError/backwardMigration`` if the store has the newer version.
  func steps() throws -> [StoreUpgrade.Step] {
    let (start, end) = (try current(), try target())
    guard start <= end else {
      throw SwiftDataError(
        .backwardMigration,
        "\(path) is of the version \(versions[start].name), which is newer than the container's, "
          + "\(versions[end].name); open it with the newer models")
    }
    return try stages(from: start, to: end).map { stage, from, to in
      StoreUpgrade.Step(
        before: versions[from].schema, after: versions[to].schema,
        willMigrate: stage.parts.willMigrate, didMigrate: stage.parts.didMigrate)
    }
  }

  private func current() throws -> Int {
    let found = versions.indices.last {
      ModelDifference.first(store: present, schema: versions[$0].model) == nil
    }
    if let found { return found }
    throw SwiftDataError(
      .unknownSchema,
      "\(path) is of no version of \(plan), which has "
        + "\(versions.map(\.name).joined(separator: ", "))\(nearest); add the version that the "
        + "store was made with to the plan")
  }

  /// The difference between the store and the newest version with all its entities.
  private var nearest: String {
    let alike = versions.last { Set($0.model.entities.keys) == Set(present.entities.keys) }
    guard let alike,
      let difference = ModelDifference.first(store: present, schema: alike.model)
    else { return "" }
    return "; compared with \(alike.name), \(difference)"
  }

  private func target() throws -> Int {
    let found = versions.indices.last {
      ModelDifference.first(store: versions[$0].model, schema: wanted) == nil
    }
    guard let found else {
      throw SwiftDataError(
        .unknownSchema,
        "the container's models are of no version of \(plan); add a version with them to the plan")
    }
    return found
  }

  private func stages(
    from start: Int, to end: Int
  ) throws -> [(stage: MigrationStage, from: Int, to: Int)] {
    let places = Dictionary(
      keepingFirst: versions.enumerated().map { (ObjectIdentifier($1.type), $0) })
    let edges = try plan.stages.map { stage in
      let parts = stage.parts
      guard let from = places[ObjectIdentifier(parts.from)],
        let to = places[ObjectIdentifier(parts.to)]
      else {
        throw SwiftDataError(
          .unknownSchema,
          "\(plan) has a stage from \(parts.from) to \(parts.to), of which one is "
            + "not among its schemas; add it there")
      }
      return (stage: stage, from: from, to: to)
    }
    var ways: [Int: [(stage: MigrationStage, from: Int, to: Int)]] = [start: []]
    var rest = [start]
    while ways[end] == nil, !rest.isEmpty {
      let place = rest.removeFirst()
      for edge in edges where edge.from == place && ways[edge.to] == nil {
        ways[edge.to] = (ways[place] ?? []) + [edge]
        rest.append(edge.to)
      }
    }
    guard let way = ways[end] else {
      throw SwiftDataError(
        .unknownSchema,
        "\(plan) has no stages that lead from \(versions[start].name) to \(versions[end].name); "
          + "add .lightweight(fromVersion:toVersion:) or .custom for each step")
    }
    return way
  }
}
