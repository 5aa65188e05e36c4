/// The kinds of errors, by the names that programs compare. Each ends with one status.
enum ErrorKind: String, CaseIterable {
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

  /// The status that a command ends with.
  var status: ExitStatus {
    switch self {
    case .nothingDeleted, .presentObject, .severalObjects, .unknownObject: .answerIsNo
    case .cancelled, .compressionFailed, .endedSnapshot, .notSaved, .nothingRecovered,
      .unavailableForm,
      .unexpected, .unknownFormat, .unknownSize, .unknownState, .unsealable, .valueTooLong:
      .failure
    case .notRemoved, .partlyDone: .partlyDone
    case .differentStores, .diverged, .divergedArchive, .divergedFolder, .gap, .historyGap,
      .historyTokenAhead, .historyTokenArchived, .historyTokenDiverged, .historyTokenExpired,
      .historyTokenForeign, .historyTokenValid, .noTransaction, .notSealed, .olderCopy, .otherStore,
      .replacedStore, .unknownTransaction, .withoutCommonTransaction:
      .historyGap
    case .calculated, .damaged, .damagedText, .disorder, .largeValue, .linkedFile, .malformedLine,
      .missingFile, .readBackDiffers, .unlistedSegment, .unusableValues:
      .damaged
    case .bookmarkIsAhead, .bookmarkOfOtherStore, .changedModel, .mirrored, .notIncremental,
      .presentEntity, .refusedByGuards, .refusedPath, .renumbersRows, .sharedPlace, .unfitTable,
      .withoutTextNumbers:
      .refused
    case .busy, .busyArchive, .busyBookmarks, .changedArchive, .changedWhileCopying,
      .changedWhileReading, .historyChanged, .locked, .pinnedLog:
      .busy
    case .archive, .lines, .notAStore, .notAnArchive, .withoutHistory: .notAStore
    case .alreadyThere, .beingReplaced, .contained, .encryptedBackup, .fullBookmarks,
      .fullCatalog, .missing, .missingBookmarks, .notCopied, .notEmpty, .notSearched, .obstructed,
      .outputFailed, .separateLog, .tooLarge, .unfinishedSave, .unnamedStore, .unreadable,
      .unreadableBookmarks, .unreadableToken, .unrecordedValues, .unwritable,
      .unwritableBookmarks, .withoutRoom, .withoutSpace:
      .cannotReadOrWrite
    case .config, .contradictoryRehearsal, .copyOntoItself, .malformedAnchor,
      .malformedBookmarkName, .malformedMoment, .malformedObject, .malformedRange,
      .malformedToken, .objectOfOtherStore, .ontoItself, .outsideCalendar,
      .sameFile, .severalStores, .storeInTwoSections, .tooManyPeriods, .unknownAttribute,
      .unknownBookmark, .unknownEntity, .unknownModel, .unknownStore, .unusableValue, .usage:
      .usage
    }
  }
}
