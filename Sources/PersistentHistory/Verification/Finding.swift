/// One problem that a verification found.
package struct Finding<Kind: FindingKind>: Hashable, Sendable {
  package let kind: Kind
  package let place: FindingPlace
  package let detail: String
}

/// The kinds of problems that one verification can find. The raw value is the kind's name in JSON.
package protocol FindingKind: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// What is known of the kind: the one table of a verification.
  var entry: FindingEntry { get }
}

/// What is known of a kind of problems.
package struct FindingEntry {
  /// What a problem takes away from its store or archive.
  package enum Severity: String, Hashable, Sendable {
    /// Something was lost or altered.
    case damage
    /// Nothing is lost.
    case other
  }

  package let severity: Severity
  /// Whether the commands that write to the store, or seal its history, look for the problem before, and refuse.
  let stopsWriting: Bool
  /// What the problem means, in one sentence.
  package let meaning: String
  /// What to do about it.
  package let remedy: String

  /// Describes a problem that takes something away.
  package static func damage(
    _ meaning: String, remedy: String, stopsWriting: Bool = false
  ) -> FindingEntry {
    FindingEntry(severity: .damage, stopsWriting: stopsWriting, meaning: meaning, remedy: remedy)
  }

  /// Describes a problem that takes nothing away.
  package static func other(_ meaning: String, remedy: String) -> FindingEntry {
    FindingEntry(severity: .other, stopsWriting: false, meaning: meaning, remedy: remedy)
  }
}

/// The findings of a verification. Every one is counted, and the first few of each kind are kept, so
/// that memory stays small if a million changes have the same problem.
package struct FindingLog<Kind: FindingKind>: Sendable {
  /// The maximum number of findings of each kind that are kept.
  package let limit: Int
  private var kept: [Kind: [Finding<Kind>]] = [:]
  private var counts: [Kind: Int64] = [:]

  package init(limit: Int) { self.limit = limit }

  package mutating func add(
    _ kind: Kind, at place: @autoclosure () -> FindingPlace, _ detail: @autoclosure () -> String
  ) {
    counts[kind, default: 0] += 1
    if kept[kind, default: []].count < limit {
      kept[kind, default: []].append(Finding(kind: kind, place: place(), detail: detail()))
    }
  }

  /// Appends the findings of another log.
  package mutating func add(_ other: FindingLog) {
    for (kind, count) in other.counts {
      counts[kind, default: 0] += count
      let space = limit - kept[kind, default: []].count
      kept[kind, default: []] += other.findings(of: kind).prefix(max(0, space))
    }
  }

  /// The kinds that were found, in the order of their declaration.
  package var kinds: [Kind] { Kind.allCases.filter { counts[$0] != nil } }
  /// The findings of a kind that were kept.
  package func findings(of kind: Kind) -> [Finding<Kind>] { kept[kind] ?? [] }
  package func count(of kind: Kind) -> Int64 { counts[kind] ?? 0 }
  package var count: Int64 { counts.values.reduce(0, +) }
  package var damageCount: Int64 {
    counts.reduce(0) { $0 + ($1.key.entry.severity == .damage ? $1.value : 0) }
  }
  package var isEmpty: Bool { counts.isEmpty }
}

/// A place in a store or an archive. Frames and lines are counted from 1.
package enum FindingPlace: Hashable, Sendable {
  case store
  /// A table or an index.
  case table(String)
  /// The write-ahead log, and a frame of it.
  case log(frame: Int?)
  case transaction(Int64)
  case transactions(ClosedRange<Int64>)
  /// A change, and the transaction that it names.
  case change(Int64, transaction: Int64?)
  /// A shared text, by its number.
  case text(Int64)
  case entity(String)
  case bookmark(String)
  case file(String)
  case line(Int, file: String)
  /// A frame of a compressed file.
  case frame(Int, file: String)
}

extension FindingPlace: CustomStringConvertible {
  package var description: String {
    switch self {
    case .store: "the store"
    case .table(let name): "table \(name)"
    case .log(nil): "the -wal"
    case .log(let frame?): "frame \(frame) of the -wal"
    case .transaction(let number): "transaction \(number)"
    case .transactions(let range) where range.lowerBound == range.upperBound:
      "transaction \(range.lowerBound)"
    case .transactions(let range): "transactions \(range.lowerBound) to \(range.upperBound)"
    case .change(let number, nil): "change \(number)"
    case .change(let number, let transaction?): "change \(number) of transaction \(transaction)"
    case .text(let number): "text \(number)"
    case .entity(let name): "entity \(name)"
    case .bookmark(let name): "bookmark \(name)"
    case .file(let path): path
    case .line(let number, let file): "\(file), line \(number)"
    case .frame(let number, let file): "\(file), frame \(number)"
    }
  }
}
