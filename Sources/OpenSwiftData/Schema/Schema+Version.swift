extension Schema {
  /// A version of a schema.
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// A version.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The order of versions.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The numbers with dots between them.
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}

/// A version of an app's models.
public protocol VersionedSchema {
  /// The models.
  static var models: [any PersistentModel.Type] { get }
  /// The version.
  static var versionIdentifier: Schema.Version { get }
}
