import Dispatch
import DurableFiles
import PersistentHistory
import StoreFormat
import Synchronization

/// Finds every store below folders, in zip and tar files, and in backups of iOS devices.
///
/// Nothing is written beside a store. Files are inspected on all processors, and reported in the order of their
/// paths as soon as they are known, so that memory does not grow with their number.
package struct FindOperation {
  /// The maximum size of data unpacked from archives, in bytes.
  package struct Limits: Sendable {
    /// One member.
    package var memberByteCount: Int64 = 1 << 30
    /// All members of one archive that must be unpacked to find the stores in it.
    package var archiveByteCount: Int64 = 16 << 30

    init() {}
  }

  package enum Event: Sendable {
    case found(FoundStore)
    /// A file or a folder that cannot be read, or a damaged store; the search continues.
    case failed(path: String, any Error)
    /// A file of a format that is not searched.
    case unsearched(path: String, UnsearchedFormat)

    var path: String {
      switch self {
      case .found(let store): store.path
      case .failed(let path, _), .unsearched(let path, _): path
      }
    }
  }

  /// The number of files and folders.
  package struct Summary: Sendable {
    package var found = 0
    package var failed = 0
    /// Files that were examined.
    package var examined = 0
    /// Files below the folders that are of formats that are not searched.
    package var unsearched: [UnsearchedFormat: Int] = [:]
    /// What was extracted; `nil` if nothing was.
    package var extraction: Extraction?

    package init() {}
  }

  /// The stores that were copied out of archives and backups.
  package struct Extraction: Sendable {
    package let folder: String
    /// A file in the folder with the origin and the digest of each other file, as JSON lines.
    package let list: String
    package internal(set) var storeCount = 0
    package internal(set) var fileCount = 0
    package internal(set) var byteCount: Int64 = 0
  }

  /// The number of files that are inspected at once: a small one first, so that results come early.
  private static let batchSizes = (first: 16, last: 512)

  /// Folders, files and archives.
  package let paths: [String]
  package var limits = Limits()
  /// Whether to leave out stores without history tables.
  package var onlyWithHistory = false
  /// Leave out stores whose newest transaction is older, and those without one.
  package var changedAfter: StoreTimestamp?
  /// Seconds to wait for a locked store.
  package var busyTimeout = 5.0
  /// A new folder, into which stores are copied that are in archives and backups.
  package var extractionFolder: String?
  private let large = LargeStores()

  /// - Parameter paths: Folders, files and archives.
  package init(_ paths: [String]) { self.paths = paths }

  /// Finds stores.
  ///
  /// - Parameter receive: Receives each store and each problem, in the order of the paths.
  /// - Throws: Errors of `receive`, and ``OperationError`` if nothing can be extracted to the folder.
  package func run(_ receive: @escaping (Event) throws -> Void) throws -> Summary {
    let extraction = try extractionFolder.map {
      try StoreExtraction(into: $0, limits: limits)
    }
    var summary = Summary()
    var batch: [FindCandidate] = []
    var size = Self.batchSizes.first
    func flush() throws {
      for event in inspect(batch).joined() {
        switch event {
        case .found(let store):
          summary.found += 1
          extraction?.add(store)
        case .failed: summary.failed += 1
        case .unsearched(_, let format):
          summary.unsearched[format, default: 0] += 1
          continue
        }
        try receive(event)
      }
      batch.removeAll(keepingCapacity: true)
      size = min(size * 2, Self.batchSizes.last)
    }
    try StoreWalk { candidate in
      if case .problem = candidate.kind {} else { summary.examined += 1 }
      batch.append(candidate)
      if batch.count == size { try flush() }
    }.walk(paths)
    try flush()
    summary.extraction = try extraction?.run { path, error in
      summary.failed += 1
      try receive(.failed(path: path, error))
    }
    return summary
  }

  private func inspect(_ batch: [FindCandidate]) -> [[Event]] {
    let results = Mutex([[Event]](repeating: [], count: batch.count))
    let next = Mutex(0)
    let scope = ReadingScope()
    DispatchQueue.concurrentPerform(iterations: min(StoreReading.helperCount + 1, batch.count)) {
      _ in
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < batch.count else { return }
        let events = scope.run { inspect(batch[index]) }
        if !events.isEmpty { results.withLock { $0[index] = events } }
      }
    }
    return results.withLock { $0 }
  }

  private func inspect(_ candidate: FindCandidate) -> [Event] {
    do {
      switch candidate.kind {
      case .problem(let error): return [.failed(path: candidate.path, error)]
      case .file:
        let events = try inspectFile(candidate, origin: nil)
        return events.isEmpty ? unsearched(candidate) : events
      case .archive: return try inspectArchive(candidate)
      case .backup(let backup, let file): return try inspect(file, of: backup, candidate)
      }
    } catch StoreError.notAStore {
      return unsearched(candidate)
    } catch {
      return [.failed(path: candidate.path, error)]
    }
  }

  /// Returns what is to be said of a file that is not a store: that it is of a format that is not searched.
  private func unsearched(_ candidate: FindCandidate) -> [Event] {
    guard candidate.isRoot else {
      return UnsearchedFormat(nameOf: candidate.file).map {
        [.unsearched(path: candidate.path, $0)]
      } ?? []
    }
    return UnsearchedFormat(contentOf: candidate.file).map {
      [
        .failed(
          path: candidate.path,
          OperationError(
            .notSearched, "\(candidate.path) was not searched: it is \($0.name)",
            hint: $0.remedy))
      ]
    } ?? []
  }

  private func inspectFile(
    _ candidate: FindCandidate, origin: FoundStore.Origin?
  ) throws -> [Event] {
    guard candidate.file.isText else { return try inspectCopy(candidate) }
    let path = candidate.file.string
    guard try mayBeStore(candidate, logPath: path + "-wal") else { return [] }
    let location = try StoreLocation(path: path)
    return try large.reading([path, location.logPath]) {
      try StoreFile.readLeavingNothing(beside: location, busyTimeout: busyTimeout) {
        try describe(
          $0, candidate.path, origin, candidate.place, logByteCount: location.logSize())
      }
    }
  }

  /// Inspects a private copy of a file whose path is not UTF-8, by which SQLite cannot open it here.
  private func inspectCopy(_ candidate: FindCandidate) throws -> [Event] {
    guard try mayBeStore(candidate, logPath: nil) else { return [] }
    return try describe(
      PrivateCopy(of: candidate.file, as: candidate.path), candidate, .bytes(candidate.file.bytes))
  }

  /// Describes the store in a copy, which is removed.
  private func describe(
    _ copy: PrivateCopy, _ candidate: FindCandidate, _ origin: FoundStore.Origin
  ) throws -> [Event] {
    defer { copy.remove() }
    return try large.reading(copy) {
      try copy.read(as: candidate.path) {
        try describe(
          $0, candidate.path, origin, candidate.place,
          logByteCount: FileStatus(path: copy.logPath)?.size ?? 0)
      }
    }
  }

  private func inspectArchive(_ candidate: FindCandidate) throws -> [Event] {
    // A store may have any name.
    let events = try inspectFile(candidate, origin: nil)
    guard events.isEmpty else { return events }
    return ArchivedStores(file: candidate.file, limits: limits, large: large).events {
      snapshot, path, name, logByteCount in
      try describe(
        snapshot, path,
        .member(
          archive: candidate.path, name: name,
          bytes: candidate.file.isText ? nil : candidate.file.bytes), candidate.place,
        logByteCount: logByteCount)
    }
  }

  private func inspect(
    _ file: DeviceBackup.File, of backup: DeviceBackup, _ candidate: FindCandidate
  ) throws -> [Event] {
    let origin = FoundStore.Origin.backup(
      folder: backup.folder, domain: file.domain, relativePath: file.relativePath,
      file: file.path)
    guard try mayBeStore(candidate, logPath: nil), let log = try backup.log(of: file) else {
      return try inspectFile(candidate, origin: origin)
    }
    return try describe(
      PrivateCopy(ofStoreAt: file.path, logPath: log.path), candidate, origin)
  }

  private func mayBeStore(_ candidate: FindCandidate, logPath: String?) throws -> Bool {
    do {
      return try StoreBeginning.mayBeStore(at: candidate.file, logPath: logPath)
    } catch {
      throw StoreError.reading(candidate.path, error)
    }
  }

  /// Describes a store, and reports saves that SQLite leaves out because its log is damaged; returns nothing if the
  /// store is not asked for.
  private func describe(
    _ snapshot: StoreSnapshot, _ path: String, _ origin: FoundStore.Origin?, _ place: StorePlace,
    logByteCount: Int64
  ) throws -> [Event] {
    if onlyWithHistory, snapshot.layout.history == nil { return [] }
    if let moment = changedAfter {
      guard snapshot.layout.history != nil,
        let newest = try snapshot.newestTransaction()?.timestamp, newest >= moment
      else { return [] }
    }
    let store = try FoundStore(
      snapshot, path: path, origin: origin, place: place, logByteCount: logByteCount)
    do throws(StoreError) {
      if logByteCount <= StoreReading.longestLog { try snapshot.location.checkLog() }
      return [.found(store)]
    } catch {
      return [.found(store), .failed(path: path, error)]
    }
  }
}
