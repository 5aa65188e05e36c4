/// What a verification of an archive has looked at.
public struct ArchiveFacts: Hashable, Sendable {
  /// How many lines the catalog has.
  public internal(set) var catalogLineCount = 0
  /// How many stores there are.
  public internal(set) var storeCount = 0
  /// How many segments there are.
  public internal(set) var segmentCount = 0
  /// How many segments were read in full.
  public internal(set) var readSegmentCount = 0
  /// How many transactions were read.
  public internal(set) var transactionCount: Int64 = 0
  /// How many changes were read.
  public internal(set) var changeCount: Int64 = 0
  /// How many bytes of files were read.
  public internal(set) var byteCount: Int64 = 0
  /// How many bytes of text were unpacked.
  public internal(set) var textByteCount: Int64 = 0
  /// How many segments overlap those before them, as a crash may leave them; nothing is lost by that.
  public internal(set) var overlapCount = 0
  /// How many transactions were compared with those of a store; nil where none was given.
  public internal(set) var comparedCount: Int64?
  /// The head of the catalog's chain, to be kept elsewhere; nil where the catalog is damaged.
  public internal(set) var head: ArchiveAnchor?
}
