import HistoryArchive
import PersistentHistory
import StoreFormat
import Terminal

/// What stands in the place of the store on a command line that only reads: a store, with or without
/// an archive of what it has pruned, an archive by itself, or lines that were exported.
struct HistoryInput {
  let store: StoreOptions
  let options: ArchiveOptions
  let session: Session

  /// The archive or the lines that stand in the place of the store; nil where a store does.
  func archiveAlone() throws -> (any ArchivedHistory)? {
    let isArchive = Archive.isArchive(store.store)
    guard isArchive || ExportedText.isName(store.store) else {
      if options.storeIdentifier != nil {
        throw Failure(
          status: .usage, kind: "usage",
          message: "--store-identifier chooses among the stores of an archive, and \(store.store) "
            + "is none",
          hint: "leave it out, or give an archive in the place of the store")
      }
      return nil
    }
    guard options.archive == nil else {
      throw Failure(
        status: .usage, kind: "usage",
        message: isArchive
          ? "\(store.store) is an archive already"
          : "lines take the place of a store, and only a store goes with --archive",
        hint: "give the store before --archive, or leave out --archive")
    }
    if isArchive {
      return try reader(store.store, storeIdentifier: options.storeIdentifier)
    }
    return try ExportedHistory(path: store.store, storeIdentifier: options.storeIdentifier)
  }

  /// An archive; what its catalog has lost is told.
  private func reader(_ path: String, storeIdentifier: String?) throws -> ArchiveReader {
    let reader = try ArchiveReader(path: path, storeIdentifier: storeIdentifier)
    let torn = try reader.archive.catalog().tornByteCount
    if torn > 0 {
      session.diagnostics.warn(
        "the last line of \(reader.archive.catalogPath) breaks off, so a segment may be missing",
        kind: "tornCatalog",
        hint:
          "verify tells what stands in the folder; the next archive command for the store mends it")
    }
    return reader
  }

  /// The history of a store, with what the archive has of it.
  func timeline(of snapshot: StoreSnapshot) throws -> HistoryTimeline {
    guard let path = options.archive else { return HistoryTimeline(snapshot) }
    do {
      let archive = try reader(
        path, storeIdentifier: snapshot.metadata.storeIdentifier ?? "")
      return try HistoryTimeline(snapshot, behind: archive)
    } catch let error as ArchiveError {
      // Before its first segment is sealed, an archive has nothing to add.
      guard case .unknownStore = error else { throw error }
      session.diagnostics.warn(error.message, kind: "unknownStore", hint: error.hint)
      return HistoryTimeline(snapshot)
    }
  }

  func resolver(_ timeline: HistoryTimeline) -> TokenResolver {
    TokenResolver(timeline: timeline, bookmarkPath: store.bookmarkFile, now: session.now)
  }
}
