import HistoryOperations

extension ErrorKind {
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
