import ArgumentParser
import DurableFiles
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl verify`: checks a store's history or an archive for damage.
struct Verify: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a store's history or an archive for damage.",
    discussion: """
      In a store, SQLite checks the pages of the history's tables, the -wal is compared with its \
      own checksums, and every row is checked. In an archive every digest is compared, and with \
      --full every line is decoded; --anchor also detects segments that were removed. Each finding \
      is listed with its place, its meaning and a remedy. Ends with 5 if something is damaged, with \
      1 if there are other findings. Nothing is changed.

      Examples:
        histctl verify default.store
        histctl verify default.store --full --quiet
        histctl verify history-archive --subset 1/7
        histctl verify default.store --archive history-archive --json
      """)

  @Argument(help: "The store file or the folder of an archive.", completion: .store)
  var path: String

  @Option(help: .bookmarkFile, completion: .file()) var bookmarkFile: String?

  @Option(help: .busyTimeout) var busyTimeout: Double = 5

  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup(title: "What to check") var look: LookOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try StoreOptions.validate(busyTimeout: busyTimeout) }

  func run(_ session: Session) throws {
    let run = VerifyRun(session, self)
    try run.validate()
    do {
      try session.write(usesPager: false) { _ in try run.run() }
    } catch StoreError.missing(let path) where path == self.path {
      var failure = Failure(StoreError.missing(path: path))
      if failure.hint?.contains("did you mean") != true {
        failure.hint = "check the path; verify reads a store, or the folder of an archive"
      }
      throw failure
    }
    throw EndWithStatus(status: run.status)
  }
}

/// What to check, and how thoroughly.
struct LookOptions: ParsableArguments {
  @Flag(help: "Check the pages of all tables of a store, and decode all lines of an archive.")
  var full = false

  @Option(
    value: .folder, help: "Verify this archive of the store too, and that the store continues it.")
  var archive: String?

  @Option(help: "The head that histctl archive printed; later segments must follow it.")
  var anchor: ArchiveAnchor?

  @Option(help: "Read only part of an archive's segments in full: 1/7, 5% or 10M.")
  var subset: VerificationSubset?

  @Option(value: "count", help: "List at most COUNT findings of each kind (all are counted).")
  var limit = 10

  /// The number of findings of a kind that can be listed.
  private static let limits = 1...100_000

  func validate() throws {
    guard Self.limits.contains(limit) else {
      throw ValidationError("--limit must be 1 to 100000")
    }
  }
}

/// A part of an archive, as in restic.
extension VerificationSubset: OptionValue {
  static var valueName: String { "part" }

  /// Reads `1/7`, `5%` or `10M`.
  init(option text: String) throws(ValidationError) {
    if let slash = text.firstIndex(of: "/") {
      guard let part = Int(text[..<slash]), let count = Int(text[text.index(after: slash)...]),
        (1...10_000).contains(count), (1...count).contains(part)
      else { throw ValidationError("write the part and the number of parts: 1/7") }
      self = .part(part, of: count)
    } else if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
        throw ValidationError("write a percentage above 0 and up to 100, such as 5%")
      }
      self = .percent(percent)
    } else {
      do {
        self = .bytes(try ByteSize(option: text).bytes)
      } catch {
        throw ValidationError("write a part, a percentage or a size: 1/7, 5% or 10M")
      }
    }
  }
}

/// The head of an archive's chain.
extension ArchiveAnchor: OptionValue {
  static var valueName: String { "head" }

  /// Reads what `archive` prints, with the word before it or without.
  init(option text: String) throws(ValidationError) {
    let word = text.hasPrefix("head ") ? String(text.dropFirst("head ".count)) : text
    do {
      self = try ArchiveAnchor(word)
    } catch {
      throw ValidationError(
        "not the head of an archive; copy what histctl archive prints, a number, a colon and 64 digits"
      )
    }
  }
}

/// One run over a store, an archive, or both.
private final class VerifyRun {
  /// The worst status so far.
  private(set) var status = ExitStatus.success

  private let session: Session
  private let target: Verify
  private var look: LookOptions { target.look }
  private let isArchive: Bool

  init(_ session: Session, _ target: Verify) {
    self.session = session
    self.target = target
    isArchive = MissingFolders.isFolder(target.path)
  }

  /// Rejects options that do not apply to the input.
  func validate() throws {
    if isArchive {
      let options = [
        (look.archive != nil, "--archive"), (target.bookmarkFile != nil, "--bookmark-file"),
      ]
      if let option = options.first(where: \.0)?.1 {
        throw Failure(
          .usage, "\(option) needs a store; \(target.path) is a folder",
          hint: "give a store file, or leave out \(option)")
      }
    } else if look.archive == nil, look.anchor != nil || look.subset != nil {
      throw Failure(
        .usage, "--anchor and --subset need an archive",
        hint: "give the folder of an archive, or --archive with it")
    }
  }

  /// Verifies everything and writes the findings.
  func run() throws {
    guard !isArchive else { return try verify(archiveAt: target.path, of: nil) }
    try verifyStore()
    guard let archive = look.archive else { return }
    try keepingStatus { try verify(archiveAt: archive, of: target.path) }
  }

  /// Lets an error end the program, unless an earlier finding is worse: then the error is only
  /// reported.
  private func keepingStatus(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as OutputError {
      throw error
    } catch {
      let failure = Failure(error)
      guard status == .damaged || status.severity >= failure.status.severity else { throw error }
      session.diagnostics.report(failure)
    }
  }

  private func end<Kind>(with findings: FindingLog<Kind>) {
    let found: ExitStatus =
      findings.damageCount > 0 ? .damaged : findings.isEmpty ? .success : .answerIsNo
    if found.severity > status.severity { status = found }
  }

  // MARK: - A store

  private func verifyStore() throws {
    var options = StoreVerification.Options()
    options.checksAllTables = look.full
    options.limit = look.limit
    options.bookmarkPath = target.bookmarkFile
    options.busyTimeout = target.busyTimeout
    options.helperCount = max(1, StoreReading.helperCount)
    try session.observing {
      try StoreReading.warnOfRolledBackSave(in: StoreLocation(path: target.path), observer: $0)
    }
    let verification = try session.showingProgress("verifying", "changes") { progress in
      try StoreVerification(path: target.path, options: options) { progress($0) }
    }
    let report = VerifyReport(
      session: session, path: verification.path,
      store: verification.storeIdentifier)
    try report.write(verification.findings, verification.facts)
    end(with: verification.findings)
  }

  // MARK: - An archive

  private func verify(archiveAt path: String, of storePath: String?) throws {
    var options = ArchiveVerification.Options()
    options.anchor = look.anchor
    options.subset = look.subset
    options.decodesLines = look.full
    options.limit = look.limit
    options.lockWait = target.busyTimeout
    var verification = try session.showingProgress("verifying", "transactions") { progress in
      try ArchiveVerification(path: path, options: options) { progress($0) }
    }
    let comparison = Result { try storePath.flatMap { try continuity(of: $0, path, verification) } }
    if case .success(let continuity?) = comparison { verification.add(continuity) }
    let report = VerifyReport(session: session, path: path, store: nil)
    try report.write(verification.findings, verification.facts)
    end(with: verification.findings)
    try keepingStatus { _ = try comparison.get() }
  }

  /// Compares a store with its archive; returns `nil` if damage that was reported prevents it.
  private func continuity(
    of storePath: String, _ path: String, _ verification: ArchiveVerification
  ) throws -> StoreContinuity? {
    do {
      return try session.showingProgress("comparing", "transactions") { progress in
        try StoreFile.leavingNothing(storePath, busyTimeout: target.busyTimeout).read { snapshot in
          try StoreContinuity(of: snapshot, with: Archive(path: path), limit: look.limit) {
            progress($0)
          }
        }
      }
    } catch let error as StoreError {
      guard case .damaged = error, status == .damaged else { throw error }
    } catch let error as ArchiveError {
      guard verification.findings.damageCount > 0 else { throw error }
    }
    return nil
  }
}
