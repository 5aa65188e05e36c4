/// One problem that a verification has found.
package struct Finding<Kind: FindingKind>: Hashable, Sendable {
  /// What kind of problem.
  package let kind: Kind
  /// Where it is.
  package let place: FindingPlace
  /// What was found there.
  package let detail: String

  /// A finding.
  package init(_ kind: Kind, at place: FindingPlace, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }
}
