import StoreFormat

/// A look at everything in a store that its history rests on, for what is damaged or odd.
///
/// SQLite keeps no checksums of its pages, so a value that was altered into another possible value
/// cannot be seen. What is found is whatever contradicts itself, the layout or the model. Nothing is
/// changed, and memory stays small whatever the store's size.
///
/// ```swift
/// let verification = try StoreVerification(path: "default.store")
/// for kind in verification.findings.kinds {
///   for finding in verification.findings.findings(of: kind) { print(finding.place, finding.detail) }
/// }
/// ```
package struct StoreVerification: Sendable {
  /// What to look at.
  package struct Options: Hashable, Sendable {
    /// Whether the pages of all tables are checked, and not just those of the history's.
    package var checksAllTables = false
    /// The file that keeps the bookmarks; nil for the one beside the store.
    package var bookmarkPath: String?
    /// How many findings of each kind are kept.
    package var limit = 10
    /// How long to wait for a store that is locked, in seconds.
    package var busyTimeout = 5.0
    /// How many threads beside the caller's may read.
    package var helperCount = 1

    /// The tables of the history only, ten findings of each kind.
    package init() {}
  }

  /// The path of the store.
  package let path: String
  /// The identifier of the store.
  package private(set) var storeIdentifier: String?
  /// What was found.
  package private(set) var findings: FindingLog<StoreFindingKind>
  /// What was looked at.
  package private(set) var facts = StoreFacts()

  /// Looks at a store.
  ///
  /// - Parameters:
  ///   - path: The store file.
  ///   - options: What to look at.
  ///   - progress: Is told now and then how many changes have been looked at.
  /// - Throws: ``/StoreFormat/StoreError``, also for a store without history tables; damage is a
  ///   finding.
  package init(
    path: String, options: Options = Options(), progress: (Int64) -> Void = { _ in }
  ) throws {
    self.path = path
    findings = FindingLog(limit: options.limit)
    do {
      let file = try StoreFile(path: path, busyTimeout: options.busyTimeout)
      try file.read(withHelpers: options.helperCount) { snapshot, helpers in
        try look(at: snapshot, helpers, options, progress)
      }
    } catch StoreError.damaged(_, let place, let detail) {
      // What keeps a store from being opened at all.
      findings.add(.damagedPages, at: .store, "\(place): \(detail)")
      findings.add(try StoreLocation(path: path).logCondition())
    } catch let error as StoreError {
      // Where nothing has come out of the log yet, the store is nothing without it.
      guard case .notAStore(_, .withoutCoreDataTables) = error else { throw error }
      findings.add(try StoreLocation(path: path).logCondition())
      if findings.damageCount == 0 { throw error }
    }
  }

  private mutating func look(
    at snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ options: Options,
    _ progress: (Int64) -> Void
  ) throws {
    storeIdentifier = snapshot.metadata.storeIdentifier
    _ = try snapshot.historyTables()
    let pages = PageInspection(
      tables: options.checksAllTables ? [nil] : snapshot.tablesOfHistory)
    facts.checkedTables = options.checksAllTables ? nil : snapshot.tablesOfHistory
    var inspection = StoreInspection(
      snapshot: snapshot, findings: FindingLog(limit: options.limit), facts: facts)
    try helpers.run({ pages.inspect($0) }) {
      try inspection.inspectFile()
      try inspection.inspectRows(progress)
      try inspection.inspectReaders(bookmarkPath: options.bookmarkPath)
      try inspection.inspectValues()
      pages.inspect(snapshot)
    }
    facts = inspection.facts
    // The pages come first: what is wrong with the rows may follow from them.
    findings.add(try pages.findings(limit: options.limit))
    findings.add(inspection.findings)
  }
}
