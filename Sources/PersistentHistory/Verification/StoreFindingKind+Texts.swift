extension StoreFindingKind {
  /// What it means.
  package var meaning: String {
    switch self {
    case .damagedPages:
      "SQLite's own check finds that pages of the file do not fit together: rows may be missing, "
        + "doubled or altered"
    case .damagedLog:
      "finished saves stand in the -wal behind a part that does not fit its checksum; SQLite takes no "
        + "notice of them"
    case .unusableLog:
      "the file beside the store is not a write-ahead log that fits it, so SQLite reads nothing of it"
    case .unfinishedLog:
      "the last part of the -wal does not fit its checksum: a program was stopped in the middle of a "
        + "save, or the file was cut short"
    case .damagedMetadata:
      "what the store says of itself, the property list in Z_METADATA, cannot be read"
    case .missingIdentifier:
      "the store has no identifier that is a UUID, so no token can name it"
    case .damagedModel:
      "the model cache cannot be read, so attributes and tombstones have no names"
    case .modelMismatch:
      "the list of entities and the model cache do not name the same ones, so some changes have no "
        + "names for their attributes"
    case .tornCounter:
      "a number is in use that is higher than the highest that the store has given out: parts of the "
        + "store are of different times, as when it was copied without its -wal, and the next save "
        + "would give the number to something else"
    case .missingIndex:
      "the changes of a transaction cannot be looked up, because the index for it is gone"
    case .addedTrigger:
      "a trigger stands on a table of the history, where no framework puts one"
    case .invalidNumber:
      "a transaction has a number below 1, which no token can name"
    case .missingTime:
      "a transaction does not say when it was saved, so no date finds it"
    case .impossibleTime:
      "a transaction was saved at a time that no calendar has"
    case .numberGap:
      "transactions are missing between others: saves that failed after they had taken a number, or "
        + "history that was deleted from the middle; tokens that name them are expired"
    case .danglingText:
      "a transaction names its author, bundle, process or context by a number under which there is no "
        + "text"
    case .damagedText:
      "a row of the texts that transactions share holds no text"
    case .doubleText:
      "a transaction has a text of its own beside the shared one; the shared one is shown"
    case .orphanChange:
      "a change belongs to no transaction that is there, so nobody who reads the history sees it"
    case .unknownKind:
      "a change is neither an insert nor an update nor a delete"
    case .missingObject:
      "a change does not say which object it is about"
    case .unknownEntity:
      "a change is about an entity that the store does not list, as when it left the model"
    case .missingMask:
      "an update does not say which attributes it touched"
    case .unexpectedMask:
      "an insert or a delete says which attributes it touched, which no framework writes"
    case .misfittingMask:
      "an update touched attributes that its entity does not have, so it was written with another "
        + "model; its attributes are shown by number"
    case .unexpectedTombstone:
      "an insert or an update has values that only deleted objects leave behind"
    case .misfittingTombstone:
      "a deleted object left a value behind that its attribute cannot have, so it was written with "
        + "another model"
    case .changesOutOfOrder:
      "a change with a higher number belongs to an earlier transaction than the change before it"
    case .unexpectedValue:
      "a column holds something where the frameworks write nothing, or something else"
    case .unreadableMirroring:
      "how far mirroring to CloudKit has read the history cannot be told, so nothing is pruned"
    case .unreadableBookmarks:
      "the file of the bookmarks cannot be read, so no bookmark can be used or protected"
    case .unusableBookmark:
      "history after a bookmark cannot be had: its consumer must start anew"
    case .unusableValues:
      "the file of recorded values beside the store cannot be read, or has those of another store, so "
        + "that no old and new values are shown"
    case .foreignValues:
      "values were recorded of a transaction that has this number in another copy of the store; they "
        + "are never shown"
    case .misfittingValues:
      "values were recorded of an update that the transaction does not have"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .damagedPages:
      "take the store with its -wal from a backup; sqlite3 STORE .recover saves what can still be read"
    case .damagedLog, .unusableLog:
      "take the store with its -wal from a backup, both of the same moment; copy the two as they are "
        + "before anything opens them, for the next save overwrites the -wal"
    case .unfinishedLog:
      "nothing, unless a save is missed: then take the store with its -wal from a backup"
    case .damagedMetadata:
      "open the store with its app, which writes it anew; where that fails, take it from a backup"
    case .missingIdentifier:
      "open the store once with its app, which gives it one"
    case .damagedModel:
      "delete the row of Z_MODELCACHE while no program uses the store: the framework writes it anew"
    case .modelMismatch:
      "open the store once with the app that it belongs to, in the version that wrote it last"
    case .tornCounter:
      "copy the store again, together with its -wal; let no app save into this copy"
    case .missingIndex:
      "nothing must be done; the framework makes the index when it migrates the store"
    case .addedTrigger:
      "find out who made it; pruning and compacting switch triggers off"
    case .invalidNumber, .missingTime, .unknownKind, .missingObject, .missingMask, .danglingText,
      .damagedText:
      "take the store from a backup, or let the row go when history is pruned next"
    case .impossibleTime:
      "name the transaction by its number; rules by date do not reach it"
    case .numberGap:
      "nothing, where no consumer stands in the gap"
    case .doubleText:
      "nothing must be done"
    case .orphanChange:
      "pruning deletes it with the transactions around it"
    case .unknownEntity:
      "such changes can be deleted by the number of their entity; their transactions stay"
    case .unexpectedMask, .unexpectedTombstone, .unexpectedValue:
      "find out what else writes into the store"
    case .misfittingMask, .misfittingTombstone:
      "read the values by their columns"
    case .changesOutOfOrder:
      "nothing must be done; changes are read by their transactions"
    case .unreadableMirroring:
      "open the store once with its app, or prune without the guard that mirroring is"
    case .unreadableBookmarks:
      "move the file away to start without bookmarks, or take it from a backup"
    case .unusableBookmark:
      "let its consumer start anew, then set the bookmark again"
    case .unusableValues:
      "move the file away, or take it from a backup; what records values makes a new one"
    case .foreignValues:
      "nothing must be done; pruning removes them with the transactions around them"
    case .misfittingValues:
      "find out what else writes into the file, or read without recorded values"
    }
  }
}
