import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat

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
  /// - Parameter inStream: Whether the record of `--json` belongs to the lines on standard output, and not
  ///   to standard error.
  func note(missingBeginning gap: HistoryGap?, inStream: Bool = false) throws {
    guard let gap else { return }
    if gap.oldest == nil { session.hasReportedEmptyHistory = true }
    if isJSON { return inStream ? try writeLine(of: gap) : session.diagnostics.record(gap) }
    guard let oldest = gap.oldest else {
      return session.diagnostics.notice(
        (name.map { $0 + ": " } ?? "")
          + "the history is empty: the transactions up to \(try timeline.highestIssued()) were deleted, and their "
          + "changes are unknown")
    }
    let time = time.text(try timeline.position(ofTransaction: oldest)?.timestamp)
    session.diagnostics.notice(
      (name.map { $0 + ": " } ?? "")
        + "history begins at \(oldest), \(time); earlier changes are unknown")
  }

  /// Warns of counters that are lower than numbers in use.
  func warnOfTornCopy() throws {
    guard let snapshot = timeline.snapshot else { return }
    try session.observing { try StoreReading.warnOfTornCopy(in: snapshot, observer: $0) }
  }

  // MARK: - Answers that may surprise

  /// Explains an empty answer: authors and objects that the history does not have, and a history whose
  /// transactions were deleted. That nothing matches, or nothing was ever saved, is said on a terminal only.
  ///
  /// - Parameter skipped: The number of newest matches that were to be left out.
  func explainEmptyAnswer(to query: HistoryQuery, skipped: Int = 0) throws {
    guard !session.hasReportedEmptyHistory else { return }
    let newest = try timeline.newestTransaction()
    if newest == nil, let gap = try timeline.missingBeginning() {
      return try note(missingBeginning: gap)
    }
    if try warnOfUnknownNames(in: query) { return }
    let calculated = try timeline.calculatedProperties(of: query.change)
    if !calculated.isEmpty {
      return session.diagnostics.note(
        "the store calculates \(calculated.joined(separator: ", ")) from other attributes, and no "
          + "change of what is derived is recorded", kind: "derivedAttributes")
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

  /// Warns of authors, bundles, processes and objects in a query that the history does not have, and returns
  /// whether there was one.
  ///
  /// It may read all transactions of an archive.
  func warnOfUnknownNames(in query: HistoryQuery) throws -> Bool {
    let conditions: [(StringRole, String, HistoryQuery.TextCondition)] = [
      (.author, "author", query.author), (.bundle, "bundle", query.bundle),
      (.process, "process", query.process),
    ]
    var isAnyUnknown = false
    for (role, noun, condition) in conditions {
      guard let wanted = condition.anyOf, !wanted.isEmpty else { continue }
      guard let known = try timeline.names(role) else { continue }
      for name in wanted where !known.contains(name) {
        isAnyUnknown = true
        let near = NearNames.of(name, in: known)
        let hint =
          known.isEmpty
          ? "no transaction has any \(noun)"
          : near.isEmpty
            ? "there are: \(known.prefix(10).joined(separator: ", "))"
            : "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
        session.diagnostics.warn(
          "no transaction has the \(noun) '\(name)'", kind: "unknown" + noun.capitalized,
          hint: hint)
      }
    }
    return try warnOfUnknownObjects(in: query) || isAnyUnknown
  }

  /// Warns of objects in a query that are neither in the store nor in its history, and returns whether there
  /// was one.
  func warnOfUnknownObjects(in query: HistoryQuery) throws -> Bool {
    let objects = query.change.objects
    guard !objects.isEmpty, timeline.snapshot.map({ $0.layout.history != nil }) ?? true else {
      return false
    }
    let schema = try timeline.schema(
      timeline.snapshot.map { HistorySchema(namesOf: $0.entities) })
    var isAnyUnknown = false
    for object in objects {
      let reader = try ObjectLifeReader(object, in: timeline, schema: schema)
      guard try reader.nextTransaction() == nil, reader.life.state == .unknown else { continue }
      isAnyUnknown = true
      let failure = Failure(try reader.unknownObject())
      session.diagnostics.warn(failure.message, kind: failure.kind.rawValue, hint: failure.hint)
    }
    return isAnyUnknown
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
      hint: "read it together with its store, or use --exact-entity")
  }
}
