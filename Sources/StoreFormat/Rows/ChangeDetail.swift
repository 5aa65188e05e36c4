/// How much a cursor reads of each change.
package enum ChangeDetail: Sendable {
  /// All that the row holds.
  case everything
  /// What happened, and to which entity: enough to count changes, at a third of the cost.
  case kinds
  /// What ``kinds`` reads, and about how many bytes the row takes.
  case sizes
}
