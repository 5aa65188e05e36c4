/// The problems that the history of a store can have.
package enum StoreFindingKind: String, FindingKind {
  // The file.
  case damagedPages
  case damagedLog
  case unusableLog
  case unfinishedLog
  // The metadata, the model and the schema.
  case damagedMetadata
  case missingIdentifier
  case damagedModel
  case modelMismatch
  case missingTable
  case tornCounter
  case missingIndex
  case addedTrigger
  case calculatedTable
  // Transactions and their texts.
  case invalidNumber
  case missingTime
  case impossibleTime
  case numberGap
  case danglingText
  case damagedText
  case doubleText
  // Changes.
  case orphanChange
  case unknownKind
  case missingObject
  case unknownEntity
  case missingMask
  case unexpectedMask
  case misfittingMask
  case unexpectedTombstone
  case misfittingTombstone
  case missingChanges
  case changesOutOfOrder
  case unexpectedValue
  // Readers of the history.
  case unreadableMirroring
  case unreadableBookmarks
  case unusableBookmark
  // Values that were recorded beside the store.
  case unusableValues
  case foreignValues
  case misfittingValues

  private static let pruneLater =
    "restore the store from a backup, or let the next prune delete the row"
  private static let restoreLog =
    "restore the store with its -wal from a backup of one moment; first copy both as they are, "
    + "since the next save overwrites the -wal"
  private static let otherWriter = "find out which other program writes to the store"

  package var entry: FindingEntry {
    switch self {
    case .damagedPages:
      .damage(
        "SQLite's integrity check found pages that contradict each other: rows may be missing, "
          + "duplicated or altered",
        remedy: "restore the store with its -wal from a backup; .recover of a new sqlite3 "
          + "saves what can still be read of a copy", stopsWriting: true)
    case .damagedLog:
      .damage(
        "committed saves follow a part of the -wal whose checksum is wrong; SQLite ignores them",
        remedy: Self.restoreLog, stopsWriting: true)
    case .unusableLog:
      .damage(
        "the -wal is not a write-ahead log of this store, so SQLite reads nothing of it",
        remedy: Self.restoreLog, stopsWriting: true)
    case .unfinishedLog:
      .other(
        "the -wal ends in the middle of a save, which SQLite ignores: a program was killed or is "
          + "still saving, a large save was rolled back, or the file was cut short",
        remedy: "nothing, unless a save is missing: then restore the store with its -wal from a "
          + "backup")
    case .damagedMetadata:
      .damage(
        "the property list in Z_METADATA cannot be read",
        remedy: "open the store with its app, which writes it again; if that fails, restore it "
          + "from a backup")
    case .missingIdentifier:
      .other(
        "the store has no identifier that is a UUID, so no token can name it",
        remedy: "open the store once with its app, which gives it one")
    case .damagedModel:
      .damage(
        "the model cache cannot be read, so attributes and tombstones have no names",
        remedy: "delete the row of Z_MODELCACHE while no program uses the store: the framework "
          + "writes it again")
    case .modelMismatch:
      .other(
        "the entity table and the model cache list different entities, so some changes have no "
          + "attribute names",
        remedy: "open the store once with its app, in the version that wrote it last")
    case .missingTable:
      .damage(
        "the table of an entity is missing, so its objects are lost, and the app cannot open the "
          + "store",
        remedy: "restore the store with its -wal from a backup")
    case .tornCounter:
      .damage(
        "a number is in use that is higher than the highest one given out: parts of the store are "
          + "of different times, as in a copy without the -wal, and the next save may reuse "
          + "the number",
        remedy: "copy the store again with its -wal; do not let an app save to this copy",
        stopsWriting: true)
    case .missingIndex:
      .other(
        "the index that finds the changes of a transaction is missing",
        remedy: "nothing; the framework creates the index when it migrates the store")
    case .addedTrigger:
      .other(
        "a history table has a trigger; no framework creates one",
        remedy: "find out who created it; pruning and compacting disable triggers")
    case .calculatedTable:
      .other(
        "SQLite calculates a part of a table, which no framework declares and which can take any "
          + "time; rows and indexes of the table were not compared",
        remedy: "find out who created it; remove it with SQLite if nothing needs it, and verify "
          + "again")
    case .invalidNumber:
      .damage(
        "a transaction has a number below 1, which no token can name",
        remedy: Self.pruneLater)
    case .missingTime:
      .damage(
        "a transaction has no time, so no date finds it",
        remedy: Self.pruneLater)
    case .impossibleTime:
      .other(
        "the time of a transaction is outside every calendar",
        remedy: "refer to the transaction by its number; rules by date do not reach it")
    case .numberGap:
      .other(
        "transactions are missing between others: saves that failed after taking a number, or "
          + "history deleted from the middle; their tokens are expired",
        remedy: "nothing, unless a consumer's token is in the gap")
    case .danglingText:
      .damage(
        "a transaction names its author, bundle, process or context by a number that has no text",
        remedy: Self.pruneLater)
    case .damagedText:
      .damage(
        "a row of the table of shared texts holds no text",
        remedy: Self.pruneLater)
    case .doubleText:
      .other(
        "a transaction has a text of its own besides the shared one, which is shown",
        remedy: "nothing")
    case .orphanChange:
      .damage(
        "the transaction of a change is missing, so no reader of the history sees the change",
        remedy: "pruning deletes it with the transactions around it", stopsWriting: true)
    case .unknownKind:
      .damage(
        "a change is not an insert, update or delete",
        remedy: Self.pruneLater)
    case .missingObject:
      .damage(
        "a change does not name its object",
        remedy: Self.pruneLater)
    case .unknownEntity:
      .other(
        "the store does not list the entity of a change, as after the entity left the model",
        remedy: "such changes can be deleted by the number of their entity; their transactions "
          + "stay")
    case .missingMask:
      .damage(
        "an update does not say which attributes it changed",
        remedy: Self.pruneLater)
    case .unexpectedMask:
      .other(
        "an insert or delete has a list of changed attributes; no framework writes one",
        remedy: Self.otherWriter)
    case .misfittingMask:
      .other(
        "an update names attributes that its entity does not have, so it was written with another "
          + "model; its attributes are shown by number",
        remedy: "read the values by their columns")
    case .unexpectedTombstone:
      .other(
        "an insert or update has a tombstone; frameworks write one for deletes only",
        remedy: Self.otherWriter)
    case .misfittingTombstone:
      .other(
        "a deleted object left a value that its attribute cannot have, so it was written with "
          + "another model",
        remedy: "read the values by their columns")
    case .missingChanges:
      .other(
        "most transactions have no changes, although numbers were given out for more: another "
          + "program has deleted changes, or those of an entity were deleted",
        remedy: "if nobody deleted the changes of an entity, restore the store with its -wal from "
          + "a backup")
    case .changesOutOfOrder:
      .other(
        "a change has a higher number than the change before it and belongs to an earlier "
          + "transaction",
        remedy: "nothing; changes are read by their transactions")
    case .unexpectedValue:
      .other(
        "a column holds a value that no framework writes there",
        remedy: Self.otherWriter)
    case .unreadableMirroring:
      .other(
        "the position of CloudKit mirroring cannot be read, so nothing is pruned",
        remedy: "open the store once with its app, or prune without the mirroring guard")
    case .unreadableBookmarks:
      .other(
        "the bookmark file cannot be read, so no bookmark can be used or protected",
        remedy: "move the file away to start without bookmarks, or restore it from a backup")
    case .unusableBookmark:
      .other(
        "the history after a bookmark is not available: its consumer must start over",
        remedy: "let its consumer start over, then set the bookmark again")
    case .unusableValues:
      .other(
        "the file of recorded values cannot be read, or is of another store, so old and new "
          + "values are not shown",
        remedy: "move the file away, or restore it from a backup; recording creates a new one")
    case .foreignValues:
      .other(
        "values were recorded for a transaction that has this number in another copy of the "
          + "store; they are never shown",
        remedy: "nothing; pruning removes them with the transactions around them")
    case .misfittingValues:
      .other(
        "values were recorded for a change that the transaction does not have",
        remedy: "find out which other program writes to the file, or read without recorded values")
    }
  }
}
