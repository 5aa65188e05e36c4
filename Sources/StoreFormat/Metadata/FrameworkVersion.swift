/// The version of Core Data that last wrote a store, and the systems that it came with.
package struct FrameworkVersion: Hashable, Comparable, Sendable {
  /// `NSPersistenceFrameworkVersion`.
  package let number: Int64

  /// A version.
  package init(number: Int64) { self.number = number }

  /// The first version seen with each system, ascending.
  ///
  /// Read off stores whose system is known; a version in between belongs to an update of the
  /// system before it.
  private static let systems: [(first: Int64, name: String)] = [
    (519, "iOS 8"), (851, "macOS 10.13 / iOS 11"), (866, "macOS 10.14 / iOS 12"),
    (973, "macOS 10.15 / iOS 13"), (977, "macOS 10.15.4 / iOS 13.4"), (1044, "macOS 11 / iOS 14"),
    (1138, "macOS 12 / iOS 15"), (1239, "macOS 13 / iOS 16"), (1251, "macOS 13.5 / iOS 16.6"),
    (1321, "macOS 14 / iOS 17"), (1344, "macOS 14.4 / iOS 17.4"), (1347, "macOS 14.6 / iOS 17.6"),
    (1405, "macOS 15 / iOS 18"), (1447, "macOS 15.4 / iOS 18.4"), (1448, "macOS 15.7 / iOS 18.7"),
    (1509, "macOS 26 / iOS 26"), (1522, "macOS 26.1 / iOS 26.1"), (1621, "macOS 27 / iOS 27"),
  ]

  /// The systems that this version came with, as well as known; nil for one older than all known.
  package var system: String? {
    FrameworkVersion.systems.last { $0.first <= number }?.name
  }

  /// Whether the left one is older.
  package static func < (left: FrameworkVersion, right: FrameworkVersion) -> Bool {
    left.number < right.number
  }
}
