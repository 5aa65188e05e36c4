import ArgumentParser
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat

/// Which transactions to keep of a store's history or an archived one.
struct KeepOptions: ParsableArguments {
  @Option(value: .token, help: "Delete transactions before this token, and keep its own.")
  var before: String?

  @Option(help: "Keep transactions of this time, such as 30d.")
  var keepWithin: HistoryDuration?

  @Option(help: "Keep the newest COUNT transactions.")
  var keepLast: TransactionCount?

  /// The rules that are given.
  var rules: [RetentionRule] {
    [
      before.map { .before(token: $0) }, keepWithin.map { .keepWithin($0) },
      keepLast.map { .keepLast($0.count) },
    ].compactMap { $0 }
  }
}

/// Which transactions to keep. One is deleted only if every rule allows it.
struct RetentionOptions: ParsableArguments {
  @OptionGroup var keep: KeepOptions

  @Option(help: "Keep the newest transactions up to this size, such as 50M.")
  var maxSize: ByteSize?

  @Flag(help: "Delete even the newest transaction, which expires every token.")
  var all = false

  @Option(value: .entity, help: "Delete only the changes of an entity that has left the model.")
  var entity: String?

  /// The rules that are given.
  var rules: [RetentionRule] {
    keep.rules
      + [maxSize.map { .maxSize(bytes: $0.bytes) }, all ? .all : nil].compactMap { $0 }
  }

  func validate() throws {
    if entity == nil, rules.isEmpty {
      throw ValidationError(
        "no retention rule given: use --before, --keep-within, --keep-last or --max-size")
    }
    if entity != nil, !rules.isEmpty {
      throw ValidationError(
        "--entity deletes changes and keeps their transactions, rules delete transactions: "
          + "run the command twice")
    }
  }

  /// What is to be deleted.
  var target: PruneRequest.Target { entity.map { .entity($0) } ?? .transactions(rules) }
}

/// How to write to an archive.
struct ArchiveWritingOptions: ParsableArguments {
  @Option(help: "Size of a segment before compression, such as 64M.")
  var segmentSize: ByteSize?

  @Option(help: "Maximum time to wait for another program that uses the archive, such as 10min.")
  var lockWait: HistoryDuration?

  func validate() throws {
    if let size = segmentSize, !ArchiveSealer.segmentSizes.contains(size.bytes) {
      throw ValidationError("--segment-size must be 64K to 16G")
    }
  }
}

/// How to seal history.
struct SealingOptions: ParsableArguments {
  @OptionGroup var writing: ArchiveWritingOptions

  @Flag(help: "Seal even if history between the archive and the store is missing.")
  var allowGap = false

  /// Returns the request to seal in an archive.
  func request(
    _ archivePath: String, ignoredGuards: Set<String>, now: StoreTimestamp
  ) -> SealingRequest {
    var request = SealingRequest(archivePath: archivePath, ignoredGuards: ignoredGuards)
    request.lockWait = writing.lockWait?.seconds(before: now) ?? 0
    if let segmentSize = writing.segmentSize { request.segmentSize = segmentSize.bytes }
    request.allowsGap = allowGap
    return request
  }

  /// Whether any of them is given.
  var isGiven: Bool {
    writing.segmentSize != nil || allowGap || writing.lockWait != nil
  }
}

/// The option to ignore damage, for commands without other guards.
struct DamageGuardOptions: ParsableArguments {
  @Option(
    value: "name",
    help: "Ignore this guard: damage, which stops the command if the store shows any.")
  var ignoreGuard: [String] = []

  /// The names of guards to ignore.
  var ignoredGuards: Set<String> { Set(ignoreGuard) }

  func validate() throws {
    for name in ignoreGuard {
      guard name == RetentionGuard.damageName else {
        throw ValidationError("no guard is named '\(name)'; the only guard is damage")
      }
    }
  }
}
