import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// How a command writes its output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON, one object a line, also for errors.")
  var json = false

  @Flag(help: "Write tokens with the identifier of the store.")
  var qualified = false

  @Option(value: "style", help: "How to write times.")
  var date: TimeStyle = .local

  @Flag(help: "Write times with microseconds and their offset from UTC.")
  var preciseTimes = false

  @Option(value: "when", help: "When to use color.")
  var color: ColorChoice = .auto

  @Flag(help: "Do not show long output through a pager.")
  var noPager = false

  @Flag(name: .shortAndLong, help: "Write only errors and warnings to standard error.")
  var quiet = false

  /// The options of a command line without any of them.
  static var usual: OutputOptions {
    var options = OutputOptions()
    (options.json, options.qualified, options.date) = (false, false, .local)
    (options.preciseTimes, options.color, options.noPager) = (false, .auto, false)
    options.quiet = false
    return options
  }

  func validate() throws {
    if preciseTimes, date == .relative {
      throw ValidationError("--precise-times cannot be combined with --date relative")
    }
  }
}

extension ColorChoice: WordArgument {}

/// Whether a command that empties the log keeps the values that it holds.
struct ValueKeepingOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-values"),
    help: "Do not keep old and new values from the log in STORE-values.db.")
  var omitsValues = false
}

/// Whether to show the old and new values of changes, recorded beside the store or read from its log.
struct ValuesOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-values"),
    help: "Do not show old and new values.")
  var omitsValues = false

  @Option(value: .file, help: "Read recorded values from this file, not STORE-values.db.")
  var valuesFile: String?

  func validate() throws {
    if omitsValues, valuesFile != nil {
      throw ValidationError("--values-file and --no-values cannot be combined")
    }
  }

  /// Returns the recorded values of a store, or `nil` if there are none or none are wanted.
  ///
  /// - Throws: ``Failure`` or `StoreError` if the file exists and cannot be used.
  func values(_ snapshot: StoreSnapshot?) throws -> RecordedValues? {
    guard !omitsValues, let snapshot else { return nil }
    return try explaining { try RecordedValues(beside: snapshot, path: valuesFile) }
  }

  /// Runs what opens recorded values, and explains its errors with these options.
  func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      guard let hint = hint(for: error) else { throw error }
      var failure = Failure(error)
      failure.hint = hint
      throw failure
    }
  }

  private func hint(for error: StoreError) -> String? {
    switch error {
    case .missing(let path) where path == valuesFile:
      "check the path of --values-file; without the option, values are read from STORE-values.db"
    case .unusableValues:
      "leave the values out with --no-values, or name the file that has them with --values-file"
    default: nil
    }
  }

  /// Makes a query return recorded values; warns if they cannot be used, unless they were named.
  func apply(to query: inout HistoryQuery, _ reading: HistoryReading) throws {
    query.omitsRecordedValues = omitsValues
    query.recordedValues = try usable(reading.session, reading.timeline)
  }

  /// Returns the recorded values of a store, or warns that they cannot be used.
  func usable(_ session: Session, _ timeline: HistoryTimeline) throws -> RecordedValues? {
    do {
      return try values(timeline.snapshot)
    } catch let error where error is StoreError || error is Failure {
      guard valuesFile == nil else { throw error }
      let failure = Failure(error)
      session.diagnostics.warn(failure.message, kind: failure.kind.rawValue, hint: failure.hint)
      session.end(with: failure.status)
      return nil
    }
  }
}
