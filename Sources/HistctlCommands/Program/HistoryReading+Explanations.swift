import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

extension Session {
  /// Says where a pruned history begins, and how much is missing before.
  func text(ofBeginning first: TransactionPosition?, at number: Int64) -> String {
    let missing = max(number, 1) - 1
    return "history begins at \(number), \(time.text(first?.timestamp)); the "
      + (missing == 1
        ? "transaction before it was" : "\(missing.grouped) transactions before it were")
      + " deleted, and their changes are unknown"
  }
}

/// What a person must know of an answer: that history is missing, and why nothing was found.
extension HistoryReading {
  // MARK: - Missing history

  /// Writes the JSON line of missing history.
  func writeLine(of gap: HistoryGap) throws {
    var encoder = TransactionLineEncoder()
    encoder.path = path
    encoder.append(gap)
    try writer.write(&encoder)
    try writer.flush()
  }

  /// Reports missing history, and makes the command end with the status for that.
  func report(_ gap: HistoryGap) {
    let archive = timeline.archive?.path
    let place = archive.map { archive in
      timeline.snapshot == nil
        ? " from \(archive)" : ", from \(timeline.path) and from the archive \(archive)"
    }
    session.diagnostics.report(
      Failure(
        .historyGap,
        (name.map { $0 + ": " } ?? "") + "history has a gap: " + gap.message + (place ?? ""),
        hint:
          "history that was pruned and not archived can only come from an older copy of the store",
        details: JSONValue.list(of: [
          "store": timeline.path, "after": gap.after, "oldest": gap.oldest, "archive": archive,
        ])))
    session.end(with: .historyGap)
  }

  /// Notes that history begins later than was asked for, which is no failure.
  ///
  /// - Parameters:
  ///   - inStream: Whether the record of `--json` belongs to the lines on standard output, and not to standard error.
  ///   - name: The name of the history where there are several; `nil` for that of its store.
  func note(
    missingBeginning gap: HistoryGap?, inStream: Bool = false, among name: String? = nil
  ) throws {
    guard let gap else { return }
    if gap.oldest == nil { session.hasReportedEmptyHistory = true }
    if isJSON { return inStream ? try writeLine(of: gap) : session.diagnostics.record(gap) }
    let start = (name ?? self.name).map { $0 + ": " } ?? ""
    guard let oldest = gap.oldest else {
      return session.diagnostics.notice(
        start
          + "the history is empty: the transactions up to \(try timeline.highestIssued()) were deleted, and their "
          + "changes are unknown")
    }
    let first = try timeline.position(ofTransaction: oldest)
    session.diagnostics.notice(start + session.text(ofBeginning: first, at: oldest))
  }

  /// Notes that history is missing before the beginning of an answer that reaches back to it.
  func noteBeginning(of query: HistoryQuery, among name: String? = nil) throws {
    guard (query.after ?? 0) <= 0, let gap = try timeline.missingBeginning(), gap.oldest != nil
    else { return }
    try note(missingBeginning: gap, among: name)
  }

  /// Warns of counters that are lower than numbers in use.
  func warnOfTornCopy() throws {
    guard let snapshot = timeline.snapshot else { return }
    try session.observing { try StoreReading.warnOfTornCopy(in: snapshot, observer: $0) }
  }

  // MARK: - Damaged pages

  /// Returns an error of damage with what can be read beside it, and any other as it is.
  ///
  /// - Parameters:
  ///   - reached: The last transaction that was begun or read; `nil` if that is not known.
  ///   - part: What was read.
  ///   - takesRange: Whether the command takes a range as an argument.
  func explaining(
    _ error: any Error, around reached: Int64? = nil, of part: HistoryPart, takesRange: Bool
  ) -> any Error {
    let explained = timeline.explaining(
      error, around: reached, of: part.query, schema: part.schema)
    guard takesRange, let rest = explained as? ReadableRest else { return explained }
    var failure = Failure(rest)
    failure.hint = rest.hint(takesRange: true)
    return failure
  }

  // MARK: - Answers that may surprise

  /// Explains an empty answer: authors and objects that the history does not have, and a history whose
  /// transactions were deleted or never recorded. That nothing matches, or nothing was ever saved, is said on a
  /// terminal only.
  ///
  /// - Parameter skipped: The number of newest matches that were to be left out.
  func explainEmptyAnswer(to query: HistoryQuery, skipped: Int = 0) throws {
    guard !session.hasReportedEmptyHistory else { return }
    let newest = try timeline.newestTransaction()
    if newest == nil, let gap = try timeline.missingBeginning() {
      return try note(missingBeginning: gap)
    }
    if try reportUnknownNames(in: query) { return }
    let calculated = try timeline.calculatedProperties(of: query.change)
    if !calculated.isEmpty {
      return session.diagnostics.note(
        "the store calculates \(calculated.joined(separator: ", ")) from other attributes, and no "
          + "change of what is derived is recorded", kind: "derivedAttributes")
    }
    if let after = query.after, let until = query.until, until < after, after > 0 {
      return session.diagnostics.note(
        "the range is empty: its end, \(until), is before its beginning, \(after)",
        kind: "emptyRange")
    }
    if newest == nil, timeline.snapshot?.entities.hasSavedObjects ?? false {
      return session.diagnostics.note(
        "the history is empty: objects were saved, but no save was recorded, as if the app kept no "
          + "history at the time", kind: "unrecordedSaves")
    }
    if newest == nil, timeline.snapshot == nil {
      return session.diagnostics.note("\(timeline.path) has no transaction", kind: "emptyInput")
    }
    guard session.environment.isErrorTerminal, !isJSON else { return }
    session.diagnostics.note(
      newest.map {
        skipped > 0
          ? "no transaction is left after skipping \(skipped.grouped); the newest is \($0.number)"
          : "no transaction matches; the newest is \($0.number)"
      }
        ?? "the history is empty: no save has been recorded yet")
  }

  /// Warns of authors, bundles and processes in a query that the history does not have, reports such objects as
  /// errors, and returns whether there was one.
  ///
  /// - Parameter onlyObjects: Whether to look for objects only.
  func reportUnknownNames(in query: HistoryQuery, onlyObjects: Bool = false) throws -> Bool {
    let names = UnknownNames()
    try names.search(self, for: query, onlyObjects: onlyObjects)
    return names.report(session)
  }

  /// Warns that only the named entities match where nothing tells which entities inherit from them.
  func noteUnknownHierarchy(of query: HistoryQuery) {
    let names = query.change.entities
    guard timeline.snapshot == nil, !names.isEmpty else { return }
    session.diagnostics.warn(
      "\(timeline.path) does not record which entities inherit from "
        + "\(names.joined(separator: ", ")): only "
        + (names.count == 1 ? "that entity itself matches" : "those themselves match"),
      kind: "unknownHierarchy",
      hint: (Archive.isArchive(timeline.path)
        ? "read it together with its store: STORE --archive \(ShellWord.quoted(timeline.path)); "
        : "name those that inherit too, each with --entity; ")
        + "without inheritance: --exact-entity")
  }
}
