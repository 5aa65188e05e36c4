import PersistentHistory

/// A kind of damage to an archive, or of a difference between it and its store.
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
  case damagedRow
  case contradictedManifest
  case unreadableFile
  // The archive as a whole.
  case archiveGap
  case unlistedSegment
  case leftoverSegment
  case strayFile
  case abandonedDraft
  case widePermissions
  // The archive and its store.
  case alteredTransaction
  case divergedStore
  case partialTransaction
  case storeGap

  /// Its severity.
  package var severity: FindingSeverity {
    switch self {
    case .damagedCatalog, .otherAnchor, .missingManifest, .damagedManifest, .missingSegment,
      .damagedSegment, .damagedFrame, .damagedLine, .damagedRow, .contradictedManifest,
      .unreadableFile, .alteredTransaction:
      .damage
    case .tornCatalog, .archiveGap, .unlistedSegment, .leftoverSegment, .strayFile,
      .abandonedDraft, .widePermissions, .divergedStore, .partialTransaction, .storeGap:
      .other
    }
  }

  /// Its meaning.
  package var meaning: String {
    switch self {
    case .damagedCatalog:
      "a line of the catalog was changed, or does not follow the line before it"
    case .tornCatalog:
      "the catalog ends in the middle of a line: sealing was interrupted, or the file was cut short"
    case .otherAnchor:
      "the catalog's chain does not contain the anchor: segments were removed or exchanged"
    case .missingManifest, .missingSegment:
      "a file that the catalog names is missing"
    case .damagedManifest:
      "a manifest is not the one that the catalog names"
    case .damagedSegment:
      "a segment differs from the one that was sealed"
    case .damagedFrame:
      "a frame of a segment cannot be unpacked, or differs from its manifest"
    case .damagedLine:
      "a line of a segment is not what a transaction is encoded as"
    case .damagedRow:
      "a transaction or change is one that no framework writes; restoring it would damage the store"
    case .contradictedManifest:
      "a manifest contradicts its segment, its neighbors or itself"
    case .unreadableFile:
      "a file or folder cannot be read, or is a symbolic link, so its content is unknown"
    case .archiveGap:
      "transactions are missing between two segments; tokens in between do not work"
    case .unlistedSegment:
      "a segment or manifest is not in the catalog: sealing was interrupted, or the catalog was cut short"
    case .leftoverSegment:
      "a segment or manifest was merged or forgotten and is still there: the run was interrupted"
    case .strayFile:
      "a file does not belong in an archive"
    case .abandonedDraft:
      "a program was stopped before it finished this file"
    case .widePermissions:
      "a file of the archive is more widely readable or writable than the store"
    case .alteredTransaction:
      "the store and the archive have different transactions of this number and time"
    case .divergedStore:
      "the archive has another time for this transaction: the store is another copy than the sealed one"
    case .partialTransaction:
      "the oldest transaction of the store lacks some of its changes: pruning was interrupted"
    case .storeGap:
      "transactions between the archive and the store are in neither: they were pruned before sealing"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .damagedCatalog, .otherAnchor:
      "restore the whole archive from a copy"
    case .tornCatalog:
      "the next sealing removes the partial line; verify with an anchor to see whether more is missing"
    case .missingManifest, .missingSegment, .damagedManifest, .damagedSegment, .damagedFrame,
      .damagedLine, .damagedRow, .contradictedManifest:
      "restore the file from a copy of the archive; the other segments are not affected"
    case .unreadableFile:
      "make it readable, or verify as its owner"
    case .archiveGap:
      "look for them in a backup of the store or of the archive"
    case .unlistedSegment:
      "the next sealing of the store adds it; if the catalog was cut short, restore it from a copy"
    case .leftoverSegment:
      "the next sealing of the store removes it"
    case .strayFile:
      "move it elsewhere"
    case .abandonedDraft:
      "the next sealing of the store removes it"
    case .widePermissions:
      "restrict the permissions with chmod"
    case .alteredTransaction:
      "find out which of the two was changed: the archive has digests, the store has none"
    case .divergedStore:
      "seal this copy in a separate archive"
    case .partialTransaction:
      "prune to the same place again, or restore the changes"
    case .storeGap:
      "seal history before pruning it"
    }
  }
}
