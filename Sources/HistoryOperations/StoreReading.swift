import DurableFiles
import Libc
import PersistentHistory
import StoreFormat

/// Warns of problems of stores that are read.
package enum StoreReading {
  /// The number of threads beside the caller's on which a store is read: one for each processor, up to
  /// three.
  package static var helperCount: Int {
    min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 4) - 1
  }

  /// The longest log that is checked, in bytes: twice what SQLite allows unless a reader keeps it from
  /// being emptied. Checking a longer one takes longer than everything else.
  static let longestLog: Int64 = 8 << 20

  /// Warns if a part of the log is damaged. Call it before the store is opened, as ``logProblem(of:)``.
  static func warnOfDamagedLog(in location: StoreLocation, observer: OperationObserver) {
    guard let problem = logProblem(in: location) else { return }
    observer(
      .warning(
        kind: "damagedLog", "\(location.path): \(problem)",
        hint: "verify tells more; another copy of the store with its -wal may have them",
        isDamage: true))
  }

  /// Warns if a copy is read without the save that its program has not finished.
  package static func warnOfRolledBackSave(
    in location: StoreLocation, observer: OperationObserver
  ) throws {
    guard location.hasRolledBackSave else { return }
    observer(
      .warning(
        kind: "unfinishedSave", location.rolledBackSaveMessage,
        hint: "the save is rolled back in a temporary copy only"))
  }

  /// Returns a description of the ignored part of a store's log, usually finished saves, or `nil` if
  /// there is none.
  ///
  /// Call it before the store is opened: SQLite silently ignores the parts of a log that it cannot use.
  package static func logProblem(of path: String) -> String? {
    (try? StoreLocation(path: path)).flatMap { logProblem(in: $0) }
  }

  private static func logProblem(in location: StoreLocation) -> String? {
    do throws(StoreError) {
      if try location.logSize() <= longestLog { try location.checkLog() }
      return nil
    } catch {
      guard case .damaged(_, let place, let detail) = error else { return nil }
      return "\(place) cannot be used, so saves may be missing here: \(detail)"
    }
  }

  /// Warns of signs that parts of a store are of different times: counters that are lower than numbers in use,
  /// and newest transactions without their changes.
  package static func warnOfTornCopy(
    in snapshot: StoreSnapshot, observer: OperationObserver
  ) throws {
    let path = snapshot.location.path
    for counter in try snapshot.tornHistoryCounters() {
      observer(
        .warning(
          kind: "tornCounter",
          "\(path): the highest number given out for \(counter.entity) is "
            + "\(counter.issued), and \(counter.present) is in use: parts of the store are of "
            + "different times", hint: "copy the store again, together with its -wal"))
    }
    guard let missing = try snapshot.missingNewestChanges() else { return }
    let (first, last) = (missing.numbers.lowerBound, missing.numbers.upperBound)
    observer(
      .warning(
        kind: "missingChanges",
        "\(path): no transaction after \(missing.lastTransaction) has changes, and "
          + (first == last
            ? "change \(first), whose number was given out, is missing"
            : "changes \(first) to \(last), whose numbers were given out, are missing")
          + ": they were deleted, or parts of the store are of different times",
        hint: "if they were not deleted, copy the store again, together with its -wal"))
  }

  /// Warns if the names of attributes cannot be read.
  ///
  /// - Parameter readsModel: Whether to decode the model; otherwise only its presence is checked.
  package static func warnOfModel(
    in snapshot: StoreSnapshot, readsModel: Bool = true, observer: OperationObserver
  ) throws {
    let path = snapshot.location.path
    switch readsModel ? try snapshot.modelCache().condition : try snapshot.modelCacheCondition() {
    case .present: break
    case .missing:
      observer(
        .warning(
          kind: "missingModel",
          "\(path) has no model cache, so attributes and tombstones have no names",
          hint: "the app's framework writes the cache when it opens the store"))
    case .unreadable(let reason):
      observer(
        .warning(
          kind: "damagedModel",
          "the model cache of \(path) is damaged, so attributes and tombstones have no "
            + "names: \(reason)",
          hint: "the app's framework writes the cache again after it is deleted", isDamage: true))
    }
  }
}

extension StoreLocation {
  /// Whether a copy is read in place of the store, with a journal by which a save is rolled back.
  var hasRolledBackSave: Bool {
    isWorkingCopy && (try? size(of: journalPath)) ?? 0 > 0
  }

  var rolledBackSaveMessage: String {
    "\(path) was left in the middle of a save: this is the state before it"
  }
}
