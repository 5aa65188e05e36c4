/// Changes do not lie in the file in the order of their transactions, so they cannot be read as they
/// lie.
///
/// Whoever reads them so forgets what was read and looks the changes up in order.
package struct RowsOutOfOrder: Error {
  /// The error.
  package init() {}
}
