import Foundation

extension ModelConfiguration {
  /// Whose folder a store at the usual place is in.
  public struct GroupContainer: Hashable, Sendable {
    /// The group; nil for the usual place.
    let identifier: String?

    /// The usual place: there are no entitlements here that could name a group.
    public static let automatic = GroupContainer(identifier: nil)
    /// The usual place.
    public static let none = GroupContainer(identifier: nil)

    /// A folder of the group's name at the usual place, so that all programs of a user that name the
    /// group find the store.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(identifier: groupName)
    }

    func folder(in parent: URL) -> URL {
      guard let identifier else { return parent }
      // A name leads to no other folder.
      let name = [".", ".."].contains(identifier) ? "-" : identifier.replacing("/", with: "-")
      return parent.appendingPathComponent(name, isDirectory: true)
    }
  }

  /// Where Apple's frameworks mirror a store.
  ///
  /// There is no CloudKit outside Apple's systems: what is set here is remembered, so that an app's
  /// code stays as it is, and nothing is mirrored.
  public struct CloudKitDatabase: Hashable, Sendable {
    /// The container; nil for none.
    let identifier: String?

    /// No mirroring: there are no entitlements here that could name a container.
    public static let automatic = CloudKitDatabase(identifier: nil)
    /// No mirroring.
    public static let none = CloudKitDatabase(identifier: nil)

    /// Remembers the container, and mirrors nothing.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(identifier: privateDBName)
    }
  }

  /// The group whose folder the store is in; nil for none.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }
  /// The container that Apple's frameworks would mirror the store to; nil for none.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }
}
