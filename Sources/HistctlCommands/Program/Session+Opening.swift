import StoreFormat

extension Session {
  /// The longest log that is looked through, in bytes: twice what SQLite lets one become unless it is
  /// kept from emptying it. To look through a longer one takes longer than all else, and who saves
  /// without a pause makes it longer still meanwhile.
  private static let longestLog: Int64 = 8 << 20

  /// Opens a store to read it, and warns if a part of its log is damaged.
  ///
  /// The output may be read slowly, and an app's saves must not wait for it.
  func open(_ path: String, busyTimeout: Double) throws -> StoreFile {
    if let problem = Self.problem(ofLogOf: path) {
      diagnostics.warn(
        "\(path): \(problem)", kind: "damagedLog",
        hint: "verify tells more; another copy of the store with its -wal may have them")
      end(with: .damaged)
    }
    return try StoreFile(
      location: StoreLocation(path: path), busyTimeout: busyTimeout, keepsNoLock: true)
  }

  /// Warns of counters that are lower than numbers in use, where a whole history is read.
  func warnOfTornCounters(in snapshot: StoreSnapshot?) throws {
    for counter in try snapshot?.tornHistoryCounters() ?? [] {
      diagnostics.warn(
        "\(snapshot?.location.path ?? ""): the highest number given out for \(counter.entity) is "
          + "\(counter.issued), and \(counter.present) is in use: parts of the store are of different "
          + "times", kind: "tornCounter",
        hint: "copy the store again, together with its -wal")
    }
  }

  /// What of the log beside a store is passed over, finished saves as a rule; nil where nothing is.
  ///
  /// To be asked before the store is opened: SQLite passes over what it cannot use of a log, and says
  /// nothing of it.
  static func problem(ofLogOf path: String) -> String? {
    do throws(StoreError) {
      let location = try StoreLocation(path: path)
      if try location.logSize() <= longestLog { try location.checkLog() }
      return nil
    } catch {
      guard case .damaged(_, let place, let detail) = error else { return nil }
      return "\(place) cannot be used, so saves may be missing here: \(detail)"
    }
  }
}
