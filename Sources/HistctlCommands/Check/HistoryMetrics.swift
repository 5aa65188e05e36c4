import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// The health of histories, as metrics of Prometheus.
struct HistoryMetrics {
  private var families: [PrometheusMetric]

  /// The metrics in the order in which they are written.
  private enum Family: Int, CaseIterable {
    case readable, findings, storeBytes, freeBytes, historyBytes, transactions, oldest, newest
    case largestObject, largestAttribute
    case mirrorBehind, mirrorPending, mirrorSuccess, mirrorFailures, mirrorFailingSince
    case usable, beyondLimit, behind, unreadSince, headroom

    var metric: PrometheusMetric {
      switch self {
      case .readable:
        .init("histctl_store_readable", "1 if the history could be read, otherwise 0.")
      case .findings:
        .init(
          "histctl_findings",
          "Number of findings: limits exceeded (size, age, bookmarks), bookmarks that do not work, damage."
        )
      case .storeBytes: .init("histctl_store_bytes", "Bytes of all pages of the store.")
      case .freeBytes: .init("histctl_store_free_bytes", "Bytes of unused pages of the store.")
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
      case .largestObject:
        .init(
          "histctl_history_largest_object_share",
          "Share of all changes that the object with the most changes has, from 0 to 1.")
      case .largestAttribute:
        .init(
          "histctl_history_largest_attribute_share",
          "Share of all changes that are updates of the attribute with the most updates, from 0 to 1."
        )
      case .mirrorBehind:
        .init(
          "histctl_mirror_behind_transactions",
          "Transactions that the mirror in CloudKit has not read.")
      case .mirrorPending:
        .init("histctl_mirror_pending_records", "Records that wait to be uploaded to CloudKit.")
      case .mirrorSuccess:
        .init(
          "histctl_mirror_last_success_timestamp_seconds",
          "When the mirror last ended an event of this kind with success, in seconds since 1970.")
      case .mirrorFailures:
        .init(
          "histctl_mirror_failures",
          "Failed events of this kind since the last one that succeeded.")
      case .mirrorFailingSince:
        .init(
          "histctl_mirror_failing_since_timestamp_seconds",
          "When the first failed event since the last successful one began, in seconds since 1970.")
      case .usable: .init("histctl_bookmark_usable", "1 if the bookmark works, otherwise 0.")
      case .beyondLimit:
        .init(
          "histctl_bookmark_beyond_limit",
          "1 if the bookmark's consumer has more left to read than --max-behind allows, otherwise 0."
        )
      case .behind:
        .init(
          "histctl_bookmark_behind_transactions",
          "Transactions that the bookmark's consumer has not read.")
      case .unreadSince:
        .init(
          "histctl_bookmark_unread_timestamp_seconds",
          "When the oldest transaction that the bookmark's consumer has not read was saved, in seconds since 1970."
        )
      case .headroom:
        .init(
          "histctl_bookmark_headroom_seconds",
          "Seconds until the bookmark would expire under --keep-within or --keep-last, at the present rate of saves."
        )
      }
    }
  }

  init() { families = Family.allCases.map(\.metric) }

  /// Adds one history; `nil` if it could not be read.
  ///
  /// - Parameter hasLimit: Whether there is a limit on what consumers have left to read.
  mutating func add(_ result: HistoryCheck.Result?, path: String, hasLimit: Bool) {
    let (health, statistics) = (result?.health, result?.statistics)
    let store = [("path", path)] + (health?.storeIdentifier.map { [("store", $0)] } ?? [])
    func add(_ family: Family, _ value: Double?, _ labels: [(String, String)] = []) {
      guard let value else { return }
      families[family.rawValue].add(value, labels: store + labels)
    }
    // The labels must not depend on whether it can be read, or it would be another series.
    families[Family.readable.rawValue].add(health == nil ? 0 : 1, labels: [("path", path)])
    guard let health else { return }
    add(.findings, Double(health.findings.count))
    add(.storeBytes, Double(health.storeByteCount))
    add(.freeBytes, Double(health.freeByteCount))
    add(.historyBytes, health.historyByteCount.map(Double.init))
    add(.transactions, Double(health.transactionCount))
    add(.oldest, health.oldest?.timestamp?.secondsSince1970)
    add(.newest, health.newest?.timestamp?.secondsSince1970)
    if let statistics, let object = statistics.objects.entries.first {
      add(
        .largestObject, statistics.shares(of: object.activity).changes,
        [("object", object.label)])
    }
    if let statistics, let attribute = statistics.attributes.ranking.first {
      add(
        .largestAttribute, statistics.shares(of: attribute.activity).changes,
        [("entity", attribute.name.entity), ("attribute", attribute.name.attribute)])
    }
    if let mirroring = health.mirroring {
      add(.mirrorBehind, mirroring.transactionsBehind.map(Double.init))
      add(.mirrorPending, (mirroring.exports?.pendingCount).map(Double.init))
      if case .value(let activities) = mirroring.activities {
        for activity in activities {
          let event = [("event", activity.kind.name)]
          add(.mirrorSuccess, activity.lastSuccess?.secondsSince1970, event)
          add(.mirrorFailures, Double(activity.failures?.count ?? 0), event)
          add(.mirrorFailingSince, activity.failures?.since?.secondsSince1970, event)
        }
      }
    }
    for status in health.bookmarks {
      let bookmark = [("bookmark", status.bookmark.name)]
      add(.usable, status.token.state == .valid ? 1 : 0, bookmark)
      // Without a limit nothing is beyond it.
      if hasLimit { add(.beyondLimit, status.isLost ? 1 : 0, bookmark) }
      add(.behind, (status.lag?.transactions).map(Double.init), bookmark)
      add(.unreadSince, status.lag?.unreadSince?.secondsSince1970, bookmark)
      switch status.headroom {
      case nil: break
      case .exhausted?: add(.headroom, 0, bookmark)
      case .seconds(let seconds)?: add(.headroom, seconds, bookmark)
      case .unlimited?: add(.headroom, .infinity, bookmark)
      }
    }
  }

  /// All metrics that have a value.
  var text: String { families.map(\.text).joined() }
}
