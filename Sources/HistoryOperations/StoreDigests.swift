import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat

/// The SHA-256 digests of a store and of the files that SQLite keeps beside it, at one moment.
package struct StoreDigests: Hashable, Sendable {
  /// The files that exist, by path.
  package let files: [String: FileDigest]

  /// What SQLite appends to the name of a store: nothing for the store itself, then its log, the index of
  /// the log, and its journal.
  private static let suffixes = ["", "-wal", "-shm", "-journal"]

  /// Reads the files of the store at a path, not those of a copy that is read in its place.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  package init(ofStoreAt path: String) throws(StoreError) {
    // Of a store in an archive, the archive is the file.
    let place =
      FileStatus.resolve(path) ?? ContainedPath(path).flatMap { FileStatus.resolve($0.container) }
      ?? path
    var files: [String: FileDigest] = [:]
    for suffix in Self.suffixes {
      do {
        files[place + suffix] = try FileDigest(ofFileAt: place + suffix)
      } catch let error as FileProblem {
        throw .unreadable(path: error.path, reason: error.reason)
      } catch {
        throw .unreadable(path: place + suffix, reason: "\(error)")
      }
    }
    self.files = files
  }
}

/// The digests of a store's files before and after they were read.
package struct DigestComparison: Hashable, Sendable {
  package struct File: Hashable, Sendable {
    package let path: String
    /// The file before reading; `nil` if it did not exist.
    package let before: FileDigest?
    /// The file after reading; `nil` if it did not exist.
    package let after: FileDigest?

    package var isUnchanged: Bool { before == after }
  }

  /// The files, the store first.
  package let files: [File]

  package init(before: StoreDigests, after: StoreDigests) {
    files = Set(before.files.keys).union(after.files.keys).sorted().map {
      File(path: $0, before: before.files[$0], after: after.files[$0])
    }
  }

  package var isUnchanged: Bool { files.allSatisfy(\.isUnchanged) }

  /// Explains a difference; `nil` without one.
  package var notice: String? {
    let changed = files.filter { !$0.isUnchanged }
    guard !changed.isEmpty else { return nil }
    let names = changed.map(\.path).joined(separator: ", ")
    // SQLite makes an index, and an empty log.
    let isMadeByReading = changed.allSatisfy { file in
      file.path.hasSuffix("-shm") || file.before == nil && file.after?.byteCount == 0
    }
    return isMadeByReading
      ? "reading made or changed \(names); --private-copy leaves nothing beside the store"
      : "another program changed \(names) during reading"
  }
}

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
