/// How bad a finding is.
package enum FindingSeverity: String, Hashable, Sendable {
  /// Something was lost or altered: the file contradicts itself.
  case damage
  /// Nothing is lost, but somebody should know.
  case other
}
