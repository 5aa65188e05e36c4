import StoreFormat

/// Values in files of their own belong to the save that names them.
extension StoreEditor {
  /// Writes the large values of a save to files, before the store is locked.
  ///
  /// - Throws: ``StoreWriteError``; nothing is left then.
  func stagedLargeValues(of save: StoreSave) throws -> LargeValueWriter {
    let largeValues = LargeValueWriter(location, placement)
    try largeValues.stage(save, knownSchema.largeAttributes)
    return largeValues
  }

  /// Removes the files that no row names any more, now that a save is in the store.
  ///
  /// The first time it also looks for what killed programs have left, under a lock of its own.
  func settle(_ largeValues: LargeValueWriter) {
    guard largeValues.isUsed else { return }
    release(largeValues)
    guard ledger == nil else { return }
    let isFirst = isToSweep.withLock { isToSweep in
      defer { isToSweep = false }
      return isToSweep
    }
    if isFirst { LargeValueSweep(location: location, schema: knownSchema).run() }
  }

  /// Removes the files that a save has made superfluous, or notes them until it is settled that they
  /// are.
  func release(_ largeValues: LargeValueWriter) {
    largeValues.removeUnused()
    if let ledger {
      // Only a migration is undone as a whole.
      ledger.note(
        written: isMigrating ? largeValues.named : [], replaced: largeValues.replaced)
    } else {
      largeValues.folder.remove(largeValues.replaced)
    }
  }
}
