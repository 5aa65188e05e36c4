import HistoryCoding

/// What was looked at by a verification: its words and its members of JSON.
protocol FactsReport {
  /// What was looked at, in one line.
  var summary: String { get }
  /// What is good to know without being a problem.
  var notes: [String] { get }
  /// The same for programs.
  var members: [(String, JSONValue)] { get }
}
