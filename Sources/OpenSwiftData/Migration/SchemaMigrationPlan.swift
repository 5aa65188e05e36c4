/// How a store comes from one version of its models to the next.
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
  /// The versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps from each version to a later one.
  static var stages: [MigrationStage] { get }
}
