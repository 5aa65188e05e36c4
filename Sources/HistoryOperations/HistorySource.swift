import HistoryArchive
import HistoryCoding
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// One of several histories that are read for one answer.
package struct HistorySource: Sendable {
  /// A store, an archive, or exported lines.
  package let path: String
  /// The archive of the store's pruned history.
  let archivePath: String?
  /// The store to read, where an archive has several.
  package let storeIdentifier: String?
  /// The file of the bookmarks; `nil` for the one beside the store.
  package let bookmarkPath: String?

  package init(
    path: String, archivePath: String? = nil, storeIdentifier: String? = nil,
    bookmarkPath: String? = nil
  ) {
    self.path = path
    self.archivePath = archivePath
    self.storeIdentifier = storeIdentifier
    self.bookmarkPath = bookmarkPath
  }

  /// Whether it is neither an archive nor exported lines.
  var isStore: Bool { !Archive.isArchive(path) && !ExportedText.isName(path) }

  /// Returns one source for each history: an archive may have several.
  package func histories() throws -> [HistorySource] {
    guard storeIdentifier == nil, Archive.isArchive(path) else { return [self] }
    let archive = try Archive(path: path)
    let catalog = try archive.catalog()
    try archive.checkSegmentsAreListed(catalog)
    let identifiers = catalog.storeIdentifiers
    guard identifiers.count > 1 else { return [self] }
    return identifiers.map {
      HistorySource(
        path: path, archivePath: archivePath, storeIdentifier: $0, bookmarkPath: bookmarkPath)
    }
  }

  /// Returns a name for each source: that of the file, or as much of the path as distinguishes it from
  /// the others.
  package static func names(of sources: [HistorySource]) -> [String] {
    let names = sources.map { FilePath($0.path).lastComponent?.string ?? $0.path }
    let paths = sources.map { FilePath($0.path) }
    return sources.indices.map { place in
      // Names that look the same are not told apart by their bytes.
      guard names.filter({ $0 == names[place] }).count > 1 else { return names[place] }
      guard paths.filter({ $0 == paths[place] }).count > 1 else { return sources[place].path }
      return sources[place].path + (sources[place].storeIdentifier.map { " \($0)" } ?? "")
    }
  }

  /// Opens the history and reads it in one snapshot.
  ///
  /// - Parameter context: Returns how to open what is at its path.
  package func input(_ context: StoreContext) -> HistoryInput {
    HistoryInput(context, archivePath: archivePath, storeIdentifier: storeIdentifier)
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
        try inputs[place].read { timeline, _, resolver in
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
