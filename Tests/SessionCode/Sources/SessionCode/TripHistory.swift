#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// What the app finds out about the widget's work.
struct TripHistory {
  enum Author {
    static let app = "app"
    static let widget = "widget"
  }

  let modelContainer: ModelContainer
  /// Where the token is kept between two launches.
  let tokenFile: URL

  func findTransactions(
    after token: DefaultHistoryToken?, author: String
  ) -> [DefaultHistoryTransaction] {
    var historyDescriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      historyDescriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    }
    var transactions: [DefaultHistoryTransaction] = []
    let taskContext = ModelContext(modelContainer)
    do {
      transactions = try taskContext.fetchHistory(historyDescriptor)
    } catch {
      print(error)
    }
    return transactions
  }

  func findTrips(
    in transactions: [DefaultHistoryTransaction]
  ) -> (trips: Set<Trip>, token: DefaultHistoryToken?) {
    let taskContext = ModelContext(modelContainer)
    var resultTrips: Set<Trip> = []
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let fetchDescriptor = FetchDescriptor<Trip>(
          predicate: #Predicate { trip in
            trip.livingAccommodation?.persistentModelID == modelID
          })
        let fetchResults = try? taskContext.fetch(fetchDescriptor)
        guard let matchedTrip = fetchResults?.first else { continue }
        switch change {
        case .insert(_ as DefaultHistoryInsert<LivingAccommodation>):
          resultTrips.insert(matchedTrip)
        case .update(_ as DefaultHistoryUpdate<LivingAccommodation>):
          resultTrips.update(with: matchedTrip)
        case .delete(_ as DefaultHistoryDelete<LivingAccommodation>):
          resultTrips.remove(matchedTrip)
        default: break
        }
      }
    }
    return (resultTrips, transactions.last?.token)
  }

  func findUnreadTrips() -> Set<Trip> {
    let tokenData = try? Data(contentsOf: tokenFile)
    let historyToken = tokenData.flatMap {
      try? JSONDecoder().decode(DefaultHistoryToken.self, from: $0)
    }
    let transactions = findTransactions(after: historyToken, author: Author.widget)
    let (unreadTrips, newToken) = findTrips(in: transactions)
    if let newToken, let data = try? JSONEncoder().encode(newToken) {
      try? data.write(to: tokenFile)
    }
    return unreadTrips
  }

  /// What is left of deleted trips: what they were called, and when they began.
  func tombstones() throws -> [String] {
    var lines: [String] = []
    for transaction in try ModelContext(modelContainer).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    {
      for change in transaction.changes {
        switch change {
        case .insert, .update: break
        case .delete(let delete as DefaultHistoryDelete<Trip>):
          let name = delete.tombstone[\.name] as? String
          let startDate = delete.tombstone[\.startDate] as? Date
          lines.append("\(name ?? "?") \(startDate?.timeIntervalSinceReferenceDate ?? 0)")
        case .delete: break
        @unknown default: break
        }
      }
    }
    return lines
  }

  /// Which trips' names were set, by the key path of the property.
  func renamed() throws -> Set<PersistentIdentifier> {
    var identifiers: Set<PersistentIdentifier> = []
    for transaction in try ModelContext(modelContainer).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    {
      for case .update(let change) in transaction.changes {
        guard let update = change as? DefaultHistoryUpdate<Trip>,
          update.updatedAttributes.contains(\.name)
        else { continue }
        identifiers.insert(update.changedPersistentIdentifier)
      }
    }
    return identifiers
  }

  /// The newest place in the history, found without reading all of it.
  func newestToken() throws -> DefaultHistoryToken? {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    return try ModelContext(modelContainer).fetchHistory(descriptor).first?.token
  }

  /// What has been worked through is not needed any more.
  func deleteTransactions(before token: DefaultHistoryToken) throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.token < token }
    try ModelContext(modelContainer).deleteHistory(descriptor)
  }
}
