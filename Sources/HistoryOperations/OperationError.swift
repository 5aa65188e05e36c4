import HistoryCoding
import PersistentHistory
import StoreEditing

/// An error of an operation: what is wrong and what to do about it.
package struct OperationError: Error {
  package let kind: ErrorKind
  package let message: String
  package let remedy: String
  /// Further facts for scripts, by key.
  package let details: [(String, JSONValue)]

  package init(
    _ kind: ErrorKind, _ message: String, hint: String, details: [(String, JSONValue)] = []
  ) {
    self.kind = kind
    self.message = message
    remedy = hint
    self.details = details
  }

  /// The error for an output that would replace a history, or a part of it.
  static func ontoItself(_ output: String, of path: String, hint: String) -> Self {
    Self(
      .ontoItself, "\(output) would overwrite \(path) or a file that belongs to it", hint: hint
    )
  }
}

/// The error of an operation that has changed a store and could not finish.
package struct PartlyDone: Error {
  package enum Work: Sendable { case deleting, restoring }

  /// What stopped the operation.
  package let problem: any Error
  package let work: Work
  package let transactions: (done: Int, total: Int)
  package let changes: (done: Int, total: Int)
}

extension Erasure {
  /// Returns the error that stopped the deletion of a plan, a ``PartlyDone`` if anything is deleted
  /// already; `nil` if nothing stopped it.
  package func failure(of plan: PrunePlan) -> (any Error)? {
    guard let problem, deleted != .nothing else { return problem }
    return PartlyDone(
      problem: problem, work: .deleting,
      transactions: (deleted.transactionCount, plan.deletion.transactionCount),
      changes: (deleted.changeCount, plan.deletion.changeCount))
  }
}

extension InsertionResult {
  /// Returns the error that stopped the restoring of a plan, a ``PartlyDone`` if anything is restored
  /// already; `nil` if nothing stopped it.
  package func failure(of plan: RestorePlan) -> (any Error)? {
    guard let problem, inserted.changeCount > 0 || inserted.transactionCount > 0 else {
      return problem
    }
    return PartlyDone(
      problem: problem, work: .restoring,
      transactions: (inserted.transactionCount, plan.transactionCount),
      changes: (inserted.changeCount, plan.changeCount))
  }
}

extension HistoryDeletion {
  /// What is deleted if nothing stops it.
  package var whole: DeletedHistory {
    DeletedHistory(transactionCount: transactionCount, changeCount: changeCount)
  }
}

extension DeletedHistory {
  /// No transactions and no changes.
  package static let nothing = DeletedHistory(transactionCount: 0, changeCount: 0)
}

/// The kinds of errors of all libraries, by the names that programs compare.
package enum ErrorKind: String, CaseIterable, Sendable {
  case alreadyThere, archive, config, beingReplaced, bookmarkIsAhead
  case bookmarkOfOtherStore, busy, busyArchive, busyBookmarks, calculated, cancelled
  case changedArchive
  case changedModel, changedWhileCopying, changedWhileReading, compressionFailed, contained
  case contradictoryRehearsal, copyOntoItself, damaged, damagedText, differentStores, disorder
  case diverged, divergedArchive, divergedFolder, encryptedBackup, endedSnapshot, fullBookmarks
  case fullCatalog, gap, historyChanged, historyGap, historyTokenAhead, historyTokenArchived
  case historyTokenDiverged, historyTokenExpired, historyTokenForeign, historyTokenValid
  case largeValue, lines, linkedFile, locked, malformedAnchor, malformedBookmarkName
  case malformedLine, malformedMoment, malformedObject, malformedRange, malformedToken, mirrored
  case missing, missingBookmarks, missingFile, noTransaction, notAStore, notAnArchive, notCopied
  case notEmpty, notIncremental, notRemoved, notSaved, notSealed, notSearched, nothingDeleted
  case nothingRecovered, objectOfOtherStore, obstructed, olderCopy, ontoItself, otherStore
  case outputFailed, outsideCalendar, partlyDone, pinnedLog, presentEntity, presentObject
  case readBackDiffers, refusedByGuards, refusedPath, renumbersRows, replacedStore, sameFile
  case separateLog, severalObjects, severalStores, sharedPlace, storeInTwoSections, tooLarge
  case tooManyPeriods, unavailableForm, unexpected, unfinishedSave, unfitTable, unknownAttribute
  case unknownBookmark, unknownEntity, unknownFormat, unknownModel, unknownObject, unknownSize
  case unknownState, unknownStore, unknownTransaction, unlistedSegment, unnamedStore, unreadable
  case unreadableBookmarks, unreadableToken, unrecordedValues, unsealable, unusableValue
  case unusableValues, unwritable, unwritableBookmarks, usage, valueTooLong
  case withoutCommonTransaction, withoutHistory, withoutRoom, withoutSpace, withoutTextNumbers
}
