import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage
import Terminal

/// One run of a command: its console, its output options, and the status that it will end with.
final class Session {
  let console: Console
  let options: OutputOptions
  let palette: Palette
  let diagnostics: Diagnostics
  private(set) var status = ExitStatus.success
  /// The titles of the columns that a narrow terminal hides, each once.
  private(set) var hiddenColumns: [String] = []
  private let outlivesReader: Bool
  /// The stores that only a list names, as `find` writes it: those without history are skipped.
  var listedStores: Set<FilePath> = []
  /// Whether it was reported that the history is empty.
  var hasReportedEmptyHistory = false

  var environment: TerminalEnvironment { console.terminal }
  var now: StoreTimestamp { console.now }
  /// Writes times in the style that was asked for.
  var time: TimeText { TimeText(style: options.date, now: now) }

  /// Where the command writes its answer: standard output, or a pager.
  private(set) lazy var writer = OutputWriter(descriptor: console.output)

  /// - Parameter outlivesReader: ``HistctlCommand/outlivesReader``.
  init(_ options: OutputOptions, _ console: Console, outlivesReader: Bool = false) {
    self.options = options
    self.outlivesReader = outlivesReader
    self.console = console
    palette = Palette(isColored: options.color.colorsOutput(in: console.terminal))
    diagnostics = Diagnostics(options: options, console: console)
  }

  /// Writes tokens of a store in the form that was asked for.
  func tokens(of store: String?) -> TokenText {
    TokenText(isQualified: options.qualified, store: store)
  }

  /// Ends with this status unless an earlier problem has set another.
  func end(with status: ExitStatus) {
    if self.status == .success { self.status = status }
  }

  /// Reports an error that does not stop the command, and ends with its status.
  func fail(with error: any Error) {
    let failure = Failure(error)
    diagnostics.report(failure)
    end(with: failure.status)
  }

  /// Writes to standard output, through a pager where the command wants one and a terminal has one.
  func write(usesPager: Bool, _ body: (OutputWriter) throws -> Void) throws {
    try Pager.withOutput(
      usesPager: usesPager && environment.isOutputTerminal && !options.noPager && !options.json,
      environment: environment, diagnostics: diagnostics.wordWriter, descriptor: console.output
    ) { writer in
      self.writer = writer
      writer.outlivesReader = outlivesReader
      if options.json, environment.isOutputTerminal { writer.guardedForm = .json }
      try body(writer)
    }
    guard !hiddenColumns.isEmpty, environment.isErrorTerminal else { return }
    let note = TableCell(
      "\(hiddenColumns.joined(separator: ", ")) hidden: terminal too narrow (use --json)")
    let lines = StyledLine(self).lines(note.spans, indentation: 0, width: environment.lineWidth)
    for line in lines { diagnostics.note(line) }
  }

  /// Makes a table for standard output and remembers the columns that a narrow terminal hides.
  func table(columns: [TableColumn], sample: [[TableCell]]) -> Table {
    let table = Table(
      columns: columns, sample: sample, environment: environment, palette: palette)
    leaveOut(table.hiddenTitles)
    return table
  }

  /// Remembers columns that are not shown.
  func leaveOut(_ titles: [String]) {
    hiddenColumns += titles.filter { !hiddenColumns.contains($0) }
  }
}

extension Session: FieldPage {
  var session: Session { self }
}

extension OutputWriter {
  /// Writes the text of an encoder, and removes it there.
  func write(_ text: inout some EncodedText) throws {
    try text.withUnsafeBytes { try write($0) }
    text.removeAll()
  }

  /// Writes a JSON value as one line.
  func writeLine(_ json: JSONValue) throws(OutputError) {
    var line = JSONWriter()
    line.append(json)
    line.appendRaw("\n")
    try line.withUnsafeBytes { bytes throws(OutputError) in try write(bytes) }
  }
}

extension Cancellation {
  /// Ends the reading of a command that a signal ends: see ``DeferredSignals/endingReads(_:)``.
  static func bySignal() -> Cancellation { Cancellation { DeferredSignals.isPending } }
}

extension DeferredSignals {
  /// Runs a body as ``run(_:)`` does. A signal also ends the reading of stores and archives at its next step.
  static func endingReads<Result>(_ body: () throws -> Result) throws -> Result {
    try run {
      do {
        return try body()
      } catch {
        // The signal is the reason.
        try check()
        throw error
      }
    }
  }
}
