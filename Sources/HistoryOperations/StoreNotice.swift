import HistoryCoding
import PersistentHistory
import StoreFormat

/// A condition of a store or an archive that needs the attention of a person.
package struct StoreNotice: Hashable, Sendable {
  /// The name for programs.
  package let kind: String
  package let text: String
  /// Whether the store is damaged.
  let isDamage: Bool

  package var json: JSONValue { .object(of: ["kind": kind, "message": text]) }
}

extension [StoreNotice] {
  /// Makes the notices on a store: damage that shows without reading all of it first.
  ///
  /// - Parameters:
  ///   - reach: The reach of its history; `nil` for a store without history tables.
  ///   - mirroring: The state of the mirror; `nil` if it is unknown.
  ///   - logProblem: A problem of its log that was found before it was opened.
  package init(
    on snapshot: StoreSnapshot, reach: HistoryReach?, mirroring: MirroringState?,
    logProblem: String?
  ) throws {
    self = []
    let damage = try EvidentDamage(of: snapshot)
    add("damagedLog", logProblem, isDamage: true)
    // Of the log and of counters there is another notice.
    for finding in damage.findings
    where finding.kind != .tornCounter && !(finding.isOfLog && logProblem != nil) {
      add(
        finding.kind.rawValue, "damaged: \(finding.place): \(finding.detail)", isDamage: true)
    }
    add("unfinishedLog", damage.unfinishedLog)
    if snapshot.location.hasRolledBackSave {
      add("unfinishedSave", snapshot.location.rolledBackSaveMessage)
    }
    if let reach {
      add(reach)
      add(
        "missingChanges",
        try MissingChanges(in: snapshot, transactionCount: snapshot.transactionCount())?.text)
    }
    add(snapshot.layout, mirroring)
    if !snapshot.metadata.isComplete {
      add("missingMetadata", "the store's property list is missing or unreadable")
    }
  }

  /// Adds a notice, if there is a text.
  package mutating func add(_ kind: String, _ text: String?, isDamage: Bool = false) {
    if let text { append(StoreNotice(kind: kind, text: text, isDamage: isDamage)) }
  }

  private mutating func add(_ reach: HistoryReach) {
    if reach.isTorn {
      add(
        "torn",
        "the store issued lower numbers than its history contains: a copy that lost its -wal")
    }
    if reach.oldest == nil, reach.highestIssued > 0 {
      add(
        "emptied",
        "the history was emptied after number \(reach.highestIssued): every saved token has expired"
      )
    } else if let oldest = reach.oldest, oldest.number > 1 {
      add(
        "pruned",
        "the history was pruned before number \(oldest.number): older tokens have expired")
    }
  }

  private mutating func add(_ layout: StoreLayout, _ mirroring: MirroringState?) {
    if !layout.mirroringTables.isEmpty {
      add(
        "mirrored",
        "the store is mirrored to CloudKit, which needs its history"
          + (mirroring.map { $0.need.text } ?? ""))
    }
    if layout.history?.internsStrings == false {
      add(
        "oldLayout",
        "the history has the layout of macOS 10.13; column masks of that time can be unreliable")
    }
    if layout.history?.indexesChangesByTransaction == false {
      add("missingIndex", "the index of changes by transaction is missing, so reading is slow")
    }
  }
}

extension MirroringState.Need {
  /// The end of a sentence that says the mirror needs history.
  fileprivate var text: String {
    switch self {
    case .from(let number): " from transaction \(number) on"
    case .unknown(let reason): "; how much is unknown: \(reason)"
    }
  }
}

extension StoreOrigin {
  /// Returns its name, with the version of the framework and its system.
  package func text(_ version: FrameworkVersion?) -> String {
    name
      + (version.map { version in
        " (framework \(version.number)" + (version.system.map { ", \($0)" } ?? "") + ")"
      } ?? "")
  }
}
