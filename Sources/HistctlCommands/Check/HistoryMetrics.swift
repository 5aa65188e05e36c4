import PersistentHistory
import StoreFormat
import Terminal

/// How histories are, as metrics of Prometheus.
struct HistoryMetrics {
  private var families: [PrometheusMetric]

  /// The metrics in the order in which they are written.
  private enum Family: Int, CaseIterable {
    case readable, findings, storeBytes, freeBytes, historyBytes, transactions, oldest, newest
    case usable, lost, behind, unreadSince, headroom

    var metric: PrometheusMetric {
      switch self {
      case .readable: .init("histctl_store_readable", "Whether the history could be read.")
      case .findings:
        .init("histctl_findings", "What is beyond its limit, of size, age, bookmarks.")
      case .storeBytes: .init("histctl_store_bytes", "Bytes of all pages of the store.")
      case .freeBytes: .init("histctl_store_free_bytes", "Bytes of pages that hold nothing.")
      case .historyBytes:
        .init("histctl_history_bytes", "Bytes of the pages that the history occupies.")
      case .transactions: .init("histctl_history_transactions", "Transactions in the history.")
      case .oldest:
        .init(
          "histctl_history_oldest_timestamp_seconds",
          "When the oldest transaction was saved, in seconds since 1970.")
      case .newest:
        .init(
          "histctl_history_newest_timestamp_seconds",
          "When the newest transaction was saved, in seconds since 1970.")
      case .usable: .init("histctl_bookmark_usable", "Whether the bookmark works.")
      case .lost:
        .init("histctl_bookmark_lost", "Whether the bookmark is farther behind than is allowed.")
      case .behind:
        .init(
          "histctl_bookmark_behind_transactions", "Transactions that its consumer has not read.")
      case .unreadSince:
        .init(
          "histctl_bookmark_unread_timestamp_seconds",
          "When the oldest of them was saved, in seconds since 1970.")
      case .headroom:
        .init(
          "histctl_bookmark_headroom_seconds",
          "How long the bookmark would go on working with the retention, at the present rate.")
      }
    }
  }

  init() {
    families = []
    for family in Family.allCases { families.append(family.metric) }
  }

  /// Adds one history; nil for one that could not be read.
  mutating func add(_ health: HistoryHealth?, path: String) {
    let store = [("path", path)] + (health?.storeIdentifier.map { [("store", $0)] } ?? [])
    func add(_ family: Family, _ value: Double?, _ labels: [(String, String)] = []) {
      guard let value else { return }
      families[family.rawValue].add(value, labels: store + labels)
    }
    // The same labels whether it can be read or not, so that it is the same series.
    families[Family.readable.rawValue].add(health == nil ? 0 : 1, labels: [("path", path)])
    guard let health else { return }
    add(.findings, Double(health.findings.count))
    add(.storeBytes, Double(health.storeByteCount))
    add(.freeBytes, Double(health.freeByteCount))
    add(.historyBytes, health.historyByteCount.map(Double.init))
    add(.transactions, Double(health.transactionCount))
    add(.oldest, health.oldest?.timestamp?.secondsSince1970)
    add(.newest, health.newest?.timestamp?.secondsSince1970)
    for standing in health.bookmarks {
      let bookmark = [("bookmark", standing.bookmark.name)]
      add(.usable, standing.token.state == .valid ? 1 : 0, bookmark)
      add(.lost, standing.isLost ? 1 : 0, bookmark)
      add(.behind, (standing.lag?.transactions).map(Double.init), bookmark)
      add(.unreadSince, standing.lag?.unreadSince?.secondsSince1970, bookmark)
      switch standing.headroom {
      case nil: break
      case .exhausted?: add(.headroom, 0, bookmark)
      case .seconds(let seconds)?: add(.headroom, seconds, bookmark)
      case .unlimited?: add(.headroom, .infinity, bookmark)
      }
    }
  }

  /// Writes all metrics that have a value.
  func write(_ writer: OutputWriter) throws {
    for family in families where !family.isEmpty { try writer.write(family.text) }
  }
}

extension StoreTimestamp {
  /// Seconds since the beginning of 1970, as Unix counts; nil where the time is none.
  fileprivate var secondsSince1970: Double? {
    let seconds = secondsSinceReferenceDate + 978_307_200
    return seconds.isFinite ? seconds : nil
  }
}
