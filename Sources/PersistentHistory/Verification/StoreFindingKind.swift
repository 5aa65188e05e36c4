/// What can be wrong with the history of a store.
package enum StoreFindingKind: String, FindingKind {
  // The file.
  case damagedPages
  case damagedLog
  case unusableLog
  case unfinishedLog
  // What the store says of itself.
  case damagedMetadata
  case missingIdentifier
  case damagedModel
  case modelMismatch
  case tornCounter
  case missingIndex
  case addedTrigger
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
  case changesOutOfOrder
  case unexpectedValue
  // Who reads the history.
  case unreadableMirroring
  case unreadableBookmarks
  case unusableBookmark
  // Values that were recorded beside the store.
  case unusableValues
  case foreignValues
  case misfittingValues

  /// How bad it is.
  package var severity: FindingSeverity {
    switch self {
    case .damagedPages, .damagedLog, .unusableLog, .damagedMetadata, .damagedModel, .tornCounter,
      .invalidNumber, .missingTime, .danglingText, .damagedText, .orphanChange, .unknownKind,
      .missingObject, .missingMask:
      .damage
    case .unfinishedLog, .missingIdentifier, .modelMismatch, .missingIndex, .addedTrigger,
      .impossibleTime, .numberGap, .doubleText, .unknownEntity, .unexpectedMask, .misfittingMask,
      .unexpectedTombstone, .misfittingTombstone, .changesOutOfOrder, .unexpectedValue,
      .unreadableMirroring, .unreadableBookmarks, .unusableBookmark, .unusableValues,
      .foreignValues, .misfittingValues:
      .other
    }
  }
}
