import HistoryArchive
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// The history at a path: a store, with or without an archive of its pruned history, an archive alone,
/// or exported lines.
package struct HistoryInput {
  var context: StoreContext
  let archivePath: String?
  private var storeIdentifier: String?

  /// - Parameters:
  ///   - context: The store, the archive, or the file of lines.
  ///   - archivePath: The archive of the store's pruned history.
  ///   - storeIdentifier: The store to read, where an archive has several.
  package init(_ context: StoreContext, archivePath: String?, storeIdentifier: String?) {
    self.context = context
    self.archivePath = archivePath
    self.storeIdentifier = storeIdentifier
  }

  package var path: String { context.path }
  private var observer: OperationObserver { context.observer }

  /// Whether it is neither an archive nor exported lines.
  var isStore: Bool { !Archive.isArchive(path) && !ExportedText.isName(path) }

  /// Returns one input for each history: an archive may have several.
  package func histories() throws -> [HistoryInput] {
    guard storeIdentifier == nil, Archive.isArchive(path) else { return [self] }
    let archive = try Archive(path: path)
    let catalog = try archive.catalog()
    try archive.checkSegmentsAreListed(catalog)
    let identifiers = catalog.storeIdentifiers
    guard identifiers.count > 1 else { return [self] }
    return identifiers.map { identifier in
      var input = self
      input.storeIdentifier = identifier
      return input
    }
  }

  /// Returns a name for each input: that of the file, or as much of the path as distinguishes it from
  /// the others.
  package static func names(of inputs: [HistoryInput]) -> [String] {
    let names = inputs.map { FilePath($0.path).lastComponent?.string ?? $0.path }
    let paths = inputs.map { FilePath($0.path) }
    return inputs.indices.map { place in
      // Names that look the same are not told apart by their bytes.
      guard names.filter({ $0 == names[place] }).count > 1 else { return names[place] }
      guard paths.filter({ $0 == paths[place] }).count > 1 else { return inputs[place].path }
      return inputs[place].path + (inputs[place].storeIdentifier.map { " \($0)" } ?? "")
    }
  }

  /// Opens the archive or the exported lines at the path; returns `nil` if a store is there.
  package func archiveAlone() throws -> (any ArchivedHistory)? {
    let isArchive = Archive.isArchive(path)
    guard isArchive || ExportedText.isName(path) else {
      guard storeIdentifier == nil else {
        throw OperationError(
          .usage,
          "--store-identifier chooses among the stores of an archive, and \(path) is not an archive",
          hint: "leave it out, or give an archive in the place of the store")
      }
      return nil
    }
    guard archivePath == nil else {
      throw OperationError(
        .usage,
        isArchive
          ? "\(path) is an archive already"
          : "lines take the place of a store, and only a store goes with --archive",
        hint: "give the store before --archive, or leave out --archive")
    }
    guard isArchive else {
      return try ExportedHistory(path: path, storeIdentifier: storeIdentifier)
    }
    let reader = try reader(path, storeIdentifier: storeIdentifier)
    try reader.checkSegmentsAreListed(before: nil)
    return reader
  }

  /// Returns the history of a store, joined with what the archive has of it.
  package func timeline(of snapshot: StoreSnapshot) throws -> HistoryTimeline {
    guard let archivePath else { return HistoryTimeline(snapshot) }
    do {
      let archive = try reader(
        archivePath, storeIdentifier: snapshot.metadata.storeIdentifier ?? "")
      try archive.checkSegmentsAreListed(before: snapshot.oldestTransaction()?.number)
      if let segment = archive.unlisted.first { observer(.unlisted(segment)) }
      // Sealing was interrupted before the first segment was listed.
      if archive.store.entries.isEmpty { return HistoryTimeline(snapshot) }
      return try HistoryTimeline(snapshot, continuing: archive)
    } catch let error as ArchiveError {
      // Before its first segment is sealed, an archive has nothing to add.
      guard case .unknownStore = error else { throw error }
      observer(.warning(kind: "unknownStore", error.message, hint: error.remedy))
      return HistoryTimeline(snapshot)
    }
  }

  /// Opens the input, to read it in one snapshot.
  package func open() throws -> OpenHistory {
    if let archive = try archiveAlone() { return .archive(archive, self) }
    return .store(try context.openForReading(), self)
  }

  package func resolver(_ timeline: HistoryTimeline) -> TokenResolver {
    TokenResolver(timeline: timeline, bookmarkPath: context.bookmarkPath, now: context.now)
  }

  /// Opens an archive, and warns if its catalog ends with an incomplete line.
  private func reader(_ path: String, storeIdentifier: String?) throws -> ArchiveReader {
    let reader = try ArchiveReader(path: path, storeIdentifier: storeIdentifier)
    if reader.hasTornCatalog {
      observer(
        .warning(
          kind: "tornCatalog",
          "the last line of \(reader.archive.catalogPath) breaks off, so a segment may "
            + "be missing",
          hint: "verify shows what is in the folder; the next archive command for the store "
            + "repairs the catalog"))
    }
    return reader
  }
}

/// An input that is open.
package enum OpenHistory {
  case archive(any ArchivedHistory, HistoryInput)
  case store(StoreFile, HistoryInput)

  /// Reads the input in one snapshot.
  ///
  /// - Parameters:
  ///   - helperCount: The number of threads beside the caller's that read a store.
  ///   - body: Reads it; the helpers are `nil` without a store.
  package func read<Result>(
    helperCount: Int = 0,
    _ body: (HistoryTimeline, SnapshotHelpers?, TokenResolver) throws -> Result
  ) throws -> Result {
    switch self {
    case .archive(let archive, let input):
      let timeline = HistoryTimeline(archive)
      return try body(timeline, nil, input.resolver(timeline))
    case .store(let file, let input):
      return try file.read(withHelpers: helperCount) { snapshot, helpers in
        let timeline = try input.timeline(of: snapshot)
        return try body(timeline, helpers, input.resolver(timeline))
      }
    }
  }
}

extension OperationEvent {
  /// The warning that an archive has a segment that its catalog does not list, and whose transactions the store has.
  static func unlisted(_ segment: UnlistedSegment) -> OperationEvent {
    .warning(
      kind: "unlistedSegment",
      "\(segment.path) is not in the catalog of its archive: sealing was interrupted; the store has its "
        + "transactions", hint: "the next archive command for the store lists the segment")
  }
}

/// Histories that are open at the same time.
package enum JointReading {
  /// The maximum number of histories. Each that is open takes some files and a part of the stack.
  package static let maxCount = 400
  /// The number of files that an open store takes, at most.
  private static let filesOfStore = 4

  /// Opens several inputs, and reads each in one snapshot.
  ///
  /// - Parameters:
  ///   - inputs: The histories, at most ``maxCount``.
  ///   - failed: Called with the place of an input and its error, and the others are read; an error that it throws
  ///     ends the reading.
  ///   - body: Reads those that could be opened, each with its place.
  /// - Throws: What the closures throw.
  package static func read(
    _ inputs: [HistoryInput], failed: (Int, any Error) throws -> Void,
    _ body: ([(place: Int, timeline: HistoryTimeline, resolver: TokenResolver)]) throws -> Void
  ) throws {
    allowFiles(inputs.count * filesOfStore)
    var opened: [(place: Int, timeline: HistoryTimeline, resolver: TokenResolver)] = []
    // An error of the body is not one of the histories around it.
    var hasBegun = false
    var hasEnded = false
    func open(_ place: Int) throws {
      guard place < inputs.count else {
        hasBegun = true
        try body(opened)
        hasEnded = true
        return
      }
      var isOpen = false
      do {
        try inputs[place].open().read { timeline, _, resolver in
          _ = try timeline.snapshot?.historyTables()
          isOpen = true
          opened.append((place, timeline, resolver))
          try open(place + 1)
        }
      } catch  where !hasBegun || hasEnded {
        try failed(place, error)
        if !isOpen { try open(place + 1) }
      }
    }
    try StoreConnection.$shareCount.withValue(max(inputs.count, 1)) { try open(0) }
  }

  /// Raises the number of files that the process may have open, where that is needed and allowed.
  private static func allowFiles(_ count: Int) {
    var limit = rlimit()
    let needed = rlim_t(count + 100)
    guard getrlimit(fileLimit, &limit) == 0, limit.rlim_cur < needed else { return }
    limit.rlim_cur = min(needed, limit.rlim_max)
    setrlimit(fileLimit, &limit)
  }

  #if canImport(Glibc)
  private static let fileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let fileLimit = RLIMIT_NOFILE
  #endif
}
