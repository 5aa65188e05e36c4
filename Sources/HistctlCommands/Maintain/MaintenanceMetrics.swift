import HistoryOperations
import PersistentHistory
import StoreFormat

/// What runs have done with each store, as metrics of Prometheus in a file that keeps what is older than the last run:
/// when a store was last maintained with success, and how often it has failed since.
struct MaintenanceMetrics {
  private var lastRun = PrometheusMetric(
    "histctl_maintain_last_run_timestamp_seconds",
    "When the store was last maintained, in seconds since 1970.")
  private var lastSuccess = PrometheusMetric(
    "histctl_maintain_last_success_timestamp_seconds",
    "When the store was last maintained without a failure, in seconds since 1970.")
  private var failures = PrometheusMetric(
    "histctl_maintain_failures", "Failed runs since the last one without a failure.")
  private var duration = PrometheusMetric(
    "histctl_maintain_duration_seconds", "How long the last run on the store took.")
  private var deleted = PrometheusMetric(
    "histctl_maintain_deleted_transactions", "Transactions that the last run deleted.")
  private var freed = PrometheusMetric(
    "histctl_maintain_freed_bytes", "Bytes that the last run returned to the file system.")

  private let file: MetricsFile
  /// The samples of earlier runs, by name and labels.
  private let earlier: [[UInt8]: Double]
  private let earlierLines: [String]
  private let now: StoreTimestamp
  private var paths: [String] = []

  /// Reads what earlier runs have written.
  init(_ path: String, now: StoreTimestamp) {
    file = MetricsFile(path)
    self.now = now
    earlierLines = file.lines.filter { $0.hasPrefix("histctl_maintain_") }.map(String.init)
    var earlier: [[UInt8]: Double] = [:]
    for line in earlierLines {
      guard let blank = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: blank)...]), value.isFinite
      else { continue }
      earlier[Array(line[...blank].utf8)] = value
    }
    self.earlier = earlier
  }

  /// Adds what was done with a store.
  mutating func add(_ outcome: MaintenanceOutcome) {
    let labels = [("section", outcome.section), ("path", outcome.path)]
    let (seconds, attoseconds) = outcome.duration.components
    duration.add(
      Double(seconds) + (Double(attoseconds) / 1e15).rounded() / 1000, labels: labels)
    deleted.add(Double(outcome.prune?.deleted.transactionCount ?? 0), labels: labels)
    freed.add(Double(outcome.freedBytes ?? 0), labels: labels)
    add(outcome.path, labels, hasFailed: outcome.failure != nil)
  }

  /// Adds a store that was left out.
  mutating func add(failed path: String, section: String) {
    add(path, [("section", section), ("path", path)], hasFailed: true)
  }

  private mutating func add(_ path: String, _ labels: [(String, String)], hasFailed: Bool) {
    paths.append(path)
    guard let time = now.secondsSince1970 else { return }
    lastRun.add(time, labels: labels)
    failures.add(
      hasFailed ? max(earlier[Array(failures.start(labels).utf8)] ?? 0, 0) + 1 : 0, labels: labels)
    if let success = hasFailed ? earlier[Array(lastSuccess.start(labels).utf8)] : time {
      lastSuccess.add(success, labels: labels)
    }
  }

  /// Replaces the file in one step.
  ///
  /// - Parameter keepsOthers: Whether stores that were not maintained now keep what the file has of them.
  mutating func write(keepsOthers: Bool) throws {
    func text(_ metric: PrometheusMetric) -> String {
      var metric = metric
      guard keepsOthers else { return metric.text }
      for line in earlierLines where line.hasPrefix(metric.name + "{") { metric.keep(line) }
      return metric.text
    }
    let text = [lastRun, lastSuccess, failures, duration, deleted, freed].map(text).joined()
    try file.replace(with: text, about: paths)
  }
}
