import HistoryArchive
import PersistentHistory
import StoreFormat

/// What stands in the place of the store on a command line that only reads: a store, with or without
/// an archive of what it has pruned, or an archive by itself.
struct HistoryInput {
  let store: StoreOptions
  let options: ArchiveOptions
  let session: Session

  /// The archive that stands in the place of the store; nil where a store does.
  func archiveAlone() throws -> ArchiveReader? {
    guard Archive.isArchive(store.store) else {
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
        status: .usage, kind: "usage", message: "\(store.store) is an archive already",
        hint: "give the store before --archive, or leave out --archive")
    }
    return try ArchiveReader(path: store.store, storeIdentifier: options.storeIdentifier)
  }

  /// The history of a store, with what the archive has of it.
  func timeline(of snapshot: StoreSnapshot) throws -> HistoryTimeline {
    guard let path = options.archive else { return HistoryTimeline(snapshot) }
    do {
      let archive = try ArchiveReader(
        path: path, storeIdentifier: snapshot.metadata.storeIdentifier ?? "")
      return try HistoryTimeline(snapshot, behind: archive)
    } catch let error as ArchiveError {
      // Before its first segment is sealed, an archive has nothing to add.
      guard case .unknownStore = error else { throw error }
      session.diagnostics.warn(error.message, kind: "unknownStore", hint: error.remedy)
      return HistoryTimeline(snapshot)
    }
  }

  func resolver(_ timeline: HistoryTimeline) -> TokenResolver {
    TokenResolver(timeline: timeline, bookmarkPath: store.bookmarkFile, now: session.now)
  }
}
