import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// Whether old and new values of updates are shown that were recorded beside the store.
struct ValuesOptions: CheckedOptions {
  @Flag(
    name: .customLong("no-values"),
    help: "Leave out old and new values of updates that were recorded.")
  var omitsValues = false

  @Option(
    name: .customLong("values-file"),
    help: ArgumentHelp(
      "Look for recorded values in this file instead of STORE-values.db.", valueName: "file"),
    completion: .file())
  var valuesFile: String?

  /// Those of a command line that says nothing of values.
  static var usual: ValuesOptions {
    var options = ValuesOptions()
    options.omitsValues = false
    options.valuesFile = nil
    return options
  }

  func check() throws {
    if omitsValues, valuesFile != nil {
      throw ValidationError("--values-file names values that --no-values leaves out: give one")
    }
  }

  /// The recorded values of a store; nil where there are none, or none are wanted.
  ///
  /// - Throws: `StoreError` where the file is there and cannot be used.
  func values(_ snapshot: StoreSnapshot?) throws -> RecordedValues? {
    guard !omitsValues, let snapshot else { return nil }
    return try RecordedValues(beside: snapshot, path: valuesFile)
  }

  /// Lets a query give recorded values; where they cannot be used and nobody named them, that is told
  /// and the answer goes without.
  func apply(to query: inout HistoryQuery, _ session: Session, _ timeline: HistoryTimeline) throws {
    query.omitsRecordedValues = omitsValues
    query.recordedValues = try usable(session, timeline)
  }

  /// The recorded values of a store, where they can be used; else that is told.
  func usable(_ session: Session, _ timeline: HistoryTimeline) throws -> RecordedValues? {
    do {
      return try values(timeline.snapshot)
    } catch let error as StoreError {
      guard valuesFile == nil else { throw error }
      let failure = Failure(error)
      session.diagnostics.warn(failure.message, kind: failure.kind, hint: failure.hint)
      session.end(with: failure.status)
      return nil
    }
  }
}
