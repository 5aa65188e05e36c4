/// How a store comes from one version of its models to the next.
public protocol SchemaMigrationPlan {
  /// The versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
}
