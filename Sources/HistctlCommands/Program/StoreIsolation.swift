import HistoryCoding
import StoreFormat
import SystemPackage
import Terminal

/// Runs work on several stores: reports the errors of one store and continues with the next.
final class StoreIsolation {
  /// The worst status of the stores.
  private(set) var status = ExitStatus.success

  /// The stores without history that a list or a pattern has, which are skipped.
  private(set) var skipped: [String] = []

  private let session: Session
  private let amongSeveral: Bool

  /// - Parameter amongSeveral: Whether messages must name their store.
  init(session: Session, amongSeveral: Bool) {
    self.session = session
    self.amongSeveral = amongSeveral
  }

  /// Runs work on one store and reports its errors; rethrows errors of the output.
  func run(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as OutputError {
      throw error
    } catch StoreError.withoutHistory where session.listedStores.contains(FilePath(path)) {
      skipped.append(path)
    } catch {
      let failure = Failure(error, time: session.time.text).naming(path, amongSeveral: amongSeveral)
      session.diagnostics.report(failure)
      if failure.status != .partlyDone {
        session.console.workDone.tell(after: failure, session.diagnostics)
      }
      session.console.workDone.clear()
      end(with: failure.status)
    }
  }

  /// Notes how many stores of a list were skipped, because they keep no history.
  func noteSkipped() {
    guard !skipped.isEmpty else { return }
    session.diagnostics.note(
      Self.text(ofSkipped: skipped), kind: "withoutHistory", ["paths": skipped])
  }

  /// Returns a note on stores that were skipped, because they keep no history.
  static func text(ofSkipped paths: [String]) -> String {
    paths.count.counted("store") + " without history "
      + (paths.count == 1 ? "was skipped: " : "were skipped: ")
      + paths.listed(3)
  }

  /// Ends with this status unless an earlier one is worse.
  func end(with status: ExitStatus) {
    if status.severity > self.status.severity { self.status = status }
  }
}
