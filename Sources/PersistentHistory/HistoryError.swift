import StoreFormat

/// An error of reading, comparing, pruning or restoring a history, or of its tokens and bookmarks.
///
/// Errors of the store file itself are ``/StoreFormat/StoreError``.
public enum HistoryError: Error, Hashable, Sendable {
  /// A text is not a token in any of its forms.
  case malformedToken(text: String, reason: String, hint: String)
  /// A text is not a range between two tokens.
  case malformedRange(text: String, reason: String, hint: String)
  /// A file that should hold a token cannot be read.
  case unreadableToken(path: String, reason: String)
  /// There is no bookmark of this name.
  case unknownBookmark(name: String, path: String, known: [String])
  /// The file that keeps the bookmarks cannot be read or understood.
  case unreadableBookmarks(path: String, reason: String)
  /// The file that keeps the bookmarks cannot be changed.
  case unwritableBookmarks(path: String, reason: String)
  /// A named file of bookmarks does not exist.
  case missingBookmarks(path: String)
  /// A token does not work with this store.
  case unusableToken(UnusableToken)
  /// An archive is of another copy of the store, so the two cannot be joined.
  case divergedArchive(ArchiveDivergence)
  /// Another program was changing the bookmarks for too long.
  case busyBookmarks(path: String)
  /// The bookmark file would be too large to be read again.
  case fullBookmarks(path: String)
  /// A text cannot be a bookmark's name.
  case malformedBookmarkName(String)
  /// A bookmark that may only move forward is already ahead of the new position.
  case bookmarkIsAhead(name: String, present: Int64, wanted: Int64)
  /// A bookmark to be set is a position in other stores.
  case bookmarkOfOtherStore(name: String, path: String, identifiers: [String])
  /// A rehearsal was asked to keep a token working and to expire it.
  case contradictoryRehearsal(number: Int64)
  /// The log of a store does not hold the state right after a transaction.
  case unknownState(number: Int64, path: String, reason: String)
  /// The store has no identifier that a token could name.
  case unnamedStore(path: String)
  /// Two files to be compared are different stores.
  case differentStores(first: ComparedStore, second: ComparedStore)
  /// Two copies of a store no longer have a common transaction from which to compare them.
  case withoutCommonTransaction(first: ComparedStore, second: ComparedStore)
  /// A followed store was removed or replaced by another file.
  case replacedStore(path: String, position: Int64)
  /// A token is before or after all transactions and names none.
  case noTransaction(text: String, isHistoryEmpty: Bool)
  /// The token is farther from `first` or `last`, the keyword, than the history has transactions.
  case fewTransactions(text: String, count: Int64, keyword: String)
  /// A text is not an object in any of its forms.
  case malformedObject(text: String)
  /// An object's address names another store.
  case objectOfOtherStore(object: String, store: String?)
  /// An object is neither in the store nor in its history.
  ///
  /// `other` is the object of another entity that has the key, `highestPrimaryKey` the highest ever issued, and
  /// `oldest` the oldest transaction that a pruned history still has.
  case unknownObject(object: String, other: String?, highestPrimaryKey: Int64?, oldest: Int64?)
  /// The store has no entity of this name.
  case unknownEntity(name: String, suggestions: [String])
  /// No entity in question has a property of this name.
  case unknownAttribute(name: String, suggestions: [String])
  /// An attribute cannot have the value with which it was to be compared.
  case unusableValue(condition: String, expectation: String)
  /// Names of attributes are needed, and the store has no model that contains them.
  case unknownModel(path: String, reason: String)
  /// A history is too long to be divided into periods of this length.
  case tooManyPeriods(unit: PeriodUnit)
  /// The size of a history is needed, and SQLite was built without its table of pages.
  case unknownSize(path: String)
  /// The entity whose changes were to be deleted is still in the model, or may be.
  case presentEntity(name: String, path: String)
  /// A store to be changed or sealed is damaged.
  case damaged(path: String, details: [String])
  /// Guards refuse the deletion.
  case refusedByGuards(path: String, reasons: [String])
  /// Guards refuse the restore.
  case restoreRefusedByGuards(path: String, reasons: [String])
}

extension HistoryError {
  /// What is wrong.
  public var message: String {
    switch self {
    case .malformedToken(let text, let reason, _):
      "'\(HistoryError.shortened(text))' is not a token: \(reason)"
    case .malformedRange(let text, let reason, _):
      "'\(HistoryError.shortened(text))' is not a range: \(reason)"
    case .unreadableToken(let path, let reason):
      "cannot read a token from \(path): \(reason)"
    case .unknownBookmark(let name, let path, _):
      "no bookmark named '\(name)' in \(path)"
    case .unreadableBookmarks(let path, let reason):
      "cannot read the bookmarks in \(path): \(reason)"
    case .unwritableBookmarks(let path, let reason):
      "cannot change the bookmarks in \(path): \(reason)"
    case .missingBookmarks(let path):
      "no bookmark file at \(path), so the positions of its consumers are unknown"
    case .busyBookmarks(let path):
      "another program is changing the bookmarks in \(path)"
    case .fullBookmarks(let path):
      "the bookmarks in \(path) would take more than \(SmallFile.limit >> 20) MiB, "
        + "which is the most that is read of them"
    case .malformedBookmarkName(let name):
      "'\(name)' cannot be the name of a bookmark"
    case .bookmarkIsAhead(let name, let present, let wanted):
      "the bookmark \(name) stands at transaction \(present), and \(wanted) is before that"
    case .bookmarkOfOtherStore(let name, let path, let identifiers):
      "the bookmark \(name) in \(path) is of another store "
        + "(\(identifiers.joined(separator: ", ")))"
    case .contradictoryRehearsal(let number):
      "the token \(number) cannot both work and expire"
    case .unknownState(let number, let path, let reason):
      "the log of \(path) does not hold the store as it was right after transaction \(number): "
        + reason
    case .unnamedStore(let path):
      "\(path) has no identifier, so no token can name it"
    case .unusableToken(let token):
      token.message
    case .divergedArchive(let divergence):
      divergence.message
    case .differentStores(let first, let second):
      "\(first.path) and \(second.path) are different stores: "
        + "\(first.storeIdentifier ?? "") and \(second.storeIdentifier ?? "")"
    case .withoutCommonTransaction(let first, let second):
      "\(first.path) and \(second.path) have no transaction in common, so it cannot be known where "
        + "they parted: \(first.reach), \(second.reach)"
    case .replacedStore(let path, let position):
      "\(path) was replaced or removed while it was followed; it was read up to transaction \(position)"
    case .noTransaction(let text, let isHistoryEmpty):
      "there is no transaction at '\(HistoryError.shortened(text))'"
        + (isHistoryEmpty ? ": the history is empty" : "")
    case .fewTransactions(let text, let count, _):
      "there is no transaction at '\(HistoryError.shortened(text))': the history has only \(count) "
        + "transaction\(count == 1 ? "" : "s")"
    case .malformedObject(let text):
      "'\(text)' is not an object: expected an entity and a primary key"
    case .objectOfOtherStore(let object, let store):
      "\(object) is an object of another store; this one is \(store ?? "without an identifier")"
    case .unknownObject(let object, nil, nil, _):
      // Of an archive or exported lines, there is no store to look into.
      "\(object) is not in the history"
    case .unknownObject(let object, _, _, _):
      "\(object) is neither in the store nor in its history"
    case .unknownEntity(let name, _):
      "no entity is named '\(name)'"
    case .unknownAttribute(let name, _):
      "no entity in question has an attribute or relationship named '\(name)'"
    case .unusableValue(let condition, let expectation):
      "no value can meet '\(HistoryError.shortened(condition))': \(expectation)"
    case .unknownModel(let path, let reason):
      "the names of attributes in \(path) cannot be known: \(reason)"
    case .tooManyPeriods(let unit):
      "the history is too long to be divided into periods of one \(unit.rawValue)"
    case .unknownSize(let path):
      "the size of the history in \(path) cannot be known: SQLite was built without its table of pages"
    case .presentEntity(let name, let path):
      "the entity \(name) is still in the model of \(path), as far as can be known, so its changes stay"
    case .damaged(let path, let details):
      "\(path) is damaged: " + details.joined(separator: "; ")
    case .refusedByGuards(let path, let reasons):
      "nothing is deleted from \(path): " + reasons.joined(separator: "; ")
    case .restoreRefusedByGuards(let path, let reasons):
      "nothing is put back into \(path): " + reasons.joined(separator: "; ")
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .malformedToken(_, _, let hint), .malformedRange(_, _, let hint):
      hint
    case .unreadableToken:
      "a token file holds a token in text, the JSON of one, or an archived NSPersistentHistoryToken; "
        + "name a value of a property list or JSON as @./FILE#KEY"
    case .unknownBookmark(_, _, let known):
      known.isEmpty
        ? "there are none; set it where its consumer stands"
        : "there are: " + known.joined(separator: ", ")
    case .unreadableBookmarks:
      "move the file away to start without bookmarks, or name another file"
    case .unwritableBookmarks:
      "make the file and its folder writable, or name another file"
    case .missingBookmarks:
      "name the file that has them, or ignore the guard of bookmarks"
    case .busyBookmarks:
      "try again when the other program is done"
    case .fullBookmarks:
      "remove unused bookmarks, or name another file"
    case .malformedBookmarkName:
      "a name has letters, digits, '.', '_' and '-', and begins with a letter, a digit or '_'"
    case .bookmarkIsAhead:
      "its consumer would see again what it has seen; set it without onlyForward to go back"
    case .bookmarkOfOtherStore:
      "choose another name or another file, or replace it: set it without onlyForward"
    case .contradictoryRehearsal:
      "to let a single token expire, leave out the token that is to work, or name another"
    case .unknownState:
      "the state after the last transaction can always be copied, and that after a transaction whose values the "
        + "log holds; info lists those, if there are any"
    case .unnamedStore:
      "open the store once with its app, which gives it an identifier"
    case .unusableToken(let token):
      token.remedy
    case .divergedArchive:
      "give the archive of this copy, or read the store and the archive each by itself"
    case .differentStores:
      "only copies of one store can be compared; they share their identifier"
    case .withoutCommonTransaction:
      "compare copies whose histories overlap: older ones, or ones that were not pruned"
    case .replacedStore:
      "see whether the new file has the same history, and go on from there"
    case .noTransaction(_, let isHistoryEmpty):
      isHistoryEmpty
        ? "run the command again when something has been saved, or read an archive of the history"
        : "name a transaction, for example first or last"
    case .fewTransactions(_, let count, let keyword):
      count == 1 ? "name it as \(keyword)" : "the farthest is \(keyword)~\(count - 1)"
    case .malformedObject:
      "write Trip/p12, its address x-coredata://STORE/Trip/p12, or a value: 'Trip[name=Rome]'"
    case .objectOfOtherStore:
      "give the store that the object belongs to, or leave the store out of the object"
    case .unknownObject(_, let other, let highestPrimaryKey, let oldest):
      switch (other, highestPrimaryKey, oldest) {
      case (let other?, _, _): "the primary key is that of \(other)"
      case (nil, let highest?, _) where highest < 1: "no object of its entity has ever been saved"
      case (nil, let highest?, let oldest?):
        "the highest primary key ever given there is \(highest); what was deleted before transaction "
          + "\(oldest) has left no trace"
      case (nil, let highest?, nil): "the highest primary key ever given there is \(highest)"
      case (nil, nil, _): "name an object that the store or a change in its history has"
      }
    case .unknownEntity(_, let suggestions), .unknownAttribute(_, let suggestions):
      suggestions.isEmpty
        ? "name an entity, an attribute or a relationship of the store's model"
        : "did you mean " + suggestions.joined(separator: ", ") + "?"
    case .unusableValue:
      "compare it with a value of its kind, such as 5, true, 2026-11-01 or nil"
    case .unknownModel:
      "leave out the condition on attributes"
    case .tooManyPeriods:
      "take longer periods, such as days, or a part of the history"
    case .unknownSize:
      "say how much to keep by time or by number"
    case .presentEntity:
      "only changes of entities that left the model can go alone; prune whole transactions instead"
    case .damaged:
      "take the store with its -wal from a backup; to go on with what can be read, ignore the guard "
        + "against damage (ignoredGuards)"
    case .refusedByGuards, .restoreRefusedByGuards:
      "see what the guards protect; one can be left out by its name (ignoredGuards)"
    }
  }
}

extension HistoryError {
  /// Returns a token for a message, shortened, because pasted text can be long.
  package static func shortened(_ token: String) -> String {
    let limit = 80
    return token.count > limit ? token.prefix(limit) + "…" : token
  }
}

extension HistoryError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}
