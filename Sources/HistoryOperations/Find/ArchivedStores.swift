import DurableFiles
import StoreFormat
import SystemPackage

/// The stores in a zip or tar file.
///
/// The archive is read twice: first the beginning of each member, then the stores and their logs, each into a
/// private file that exists while it is inspected.
struct ArchivedStores {
  private static let suffixes = [".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"]
  /// The maximum number of stores in one archive; what is known of them is kept until all are found.
  private static let maxStores = 10_000

  let file: FilePath
  let limits: FindOperation.Limits
  let large: LargeStores

  /// The path of the archive for messages.
  private var path: String { file.shown }

  /// Whether a file is an archive by its name.
  static func isArchive(_ path: FilePath) -> Bool {
    let name = path.string.lowercased()
    return suffixes.contains(where: name.hasSuffix)
  }

  /// Members by their place in the archive, with the name of their store.
  private struct Survey {
    var stores: [Int: String] = [:]
    var logs: [Int: String] = [:]
    /// The first member that cannot be read.
    var problem: (any Error)?
  }

  /// Inspects each store.
  ///
  /// - Parameter inspect: Receives a snapshot, the path to show, the name of the member and the size of the log.
  /// - Returns: The results and problems, in the order of their paths.
  func events(
    _ inspect: (StoreSnapshot, _ path: String, _ name: String, _ logByteCount: Int64) throws
      -> [FindOperation.Event]
  ) -> [FindOperation.Event] {
    var events: [FindOperation.Event] = []
    do {
      let survey = try survey()
      if let problem = survey.problem { events.append(.failed(path: path, problem)) }
      if !survey.stores.isEmpty {
        try extract(survey) { name, copy in
          let shown = path + "!/" + name
          do {
            let log = try FileStatus(path: copy.logPath)?.size ?? 0
            events += try large.reading(copy) {
              try copy.read(as: shown) { try inspect($0, shown, name, log) }
            }
          } catch StoreError.notAStore {
          } catch {
            events.append(.failed(path: shown, error))
          }
        } failed: {
          events.append(.failed(path: path + "!/" + $0, $1))
        }
      }
    } catch {
      events.append(.failed(path: path, error))
    }
    return events.sorted { $0.path.utf8.precedes($1.path.utf8) }
  }

  private func survey() throws -> Survey {
    let members = try ArchiveMembers(file, limits: limits)
    var survey = Survey()
    // A later member replaces an earlier one of the same name, as when the archive is unpacked.
    var stores: [String: (index: Int, needsLog: Bool)] = [:]
    var logs: [String: Int] = [:]
    while let member = try members.next() {
      guard member.isFile, !member.name.isEmpty else { continue }
      if member.name.hasSuffix("-wal"), member.size ?? 1 > 0, logs.count < Self.maxStores {
        logs[String(member.name.dropLast(4))] = member.index
        continue
      }
      guard member.size ?? .max >= StoreBeginning.shortest else { continue }
      do {
        let header = try members.readPrefix(StoreBeginning.headerLength)
        guard let length = StoreBeginning.pageLength(header) else { continue }
        let page = try members.readPrefix(length, after: header)
        guard StoreBeginning.mayBeStore(page, hasLog: true), stores.count < Self.maxStores else {
          continue
        }
        stores[member.name] = (
          member.index, !StoreBeginning.mayBeStore(page, hasLog: false)
        )
      } catch let error as OperationError where error.kind == .unreadable {
        // The member may be encrypted. A damaged archive fails again at the next member.
        survey.problem = survey.problem ?? error
      }
    }
    for (name, store) in stores where !store.needsLog || logs[name] != nil {
      survey.stores[store.index] = name
      if let log = logs[name] { survey.logs[log] = name }
    }
    return survey
  }

  private struct Parts {
    let copy: PrivateCopy
    var missing: Int
  }

  private func extract(
    _ survey: Survey, _ inspect: (String, PrivateCopy) -> Void,
    failed: (String, any Error) -> Void
  ) throws {
    let members = try ArchiveMembers(file, limits: limits)
    let withLog = Set(survey.logs.values)
    var started: [String: Parts] = [:]
    var unusable: Set<String> = []
    defer { for parts in started.values { parts.copy.remove() } }
    while let member = try members.next() {
      let isLog = survey.logs[member.index] != nil
      guard let name = survey.stores[member.index] ?? survey.logs[member.index],
        !unusable.contains(name)
      else { continue }
      do {
        try members.checkLength(member.size ?? 0, of: member)
        let parts =
          try started[name]
          ?? Parts(
            copy: PrivateCopy(forStoreAt: path + "!/" + name),
            missing: withLog.contains(name) ? 2 : 1)
        started[name] = parts
        try members.extract(member, to: isLog ? parts.copy.logPath : parts.copy.path)
        started[name]?.missing -= 1
        guard started[name]?.missing == 0 else { continue }
        inspect(name, parts.copy)
      } catch {
        failed(name, error)
        unusable.insert(name)
        if (error as? OperationError)?.kind == .tooLarge,
          (member.size ?? 0) <= limits.memberByteCount
        {
          throw error
        }
      }
      started.removeValue(forKey: name)?.copy.remove()
    }
  }
}
