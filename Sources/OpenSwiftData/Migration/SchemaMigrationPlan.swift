/// The versions of an app's models, and the stages between them.
///
/// ```swift
/// enum TripsPlan: SchemaMigrationPlan {
///   static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
///   static var stages: [MigrationStage] {
///     [.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
///   }
/// }
///
/// let container = try ModelContainer(for: Trip.self, migrationPlan: TripsPlan.self)
/// ```
public protocol SchemaMigrationPlan {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages, each from a version to a later one.
  static var stages: [MigrationStage] { get }
}

/// A stage of a migration plan between two versions.
public enum MigrationStage: @unchecked Sendable {
  /// A stage inferred from the two versions.
  case lightweight(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A stage with work of the app before and after it.
  ///
  /// `willMigrate` receives a context with the models of the old version, `didMigrate` one with
  /// those of the new. Their saves become part of the migration, and unsaved changes are lost. If
  /// one throws, the whole migration is undone.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)

  typealias Version = any VersionedSchema.Type
  typealias Work = (ModelContext) throws -> Void

  var parts: (from: Version, to: Version, willMigrate: Work?, didMigrate: Work?) {
    switch self {
    case .lightweight(let from, let to): (from, to, nil, nil)
    case .custom(let from, let to, let willMigrate, let didMigrate):
      (from, to, willMigrate, didMigrate)
    }
  }
}
