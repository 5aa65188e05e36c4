import DurableFiles
import Foundation
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import SystemPackage
import Terminal

/// Explains the path of something else than a store where a command needs one.
enum MisplacedInput {
  /// Returns the failure; `nil` for a store, and for what opening it explains.
  static func failure(_ path: String) -> Failure? {
    do {
      switch try FileStatus(path: path)?.kind {
      // What is in an archive or a backup exists, as far as its path tells.
      case nil where ContainedPath(path) != nil: return nil
      case nil: return failure(.missing(path: path))
      case .file? where FileContent.isSQLite(at: path): return nil
      case .file?, .directory?: return failure(.notAStore(path: path, reason: .notSQLite))
      case .link?, .pipe?, .socket?, .device?, .special?: return nil
      }
    } catch {
      return nil
    }
  }

  /// Explains an error about an archive, exported lines or packed files; `nil` for any other.
  static func failure(_ error: StoreError) -> Failure? {
    guard let path = error.path else { return nil }
    func failure(_ kind: ErrorKind, _ message: String, hint: String) -> Failure {
      Failure(kind, message, hint: hint, details: [("store", .string(path))])
    }
    switch error {
    case .notAStore where Archive.isArchive(path):
      return failure(
        .archive, "\(path) is an archive; this command needs a store",
        hint:
          "info, log, show, diff, object, blame, export, stats, report, verify and token check read archives"
      )
    case .notAStore where ExportedText.isName(path), .missing(ExportedText.standardInput):
      return failure(
        .lines,
        path == ExportedText.standardInput
          ? "\"-\" reads exported lines; this command needs a store" : error.message,
        hint:
          "log, show, diff, object, blame, export, stats, report and token check read exported lines"
      )
    case .notAStore(_, .notSQLite):
      return explanation(ofFileAt: path, error.message).map {
        failure(.notAStore, $0.message, hint: $0.hint)
      }
    case .missing:
      if let container = container(of: path) {
        return failure(
          .missing, error.message,
          hint: "list the stores in it with: histctl find \(ShellWord.quoted(container))")
      }
      return nearPath(path).map {
        failure(.missing, error.message, hint: "did you mean \(ShellWord.quoted($0))?")
      }
    default: return nil
    }
  }

  /// Explains what a file that is no database is; `nil` where that is unknown.
  private static func explanation(
    ofFileAt path: String, _ message: String
  ) -> (message: String, hint: String)? {
    let file = ShellWord.quoted(path)
    return switch FileContent(at: path) {
    case .lines:
      (message, "to read exported lines, pass them on standard input: histctl log - < \(file)")
    case .packedStore(let unpack):
      (
        "\(path) is a compressed database; histctl reads stores in place",
        "unpack it first, with its -wal if it has one: \(unpack) \(file)"
      )
    case .packed(let unpack):
      (
        "\(path) is a compressed file; histctl reads stores in place",
        "unpack it first: \(unpack) \(file)"
      )
    case .members:
      (
        "\(path) is a zip or tar file; give the path of a store in it",
        "list the stores in it, with their paths: histctl find \(file)"
      )
    case nil: nil
    }
  }

  /// Returns the backup, zip or tar file in which the path of a store lies; `nil` where there is none.
  private static func container(of path: String) -> String? {
    path.ranges(of: "!/").map { String(path[..<$0.lowerBound]) }.first { container in
      (try? FileStatus(path: container)) != nil
    }
  }

  /// Returns the file whose name is most like that of a missing one, in the same folder.
  private static func nearPath(_ path: String) -> String? {
    let file = FilePath(path)
    guard let name = file.lastComponent?.string, name.count > 2 else { return nil }
    let folder = file.removingLastComponent()
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder.string))
      ?? []
    return NearNames.of(name, in: Array(names.prefix(1000))).first.map {
      folder.appending($0).string
    }
  }
}
