import DemoStore
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
import Terminal

/// An error as it is reported to people and programs.
struct Failure: Error {
  /// The name of the error for programs.
  let kind: ErrorKind
  /// The status that the program ends with.
  private(set) var status: ExitStatus
  /// What is wrong.
  var message: String
  /// What to do about it.
  var hint: String?
  /// Further facts for programs.
  var details: [(String, JSONValue)] = []

  init(
    _ kind: ErrorKind, _ message: String, hint: String?, details: [(String, JSONValue)] = []
  ) {
    (self.kind, self.message, self.hint, self.details) = (kind, message, hint, details)
    status = kind.status
  }

  /// The error as one JSON object.
  var json: JSONValue {
    .record(
      "error",
      [
        "kind": kind.rawValue, "code": Int64(status.rawValue), "message": message, "hint": hint,
      ], and: details)
  }
}

/// Ends a command whose outcome has been reported already.
struct EndWithStatus: Error {
  let status: ExitStatus
}

/// An error of a module below, as this program reports it.
protocol ReportedError: Error {
  var kind: ErrorKind { get }
  var message: String { get }
  var remedy: String { get }
  /// What this program can do about it with its own commands and options; `nil` where the error's own
  /// remedy says it all.
  var hint: String? { get }
  /// Further facts for programs.
  var details: [(String, JSONValue)] { get }
}

extension ReportedError {
  var details: [(String, JSONValue)] { [] }
}

extension Failure {
  /// Explains an error of the modules below.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - time: Writes the times in a message.
  init(_ error: any Error, time: ((StoreTimestamp?) -> String)? = nil) {
    switch error {
    case let failure as Failure: self = failure
    case StoreWriteError.store(let error): self.init(error)
    case let error as StoreError where MisplacedInput.failure(error) != nil:
      self = MisplacedInput.failure(error) ?? Self(unexpected: error)
    case let error as any ReportedError:
      self.init(
        error.kind, error.message, hint: error.hint ?? error.remedy, details: error.details)
      if let time { message = Self.message(of: error, time: time) ?? message }
    case let error as PartlyDone: self.init(error)
    case let error as CompactionInterrupted: self.init(error)
    case let error as MomentError:
      self.init(.malformedMoment, error.message, hint: error.hint)
    case let error as CompressionError:
      self.init(
        .compressionFailed, error.description,
        hint: "export without --compress, and compress the file afterwards")
    case let error as OutputError:
      self.init(.outputFailed, error.description, hint: error.hint)
    default: self.init(unexpected: error)
    }
  }

  private init(unexpected error: any Error) {
    self.init(
      .unexpected, "\(error)", hint: "this is a bug in histctl; please report it with the command")
  }

  private init(_ error: PartlyDone) {
    let problem = Failure(error.problem)
    let (transactions, changes) = (error.transactions, error.changes)
    let done: String
    let hint: String
    switch error.work {
    case .deleting:
      done = "deleted"
      hint = problem.hint ?? "the remaining history is complete; run the command again"
    case .restoring:
      done = "restored"
      hint = "the history is without a gap; run the command again to continue"
    }
    self.init(
      problem.kind,
      "\(problem.message); \(transactions.done.grouped) of \(transactions.total.grouped) "
        + "transactions and \(changes.done.grouped) of \(changes.total.grouped) changes are \(done)",
      hint: hint, details: problem.details)
    status = .partlyDone
  }

  private init(_ error: CompactionInterrupted) {
    let reason =
      switch error.obstacle {
      case .busy: "another program held the store"
      case .pinnedLog: "a reader kept the log from being moved into the store"
      }
    self.init(
      .partlyDone, "\(error.path): not all free pages could be freed: \(reason)",
      hint: "run the command again to continue", details: [("store", .string(error.path))])
  }

  private static func message(
    of error: any Error, time: (StoreTimestamp?) -> String
  ) -> String? {
    switch error {
    case HistoryError.unusableToken(let token): token.message(time: time)
    case HistoryError.divergedArchive(let divergence): divergence.message(time: time)
    default: nil
    }
  }

  /// Returns the failure with the path of its store, if the message does not contain it.
  func naming(_ path: String, amongSeveral: Bool) -> Failure {
    var failure = self
    if amongSeveral, message.ranges(of: path).isEmpty { failure.message = "\(path): \(message)" }
    if !details.contains(where: { $0.0 == "store" }) {
      failure.details.insert(("store", .string(path)), at: 0)
    }
    return failure
  }
}

extension OperationError: ReportedError {
  var hint: String? { nil }
}
