import OpenSwiftData

/// Finds the trips that the widget changed since the app last read the history.
///
/// The app keeps the token of the last transaction that it read in a file beside the store.
public struct UnreadTrips {
  /// The result of a search.
  public struct Found {
    /// The trips that the widget changed.
    public let trips: Set<PersistentIdentifier>
    /// The reason why the whole history was read, or `nil` if only the new part was.
    public let reasonToStartOver: String?
  }

  private let context: ModelContext
  private let tokenFile: URL

  /// Creates a search in the history of a store.
  public init(container: ModelContainer, storePath: String) {
    context = ModelContext(container)
    tokenFile = URL(fileURLWithPath: storePath + "-token.json")
  }

  /// Returns the trips that the widget changed since ``markAllRead()``.
  ///
  /// If the token has expired, because its transaction was deleted, it is discarded, and everything in the
  /// history counts as unread.
  public func find() throws -> Found {
    let token: DefaultHistoryToken?
    do {
      token = try readToken()
    } catch {
      return Found(
        trips: try trips(after: nil),
        reasonToStartOver: "\(tokenFile.lastPathComponent) cannot be read")
    }
    do {
      return Found(trips: try trips(after: token), reasonToStartOver: nil)
    } catch SwiftDataError.historyTokenExpired {
      try FileManager.default.removeItem(at: tokenFile)
      return Found(
        trips: try trips(after: nil),
        reasonToStartOver: "the history was pruned beyond what was read last")
    }
  }

  /// Saves the newest transaction as the last one that was read.
  public func markAllRead() throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    guard let newest = try context.fetchHistory(descriptor).first else { return }
    try JSONEncoder().encode(newest.token).write(to: tokenFile, options: .atomic)
  }

  private func readToken() throws -> DefaultHistoryToken? {
    guard FileManager.default.fileExists(atPath: tokenFile.path) else { return nil }
    return try JSONDecoder().decode(
      DefaultHistoryToken.self, from: Data(contentsOf: tokenFile))
  }

  private func trips(after token: DefaultHistoryToken?) throws -> Set<PersistentIdentifier> {
    let author = TripBook.Author.widget.rawValue
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == author })
    if let token {
      descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
    }
    var found: Set<PersistentIdentifier> = []
    for transaction in try context.fetchHistory(descriptor) {
      for change in transaction.changes {
        let identifier = change.changedPersistentIdentifier
        switch change {
        case .insert(_ as DefaultHistoryInsert<Trip>), .update(_ as DefaultHistoryUpdate<Trip>):
          found.insert(identifier)
        case .insert(_ as DefaultHistoryInsert<LivingAccommodation>),
          .update(_ as DefaultHistoryUpdate<LivingAccommodation>):
          let trips = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.livingAccommodation?.persistentModelID == identifier })
          found.formUnion(try context.fetchIdentifiers(trips))
        default: break
        }
      }
    }
    // What was deleted since then cannot be read any more.
    return found.intersection(try context.fetchIdentifiers(FetchDescriptor<Trip>()))
  }
}
