import PersistentHistory

/// What can be wrong with an archive, or between it and its store.
package enum ArchiveFindingKind: String, FindingKind {
  // The catalog.
  case damagedCatalog
  case tornCatalog
  case otherAnchor
  // Manifests and segments.
  case missingManifest
  case damagedManifest
  case missingSegment
  case damagedSegment
  case damagedFrame
  case damagedLine
  case contradictedManifest
  case unreadableFile
  // What there is altogether.
  case archiveGap
  case unlistedSegment
  case strayFile
  case abandonedDraft
  case widePermissions
  // The archive and its store.
  case alteredTransaction
  case divergedStore
  case partialTransaction
  case storeGap

  /// How bad it is.
  package var severity: FindingSeverity {
    switch self {
    case .damagedCatalog, .otherAnchor, .missingManifest, .damagedManifest, .missingSegment,
      .damagedSegment, .damagedFrame, .damagedLine, .contradictedManifest, .unreadableFile,
      .alteredTransaction:
      .damage
    case .tornCatalog, .archiveGap, .unlistedSegment, .strayFile, .abandonedDraft,
      .widePermissions, .divergedStore, .partialTransaction, .storeGap:
      .other
    }
  }

  /// What it means.
  package var meaning: String {
    switch self {
    case .damagedCatalog:
      "a line of the catalog is not the one that was written, or does not follow the line before it"
    case .tornCatalog:
      "the catalog ends in the middle of a line: sealing was interrupted, or the file was cut short"
    case .otherAnchor:
      "the chain of the catalog does not lead through the anchor: segments were taken away or exchanged"
    case .missingManifest, .missingSegment:
      "a file that the catalog names is not there"
    case .damagedManifest:
      "a manifest is not the one that the catalog names"
    case .damagedSegment:
      "a segment is not, byte for byte, the one that was sealed"
    case .damagedFrame:
      "a part of a segment cannot be unpacked, or holds something else than its manifest says"
    case .damagedLine:
      "a line of a segment is not one that is written of a transaction"
    case .contradictedManifest:
      "a manifest says something of its segment that is not so"
    case .unreadableFile:
      "a file or folder cannot be read, so nothing is known of what is in it"
    case .archiveGap:
      "transactions are missing between two segments; tokens in between do not work"
    case .unlistedSegment:
      "a segment or a manifest stands in a store's folder and not in the catalog: sealing was "
        + "interrupted, or the catalog was cut short"
    case .strayFile:
      "a file does not belong into an archive"
    case .abandonedDraft:
      "a program was stopped before it had finished this file"
    case .widePermissions:
      "more people may read or change a file of the archive than may do so with the store"
    case .alteredTransaction:
      "the store and the archive both have a transaction of this number and time, and it is not the "
        + "same"
    case .divergedStore:
      "under the same number the archive has a transaction of another time: the store is another copy "
        + "than the one that was sealed"
    case .partialTransaction:
      "the oldest transaction of the store has only a part of its changes left: pruning was stopped in "
        + "the middle of it"
    case .storeGap:
      "between the last transaction of the archive and the first of the store some are in neither: they "
        + "were pruned before they were sealed"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .damagedCatalog, .otherAnchor:
      "bring the whole archive back from a copy"
    case .tornCatalog:
      "the next sealing removes the part of a line; verifying with an anchor tells whether more is "
        + "missing"
    case .missingManifest, .missingSegment, .damagedManifest, .damagedSegment, .damagedFrame,
      .damagedLine, .contradictedManifest:
      "bring the file back from a copy of the archive; the other segments are not affected"
    case .unreadableFile:
      "make it readable, or verify as its owner"
    case .archiveGap:
      "nothing brings them back, unless a backup of the store or of the archive has them"
    case .unlistedSegment:
      "the next sealing of the store enters it; where that was the end of the catalog, bring the "
        + "catalog back from a copy"
    case .strayFile:
      "move it elsewhere"
    case .abandonedDraft:
      "the next sealing of the store removes it"
    case .widePermissions:
      "take the permissions away with chmod"
    case .alteredTransaction:
      "find out which of the two was changed: the archive has digests of what was sealed, the store has "
        + "none"
    case .divergedStore:
      "seal this copy in an archive of its own"
    case .partialTransaction:
      "prune once more up to the same place, or restore the changes"
    case .storeGap:
      "seal before pruning, or both at once"
    }
  }
}
