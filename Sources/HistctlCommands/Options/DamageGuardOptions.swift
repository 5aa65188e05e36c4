import ArgumentParser
import PersistentHistory

/// The way past the guard against damage, for commands that ask no other.
struct DamageGuardOptions: CheckedOptions {
  @Option(
    help: ArgumentHelp(
      "Ignore this guard: damage, which stops the command where the store shows any.",
      valueName: "name"))
  var ignoreGuard: [String] = []

  /// The names of guards that are not asked.
  var ignoredGuards: Set<String> { Set(ignoreGuard) }

  /// Whether damage stops nothing.
  var ignoresDamage: Bool { ignoreGuard.contains(RetentionGuard.damageName) }

  func check() throws {
    for name in ignoreGuard {
      guard name == RetentionGuard.damageName else {
        throw ValidationError("no guard here is named '\(name)'; the guard is damage")
      }
    }
  }
}
