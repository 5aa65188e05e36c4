import PersistentHistory
import StoreFormat

/// A condition of a store that needs the attention of a person.
package struct StoreNotice: Hashable, Sendable {
  /// The name for programs.
  package let kind: String
  package let text: String
  /// Whether the store is damaged.
  let isDamage: Bool

  package init(kind: String, text: String, isDamage: Bool = false) {
    self.kind = kind
    self.text = text
    self.isDamage = isDamage
  }

  /// Returns the notices on a store: damage that shows without reading all of it first.
  ///
  /// - Parameters:
  ///   - reach: The reach of its history; `nil` for a store without history tables.
  ///   - mirroring: The state of the mirror; `nil` if it is unknown.
  ///   - logProblem: A problem of its log that was found before it was opened.
  package static func notices(
    on snapshot: StoreSnapshot, reach: HistoryReach?, mirroring: MirroringState?,
    logProblem: String?
  ) throws -> [StoreNotice] {
    let damage = try EvidentDamage(of: snapshot)
    return try
      (logProblem.map { [StoreNotice(kind: "damagedLog", text: $0, isDamage: true)] } ?? [])
      + self.damage(damage, logProblem: logProblem)
      + (damage.unfinishedLog.map { [StoreNotice(kind: "unfinishedLog", text: $0)] } ?? [])
      + (snapshot.location.hasRolledBackSave
        ? [StoreNotice(kind: "unfinishedSave", text: snapshot.location.rolledBackSaveMessage)] : [])
      + (reach.map(notices) ?? []) + missingChanges(snapshot, reach)
      + notices(snapshot.layout, mirroring)
      + (snapshot.metadata.isComplete
        ? []
        : [
          StoreNotice(
            kind: "missingMetadata", text: "the store's property list is missing or unreadable")
        ])
  }

  /// Lists damage, except that of the log and of counters if there is another notice.
  private static func damage(_ damage: EvidentDamage, logProblem: String?) -> [StoreNotice] {
    damage.findings.filter { $0.kind != .tornCounter && !($0.isOfLog && logProblem != nil) }.map {
      StoreNotice(
        kind: $0.kind.rawValue, text: "damaged: \($0.place): \($0.detail)", isDamage: true)
    }
  }

  private static func missingChanges(
    _ snapshot: StoreSnapshot, _ reach: HistoryReach?
  ) throws -> [StoreNotice] {
    guard reach != nil,
      let missing = try MissingChanges(
        in: snapshot, transactionCount: snapshot.transactionCount())
    else { return [] }
    return [StoreNotice(kind: "missingChanges", text: missing.text)]
  }

  private static func notices(_ reach: HistoryReach) -> [StoreNotice] {
    var notices: [StoreNotice] = []
    if reach.isTorn {
      notices.append(
        StoreNotice(
          kind: "torn",
          text:
            "the store issued lower numbers than its history contains: a copy that lost its -wal"))
    }
    if reach.oldest == nil, reach.highestIssued > 0 {
      notices.append(
        StoreNotice(
          kind: "emptied",
          text: "the history was emptied after number \(reach.highestIssued): every saved token "
            + "has expired"))
    } else if let oldest = reach.oldest, oldest.number > 1 {
      notices.append(
        StoreNotice(
          kind: "pruned",
          text: "the history was pruned before number \(oldest.number): older tokens have expired"))
    }
    return notices
  }

  private static func notices(
    _ layout: StoreLayout, _ mirroring: MirroringState?
  ) -> [StoreNotice] {
    var notices: [StoreNotice] = []
    if !layout.mirroringTables.isEmpty {
      notices.append(
        StoreNotice(
          kind: "mirrored",
          text: "the store is mirrored to CloudKit, which needs its history"
            + (mirroring.map { $0.need.text } ?? "")))
    }
    if layout.history?.internsStrings == false {
      notices.append(
        StoreNotice(
          kind: "oldLayout",
          text:
            "the history has the layout of macOS 10.13; column masks of that time can be unreliable"
        ))
    }
    if layout.history?.indexesChangesByTransaction == false {
      notices.append(
        StoreNotice(
          kind: "missingIndex",
          text: "the index of changes by transaction is missing, so reading is slow"))
    }
    return notices
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
