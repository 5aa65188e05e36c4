import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Writes a page that shows one or several histories: a single HTML file with its data inside.
///
/// A store is read in one snapshot: once in full, for the counts, and then its newest transactions.
/// Neither the memory nor the size of the page grows with the history.
package struct HistoryReport {
  /// The totals of a written report.
  package struct Summary: Sendable {
    package internal(set) var histories = 0
    package internal(set) var transactions: Int64 = 0
    package internal(set) var listedTransactions: Int64 = 0
    package internal(set) var bytes: Int64 = 0
  }

  /// The maximum size of the listed transactions of all histories, in bytes.
  private static let maxListBytes = 3_500_000

  /// The histories to show.
  var inputs: [HistoryInput]
  /// The title; `nil` for one made of the names of the stores.
  package var title: String?
  /// The conditions of the query, as they were given.
  package var filters: [String] = []
  /// The maximum number of transactions that are listed with their changes, for each history.
  package var maxTransactions = 10_000
  /// Whether to leave out values and tombstones.
  package var isRedacted = false
  /// Whether to show the digests of the files of stores.
  package var showsDigests = false
  /// The program that makes the page.
  package var maker: String
  /// The time that the page says it was made at; `nil` for none.
  package var madeAt: StoreTimestamp?
  private let query: (HistoryTimeline, TokenResolver) throws -> HistoryQuery
  private let failed: (String, any Error) throws -> String

  /// - Parameters:
  ///   - inputs: The histories to show.
  ///   - maker: The program that makes the page.
  ///   - query: Returns which transactions of a history to show.
  ///   - failed: Called with an error of one of several histories, and returns the text for the page;
  ///     an error that it throws ends the report.
  package init(
    _ inputs: [HistoryInput], maker: String,
    query: @escaping (HistoryTimeline, TokenResolver) throws -> HistoryQuery,
    failed: @escaping (String, any Error) throws -> String
  ) {
    self.inputs = inputs
    self.maker = maker
    self.query = query
    self.failed = failed
  }

  /// Writes the page into a file, which appears when it is complete and is readable only by users who
  /// can read all the stores.
  ///
  /// - Throws: ``OperationError``, and what reading throws.
  package func writeFile(_ path: String, overwrites: Bool) throws -> Summary {
    try OutputFile.write(
      path, permissions: .common(toFilesAt: self.inputs.map(\.path)), overwrites: overwrites,
      wayAround: "name a file, such as report.html"
    ) { draft in
      let summary = try write(replacing: path) { try draft.write($0) }
      try draft.commit()
      return summary
    }
  }

  /// Writes the page to an output.
  ///
  /// - Throws: What reading and the output throw.
  package func write(
    _ output: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Summary { try write(replacing: nil, output) }

  private func write(
    replacing file: String?, _ output: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Summary {
    let page = ReportPage()
    var text = ReportText { try output($0) }
    var summary = Summary()
    let inputs = try self.inputs.flatMap { try $0.histories() }
    let names = HistoryInput.names(of: inputs)
    var separator = JSONWriter()
    separator.appendRaw(",")
    var room = Self.maxListBytes
    for (place, input) in inputs.enumerated() {
      let share = room / (inputs.count - place)
      let result = try history(of: input, names[place], replacing: file, byteLimit: share)
      // Nothing is written if the first history ends the report.
      if place == 0 {
        let title = pageTitle(names)
        try text.write(page: page.beforeData(title: title))
        try text.write(head(title))
      } else {
        try text.write(separator)
      }
      switch result {
      case .success(let history):
        try history.write(to: &text)
        room -= history.transactions.byteCount
        summary.transactions += history.statistics.total.transactions
        summary.listedTransactions += history.transactions.transactionCount
      case .failure(let problem):
        var writer = JSONWriter()
        writer.append(
          .object(of: ["name": names[place], "path": input.path, "problem": problem.text]))
        try text.write(writer)
      }
      summary.histories += 1
    }
    var end = JSONWriter()
    end.appendRaw("]}")
    try text.write(end)
    try text.write(page: page.afterData)
    summary.bytes = text.byteCount
    return summary
  }

  /// The error that a page shows for a history that could not be read.
  private struct Problem: Error {
    let text: String
  }

  /// Reads a history, or returns why it cannot be read if there are others.
  private func history(
    of input: HistoryInput, _ name: String, replacing file: String?, byteLimit: Int
  ) throws -> Result<ReportHistory, Problem> {
    do {
      let before =
        try showsDigests && input.isStore
        ? StoreDigests(ofStoreAt: input.path) : nil
      // Before the store is opened.
      let logProblem = StoreReading.logProblem(of: input.path)
      var history = try input.open().read { timeline, _, resolver in
        if let file { try timeline.checkIsNotReplaced(by: file) }
        _ = try timeline.snapshot?.historyTables()
        let query = try query(timeline, resolver)
        do {
          return try ReportHistory(
            timeline, query: query, report: self, input: input, name: name,
            logProblem: timeline.snapshot == nil ? nil : logProblem, byteLimit: byteLimit)
        } catch {
          throw try timeline.explaining(error, of: query, schema: timeline.schema())
        }
      }
      // The store is closed now.
      if let before {
        history.add(
          DigestComparison(before: before, after: try StoreDigests(ofStoreAt: input.path)))
      }
      return .success(history)
    } catch {
      guard self.inputs.count > 1 else { throw error }
      if let error = error as? OperationError, error.kind == .ontoItself { throw error }
      return .failure(Problem(text: try failed(input.path, error)))
    }
  }

  private func pageTitle(_ names: [String]) -> String {
    title
      ?? (names.count == 1
        ? "History of \(names[0])"
        : names.count == 2
          ? "Histories of \(names[0]) and \(names[1])" : "Histories of \(names.count) stores")
  }

  private func head(_ title: String) -> JSONWriter {
    var writer = JSONWriter()
    writer.appendRaw("{\"format\":\"histctl-report\",\"version\":1")
    writer.append(members: [
      "title": title,
      "made": JSONValue.object(of: [
        "by": maker, "at": madeAt.map { Optional($0).reportJSON },
      ]), "filters": filters, "redacted": isRedacted,
    ])
    writer.appendRaw(",\"histories\":[")
    return writer
  }
}

extension JSONWriter {
  /// Writes members of an object after others.
  mutating func append(members: JSONValue.Members) {
    for (key, value) in JSONValue.list(of: members) {
      appendRaw(",")
      appendString(key)
      appendRaw(":")
      append(value)
    }
  }

  /// Writes an array after others.
  mutating func append(_ key: String, _ numbers: some Sequence<Int64>) {
    appendRaw(",")
    appendString(key)
    appendRaw(":[")
    var isFirst = true
    for number in numbers {
      if isFirst { isFirst = false } else { appendRaw(",") }
      append(number.reportJSON)
    }
    appendRaw("]")
  }
}
