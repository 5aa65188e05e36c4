import HistoryCoding

/// The names and the limits of the format.
///
/// A reader trusts no length: whatever is larger than these is damage. A writer stays within them.
package enum ArchiveFormat {
  /// The version of the format.
  package static let schema: Int64 = 1
  /// The name of the catalog.
  package static let catalogName = "catalog.jsonl"

  /// How much text a frame is to have, in bytes; lines are not cut for it.
  package static let frameTarget = 256 << 10
  /// The most text that a frame has, in bytes; a longer line goes on in the next frame.
  package static let frameLimit = 1 << 20
  /// The maximum text of one change, or of what a line says before its changes, in bytes.
  package static let partLimit = TransactionLineReader.partLimit
  /// The most frames that a segment has.
  package static let mostFrames = 1 << 20

  /// The most slots that an entity has; SQLite allows its table 2,000 columns.
  static let mostProperties = 4096
  /// The most bytes that are read of a manifest.
  static let manifestLimit = 16 << 20
  /// The maximum number of values in a manifest, as ``/HistoryCoding/JSONReader`` counts them: those of
  /// the frames that fit into its bytes.
  static let manifestValueLimit = 5 << 19
  /// The most bytes that a catalog has: the lines of some three million segments.
  static let catalogLimit: Int64 = 1 << 30
  /// The most that a catalog's line has, in bytes.
  static let catalogLineLimit = 4096
}
