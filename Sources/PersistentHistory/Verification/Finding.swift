/// One problem that a verification has found.
public struct Finding<Kind: FindingKind>: Hashable, Sendable {
  /// What kind of problem.
  public let kind: Kind
  /// Where it is.
  public let place: FindingPlace
  /// What was found there.
  public let detail: String

  /// A finding.
  public init(_ kind: Kind, at place: FindingPlace, _ detail: String) {
    self.kind = kind
    self.place = place
    self.detail = detail
  }
}
