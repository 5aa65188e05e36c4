import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl find`: lists the stores below folders.
struct Find: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "List the stores in folders, archives and backups.",
    discussion: """
      Finds Core Data and SwiftData stores by their content, whatever their name: in folders, in \
      zip and tar files (.zip, .tar, .tar.gz, .tgz, .tar.zst, .tzst), and in unencrypted backups of \
      iOS devices. Shows the app, the framework, the history and the size of each, in the order of \
      their paths. Follows no symbolic link and leaves no file beside a store. What cannot be read \
      is reported on standard error, and the search continues.

      Examples:
        histctl find .
        histctl find --apps --changed-after 1d
        histctl find backups --with-history --json | jq -r .path
        histctl find backups --extract stores
        histctl find . -0 | xargs -0 histctl check --max-size 50M
        histctl find . -0 --with-history | histctl report --stores-from - -o stores.html
      """)

  @Argument(value: .init("path", .file()), help: "The folders, archives or files.")
  var paths: [String] = []

  @Flag(help: "Search the usual places of apps and simulators in the home folder.")
  var apps = false

  @OptionGroup(title: "Which stores") var selection: FindSelectionOptions
  @OptionGroup(title: "Archives") var limits: FindLimitOptions

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Write only paths, each followed by a NUL byte.")
  var null = false

  @Option(value: .folder, help: "Copy the stores in archives and backups into a new folder.")
  var extract: String?

  @Option(help: .busyTimeout) var busyTimeout: Double = 5

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try NewPlace.folder.check(extract, of: "--extract")
    try StoreOptions.validate(busyTimeout: busyTimeout)
    if paths.isEmpty, !apps { throw ValidationError("give a PATH to search, or --apps") }
    if paths.contains("") { throw ValidationError("a PATH is empty") }
    if null, output.json { throw ValidationError("--null cannot be combined with --json") }
  }

  func run(_ session: Session) throws {
    let isolation = StoreIsolation(session: session, amongSeveral: true)
    let operation = try operation(session)
    var summary = FindOperation.Summary()
    try session.write(usesPager: !null) { writer in
      let report = FindReport(session)
      summary = try operation.run { event in
        switch event {
        case .failed(let path, let error): try isolation.run(path) { throw error }
        case .found(let store) where null:
          try writer.write((store.pathBytes ?? Array(store.path.utf8)) + [0])
        case .found(let store): try report.write(store)
        case .unsearched: break
        }
      }
      try report.finish()
      if output.json, let extraction = summary.extraction { try writer.writeLine(extraction.json) }
    }
    tell(summary.unsearched, session.diagnostics)
    tell(summary, session)
    session.end(with: isolation.status(isAnyDone: summary.found > 0))
  }

  /// Says how many files of formats that are not searched there are: in JSON as a warning.
  private func tell(_ unsearched: [UnsearchedFormat: Int], _ diagnostics: Diagnostics) {
    let counts = UnsearchedFormat.allCases.compactMap { format in
      unsearched[format].map { "\($0.counted(format.noun))" }
    }
    guard !counts.isEmpty else { return }
    let message = "not searched: " + counts.joined(separator: ", ")
    if output.json {
      diagnostics.warn(
        message, kind: ErrorKind.notSearched.rawValue,
        hint: "unpack those that may have stores, and search the result")
    } else {
      diagnostics.note(message)
    }
  }

  /// Says what was extracted, and on a terminal that no store was found.
  private func tell(_ summary: FindOperation.Summary, _ session: Session) {
    if summary.found == 0, summary.failed == 0, session.environment.isErrorTerminal {
      session.diagnostics.note("no store found in \(summary.examined.counted("file"))")
    }
    guard let extract, !output.json else { return }
    if let extraction = summary.extraction {
      session.diagnostics.note(
        "copied \(extraction.storeCount.counted("store")) to \(extraction.folder): "
          + "\(extraction.fileCount.counted("file")), \(ByteCount(extraction.byteCount)); \(extraction.list) lists their origins and SHA-256 digests"
      )
    } else if summary.found > 0 || summary.failed == 0 {
      session.diagnostics.note(
        (summary.failed > 0 ? "no store could be copied" : "no store is in an archive or a backup")
          + ", so \(extract) was not made")
    }
  }

  private func operation(_ session: Session) throws -> FindOperation {
    var paths = paths
    if apps {
      guard let home = session.console.homeFolder else {
        throw OperationError(
          .missing, "the home folder is not known", hint: "set HOME, or give a PATH")
      }
      paths += AppFolders.paths(inHome: home)
    }
    var operation = FindOperation(paths)
    operation.onlyWithHistory = selection.withHistory
    operation.changedAfter = try selection.moment(now: session.now)
    operation.busyTimeout = busyTimeout
    operation.extractionFolder = extract
    if let size = limits.maxMember { operation.limits.memberByteCount = size.bytes }
    if let size = limits.maxUnpacked { operation.limits.archiveByteCount = size.bytes }
    return operation
  }
}

/// Which stores `find` lists.
struct FindSelectionOptions: ParsableArguments {
  @Flag(help: "Leave out stores that keep no history.")
  var withHistory = false

  @Option(value: "time", help: "Only stores whose newest transaction is at or after TIME.")
  var changedAfter: String?

  func moment(now: StoreTimestamp) throws -> StoreTimestamp? {
    guard let changedAfter else { return nil }
    guard let moment = try Moment.parse(changedAfter, now: now) else {
      throw MomentError(
        message: "'\(changedAfter)' is not a time",
        hint: "write a date or a duration, such as 2026-11-01, 2w or yesterday")
    }
    return moment.timestamp
  }
}

/// How much `find` unpacks.
struct FindLimitOptions: ParsableArguments {
  @Option(help: "Skip members of more than SIZE (default 1G).")
  var maxMember: ByteSize?

  @Option(help: "Unpack at most SIZE of one archive (default 16G).")
  var maxUnpacked: ByteSize?
}

/// The stores that were found: a table, or JSON lines.
final class FindReport: FieldPage {
  let session: Session
  private let table: StreamedTable

  init(_ session: Session) {
    self.session = session
    table = session.streamedTable([
      TableColumn("NEWEST", priority: 4, canDrop: true),
      TableColumn("TRANSACTIONS", alignment: .trailing, priority: 6),
      TableColumn("SIZE", alignment: .trailing, priority: 5, canDrop: true),
      TableColumn("FRAMEWORK", priority: 1, canDrop: true),
      TableColumn("APP", priority: 2, minimumWidth: 12, canShrink: true, canDrop: true),
      TableColumn("PATH", priority: 7, minimumWidth: 24, canShrink: true, staysWhole: true),
    ])
  }

  func write(_ store: FoundStore) throws {
    guard !isJSON else { return try writer.writeLine(store.json) }
    let app = [store.app?.identifier, store.device.map { "(\($0))" }].compactMap { $0 }
    try table.write([
      TableCell(time.text(store.history?.newest?.timestamp)),
      store.history.map { TableCell($0.transactionCount.grouped) }
        ?? TableCell("no history", style: .secondary),
      TableCell("\(ByteCount(store.byteCount))"),
      TableCell(store.framework.name),
      TableCell(app.isEmpty ? "-" : app.joined(separator: " ")),
      TableCell(store.path),
    ])
  }

  /// Writes the rows that were kept back to determine the widths of columns.
  func finish() throws { try table.finish() }
}

extension FoundStore {
  fileprivate var json: JSONValue {
    .record(
      "found",
      [
        "path": path, "pathBytes": encodedPath, "store": identifier, "archive": member?.archive,
        "member": member?.name,
        "backup": backup, "app": app?.identifier, "appFrom": app?.source.rawValue,
        "device": device, "origin": framework.name, "frameworkVersion": frameworkVersion?.number,
        "system": frameworkVersion?.system, "modelVersions": modelVersions,
        "modelEntities": entityNames, "storeBytes": byteCount, "logBytes": logByteCount,
        "mirrored": isMirrored, "hasHistory": history != nil,
        "transactions": history?.transactionCount, "oldest": history?.oldest?.json,
        "newest": history?.newest?.json,
        "reason": history == nil
          ? "it was written without persistent history tracking" : nil,
      ])
  }

  private var member: (archive: String, name: String)? {
    if case .member(let archive, let name, _) = origin { (archive, name) } else { nil }
  }

  private var backup: JSONValue? {
    guard case .backup(let folder, let domain, let relativePath, let file) = origin else {
      return nil
    }
    return .object(
      of: ["path": folder, "domain": domain, "relativePath": relativePath, "file": file])
  }
}

extension FindOperation.Extraction {
  var json: JSONValue {
    .record(
      "extraction",
      [
        "path": folder, "list": list, "stores": storeCount, "files": fileCount,
        "bytes": byteCount,
      ])
  }
}
