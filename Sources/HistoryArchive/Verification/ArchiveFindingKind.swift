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
  case deletedTransaction
  case divergedStore
  case partialTransaction
  case storeGap

  private static let restoreAll =
    "restore the whole archive from a copy"
  private static let restoreFile =
    "restore the file from a copy of the archive; the other segments are not affected"

  package var entry: FindingEntry {
    switch self {
    case .damagedCatalog:
      .damage(
        "a line of the catalog was changed, or does not follow the line before it",
        remedy: Self.restoreAll)
    case .tornCatalog:
      .other(
        "the catalog ends in the middle of a line: sealing was interrupted, or the file was cut "
          + "short",
        remedy: "the next sealing removes the partial line; verify with an anchor to see whether "
          + "more is missing")
    case .otherAnchor:
      .damage(
        "the catalog's chain does not contain the anchor: segments were removed or exchanged",
        remedy: Self.restoreAll)
    case .missingManifest, .missingSegment:
      .damage(
        "a file that the catalog names is missing",
        remedy: Self.restoreFile)
    case .damagedManifest:
      .damage(
        "a manifest is not the one that the catalog names",
        remedy: Self.restoreFile)
    case .damagedSegment:
      .damage(
        "a segment differs from the one that was sealed",
        remedy: Self.restoreFile)
    case .damagedFrame:
      .damage(
        "a frame of a segment cannot be unpacked, or differs from its manifest",
        remedy: Self.restoreFile)
    case .damagedLine:
      .damage(
        "a line of a segment is not what a transaction is encoded as",
        remedy: Self.restoreFile)
    case .damagedRow:
      .damage(
        "a transaction or change is one that no framework writes; restoring it would damage the "
          + "store",
        remedy: Self.restoreFile)
    case .contradictedManifest:
      .damage(
        "a manifest contradicts its segment, its neighbors or itself",
        remedy: Self.restoreFile)
    case .unreadableFile:
      .damage(
        "a file or folder cannot be read, or is a symbolic link, so its content is unknown",
        remedy: "make it readable, or verify as its owner")
    case .archiveGap:
      .other(
        "transactions are missing between two segments; tokens in between do not work",
        remedy: "look for them in a backup of the store or of the archive")
    case .unlistedSegment:
      .other(
        "a segment or manifest is not in the catalog: sealing was interrupted, or the catalog was "
          + "cut short",
        remedy: "the next sealing of the store adds it; if the catalog was cut short, restore it "
          + "from a copy")
    case .leftoverSegment:
      .other(
        "a segment or manifest was merged or forgotten and is still there: the run was interrupted",
        remedy: "the next sealing of the store removes it")
    case .strayFile:
      .other(
        "a file does not belong in an archive",
        remedy: "move it elsewhere")
    case .abandonedDraft:
      .other(
        "a program was stopped before it finished this file",
        remedy: "the next sealing of the store removes it")
    case .widePermissions:
      .other(
        "a file of the archive is more widely readable or writable than the store",
        remedy: "restrict the permissions with chmod")
    case .alteredTransaction:
      .damage(
        "the store and the archive have different transactions of this number and time",
        remedy: "find out which of the two was changed: the archive has digests, the store has "
          + "none")
    case .deletedTransaction:
      .other(
        "the archive has a transaction that was deleted from the middle of the store's history, as "
          + "an app can with deleteHistory",
        remedy: "nothing: the archive has it")
    case .divergedStore:
      .other(
        "the archive has another time for this transaction: the store is another copy than the "
          + "sealed one",
        remedy: "seal this copy in a separate archive")
    case .partialTransaction:
      .other(
        "the oldest transaction of the store lacks some of its changes: pruning was interrupted",
        remedy: "prune to the same place again, or restore the changes")
    case .storeGap:
      .other(
        "transactions between the archive and the store are in neither: they were pruned before "
          + "sealing",
        remedy: "seal history before pruning it")
    }
  }
}
