/// What a verification of an archive has looked at.
package struct ArchiveFacts: Hashable, Sendable {
  /// How many lines the catalog has.
  package internal(set) var catalogLineCount = 0
  /// How many stores there are.
  package internal(set) var storeCount = 0
  /// How many segments there are.
  package internal(set) var segmentCount = 0
  /// How many segments were read in full.
  package internal(set) var readSegmentCount = 0
  /// How many transactions were read.
  package internal(set) var transactionCount: Int64 = 0
  /// How many changes were read.
  package internal(set) var changeCount: Int64 = 0
  /// How many bytes of files were read.
  package internal(set) var byteCount: Int64 = 0
  /// How many bytes of text were unpacked.
  package internal(set) var textByteCount: Int64 = 0
  /// How many segments overlap those before them, as a crash may leave them; nothing is lost by that.
  package internal(set) var overlapCount = 0
  /// How many transactions were compared with those of a store; nil where none was given.
  package internal(set) var comparedCount: Int64?
  /// The head of the catalog's chain, to be kept elsewhere; nil where the catalog is damaged.
  package internal(set) var head: ArchiveAnchor?
}
