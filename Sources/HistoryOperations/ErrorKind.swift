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
