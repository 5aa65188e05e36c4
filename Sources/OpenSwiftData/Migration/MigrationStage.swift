/// A step of a migration plan from one version of the models to another.
public enum MigrationStage: @unchecked Sendable {
  /// A step that the two versions themselves tell everything about.
  case lightweight(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// A step with work of the app's before and after it.
  ///
  /// `willMigrate` gets a context whose models are those of the old version, `didMigrate` one whose
  /// models are those of the new version; what they save becomes a part of the migration. What they
  /// change and do not save is lost, and where they throw, the whole migration never was.
  case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)

  var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let version, _), .custom(let version, _, _, _): version
    }
  }

  var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let version), .custom(_, let version, _, _): version
    }
  }

  var willMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, let work, _) = self { work } else { nil }
  }

  var didMigrate: ((ModelContext) throws -> Void)? {
    if case .custom(_, _, _, let work) = self { work } else { nil }
  }
}
