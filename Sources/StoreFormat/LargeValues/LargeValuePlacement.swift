/// Where a save puts values that an attribute allows to stand in files.
package enum LargeValuePlacement: Hashable, Sendable {
  /// Those of more than 128 KiB in files beside the store, as the frameworks do.
  case files
  /// All of them in the store itself; for a store that is gone with its program.
  case inline
}
