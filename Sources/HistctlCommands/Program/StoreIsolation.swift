import Terminal

/// Works on one store after the other: what goes wrong with one is told of and does not keep the
/// others waiting, and the worst status wins.
final class StoreIsolation {
  /// The worst of what became of the stores.
  private(set) var status = ExitStatus.success

  private let session: Session
  private let amongSeveral: Bool

  /// - Parameter amongSeveral: Whether messages must say which store they are about.
  init(session: Session, amongSeveral: Bool) {
    self.session = session
    self.amongSeveral = amongSeveral
  }

  /// Tells of what goes wrong with one store; output that cannot be written ends everything.
  func run(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as OutputError {
      throw error
    } catch {
      let failure = Failure(error).naming(path, amongSeveral: amongSeveral)
      session.diagnostics.report(failure)
      if failure.status != .partlyDone { session.console.workDone.tell(session.diagnostics) }
      session.console.workDone.clear()
      end(with: failure.status)
    }
  }

  /// Ends with this status unless it has been worse.
  func end(with status: ExitStatus) {
    if status.severity > self.status.severity { self.status = status }
  }
}

extension Failure {
  /// The failure with the store that it is about, where the message does not say so itself.
  func naming(_ path: String, amongSeveral: Bool) -> Failure {
    var failure = self
    if amongSeveral, message.ranges(of: path).isEmpty {
      failure = Failure(
        status: status, kind: kind, message: "\(path): \(message)", hint: hint, details: details)
    }
    if !details.contains(where: { $0.0 == "store" }) {
      failure.details.insert(("store", .string(path)), at: 0)
    }
    return failure
  }
}
