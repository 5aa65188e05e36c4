import DurableFiles
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// One run of `verify` over a store, an archive, or both.
final class VerifyRun {
  /// The worst of what was found.
  private(set) var status = ExitStatus.success

  private let session: Session
  private let target: VerifyOptions
  private let look: LookOptions
  private let isArchive: Bool

  init(session: Session, target: VerifyOptions, look: LookOptions) {
    self.session = session
    self.target = target
    self.look = look
    isArchive = MissingFolders.isFolder(target.path)
  }

  /// Refuses options that say nothing of what is to be verified.
  func validate() throws {
    if isArchive {
      let options = [
        (look.archive != nil, "--archive"), (target.bookmarkFile != nil, "--bookmark-file"),
      ]
      if let option = options.first(where: \.0)?.1 {
        throw Failure(
          status: .usage, kind: "usage",
          message: "\(target.path) is a folder, and \(option) is for stores",
          hint: "give a store file, or leave out \(option)")
      }
    } else if look.archive == nil, look.anchor != nil || look.subset != nil {
      throw Failure(
        status: .usage, kind: "usage", message: "--anchor and --subset are for archives",
        hint: "give the folder of an archive, or --archive with it")
    }
  }

  /// Looks at everything and tells what was found.
  func run(_ writer: OutputWriter) throws {
    guard !isArchive else { return try verify(archiveAt: target.path, of: nil, writer) }
    try verifyStore(writer)
    guard let archive = look.archive else { return }
    try keepingStatus { try verify(archiveAt: archive, of: target.path, writer) }
  }

  /// Lets an error end the program, unless what was found before is worse, as damage always is: then
  /// the error is told of.
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

  private func verifyStore(_ writer: OutputWriter) throws {
    var options = StoreVerification.Options()
    options.checksAllTables = look.full
    options.limit = look.limit
    options.bookmarkPath = target.bookmarkFile
    options.busyTimeout = target.busyTimeout
    options.helperCount = max(1, StoreReading.helperCount)
    let progress = VerifyProgress(session, unit: "changes")
    let verification = try {
      defer { progress.finish() }
      return try StoreVerification(path: target.path, options: options) { progress.update($0) }
    }()
    let report = FindingReport(
      session: session, writer: writer, path: verification.path,
      store: verification.storeIdentifier)
    try report.write(verification.findings, StoreFactsReport(verification.facts))
    end(with: verification.findings)
  }

  // MARK: - An archive

  private func verify(
    archiveAt path: String, of storePath: String?, _ writer: OutputWriter
  ) throws {
    var options = ArchiveVerification.Options()
    options.anchor = look.anchor?.anchor
    options.subset = look.subset?.subset
    options.decodesLines = look.full
    options.limit = look.limit
    options.lockWait = target.busyTimeout
    let progress = VerifyProgress(session, unit: "transactions")
    var verification = try {
      defer { progress.finish() }
      return try ArchiveVerification(path: path, options: options) { progress.update($0) }
    }()
    let comparison = Result { try storePath.flatMap { try continuity(of: $0, path, verification) } }
    if case .success(let continuity?) = comparison { verification.add(continuity) }
    let report = FindingReport(session: session, writer: writer, path: path, store: nil)
    try report.write(verification.findings, ArchiveFactsReport(verification.facts))
    end(with: verification.findings)
    try keepingStatus { _ = try comparison.get() }
  }

  /// Compares a store with its archive; nil where damage, of which other findings tell, forbids it.
  private func continuity(
    of storePath: String, _ path: String, _ verification: ArchiveVerification
  ) throws -> StoreContinuity? {
    let progress = VerifyProgress(session, unit: "transactions", label: "comparing")
    defer { progress.finish() }
    do {
      return try StoreFile(path: storePath, busyTimeout: target.busyTimeout).read { snapshot in
        try StoreContinuity(of: snapshot, with: Archive(path: path), limit: look.limit) {
          progress.update($0)
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

/// Tells a person how far the work is.
///
/// It is told from one thread at a time.
private final class VerifyProgress: @unchecked Sendable {
  private let line: Progress?

  init(_ session: Session, unit: String, label: String = "verifying") {
    line = session.diagnostics.wordWriter.map {
      Progress(
        label: label, unit: unit, environment: session.environment, diagnostics: $0)
    }
  }

  func update(_ count: Int64) { line?.update(count) }
  func finish() { line?.finish() }
}
