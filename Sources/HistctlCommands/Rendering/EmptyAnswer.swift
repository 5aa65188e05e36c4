import PersistentHistory
import StoreFormat

/// What to tell a person to whom a list came back empty.
struct EmptyAnswer {
  let text: String

  init(_ timeline: HistoryTimeline) throws {
    if let newest = try timeline.newestTransaction() {
      text = "no transaction matches; the newest is \(newest.number)"
    } else if let snapshot = timeline.snapshot,
      snapshot.entities.highestNumber(of: .transaction) > 0
    {
      text =
        "the history is empty: all of it was pruned, up to number "
        + "\(snapshot.entities.highestNumber(of: .transaction))"
    } else {
      text = "the history is empty: nothing has been saved since it is kept"
    }
  }
}

extension Session {
  /// Explains an empty answer to a query: names of savers that no transaction has, always, and the reach
  /// of the history to a person.
  func explainEmptyAnswer(to query: HistoryQuery, of timeline: HistoryTimeline) throws {
    if try warnOfUnknownSavers(in: query, of: timeline) { return }
    if environment.isErrorTerminal, !options.json {
      diagnostics.note(try EmptyAnswer(timeline).text)
    }
  }

  /// Warns of authors, bundles and processes that were asked for and that no transaction has.
  ///
  /// - Returns: Whether there was one. Of an archive nothing lists them.
  func warnOfUnknownSavers(
    in query: HistoryQuery, of timeline: HistoryTimeline
  ) throws -> Bool {
    guard timeline.archive == nil, let snapshot = timeline.snapshot else { return false }
    let conditions: [(StringRole, String, HistoryQuery.TextCondition)] = [
      (.author, "author", query.author), (.bundle, "bundle", query.bundle),
      (.process, "process", query.process),
    ]
    var isAnyUnknown = false
    for (role, noun, condition) in conditions {
      guard let wanted = condition.anyOf, !wanted.isEmpty else { continue }
      let known = try snapshot.textCounts(role).compactMap { $0.text?.string }
      guard known.count < StoreSnapshot.maxGroups else { continue }
      for name in wanted where !known.contains(name) {
        isAnyUnknown = true
        let near = NearNames.of(name, in: known)
        let hint =
          known.isEmpty
          ? "no transaction has any \(noun)"
          : near.isEmpty
            ? "there are: \(known.prefix(10).joined(separator: ", "))"
            : "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
        diagnostics.warn(
          "no transaction has the \(noun) '\(name)'",
          kind: "unknown" + noun.capitalized, hint: hint)
      }
    }
    return isAnyUnknown
  }

  /// Notes that only the named entities match, where nothing tells which ones inherit from them.
  func noteUnknownHierarchy(of query: HistoryQuery, in timeline: HistoryTimeline) {
    guard timeline.snapshot == nil, !query.change.entities.isEmpty else { return }
    let names = query.change.entities.joined(separator: ", ")
    diagnostics.warn(
      "\(timeline.path) does not tell which entities inherit from \(names): only "
        + "\(query.change.entities.count == 1 ? "that entity itself matches" : "those themselves match")",
      kind: "unknownHierarchy",
      hint: "read it together with its store, or use --exact-entity, which means just that")
  }
}
