/// A closed set of what a verification can find.
///
/// The raw value is the name of a kind for scripts.
package protocol FindingKind: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// How bad it is.
  var severity: FindingSeverity { get }
  /// What it means, in one sentence.
  var meaning: String { get }
  /// What to do about it.
  var remedy: String { get }
}
