import OpenSwiftData
import PersistentHistory

/// What is measured, done with models.
struct ModelTasks {
  let path: String

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Journey.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  func save(_ count: Int, perTransaction size: Int) throws {
    let context = ModelContext(try container())
    context.author = "benchmark"
    for start in stride(from: 0, to: count, by: size) {
      for number in start..<min(start + size, count) { context.insert(Journey(number)) }
      try context.save()
    }
  }

  func fetch(rating: Int) throws -> Int {
    let context = ModelContext(try container())
    let models = try context.fetch(
      FetchDescriptor<Journey>(predicate: #Predicate { $0.rating >= rating }))
    return models.reduce(0) { $0 + $1.sum }
  }

  /// Reads models by their keys, one after the other, as an app that has only their identifiers.
  func find(_ keys: [PersistentIdentifier]) throws -> Int {
    let context = ModelContext(try container())
    return keys.reduce(0) { $0 + ((context.model(for: $1) as? Journey)?.sum ?? 0) }
  }

  /// Every so many of the identifiers of all models.
  func keys(_ count: Int) throws -> [PersistentIdentifier] {
    let all = try ModelContext(try container()).fetchIdentifiers(FetchDescriptor<Journey>())
    return (0..<count).map { all[$0 * all.count / count] }
  }

  func enumerate() throws -> Int {
    var sum = 0
    try ModelContext(try container()).enumerate(FetchDescriptor<Journey>()) { journey in
      sum += journey.name.utf8.count
    }
    return sum
  }

  /// Changes journeys in transactions of ten, so that there is a history of updates and deletions.
  func change(transactions: Int) throws {
    let context = ModelContext(try container())
    context.author = "widget"
    let journeys = try context.fetch(FetchDescriptor<Journey>())
    for number in 0..<transactions {
      for place in 0..<10 {
        let journey = journeys[(number * 10 + place) % journeys.count]
        if place.isMultiple(of: 2) { journey.rating += 1 } else { journey.name += "!" }
      }
      try context.save()
    }
  }

  /// The place so many transactions before the end.
  func token(before transactions: Int) throws -> DefaultHistoryToken? {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.includesChanges = false
    descriptor.fetchLimit = UInt64(transactions + 1)
    return try ModelContext(try container()).fetchHistory(descriptor).last?.token
  }

  func fetchHistory(after token: DefaultHistoryToken) throws -> Int {
    let transactions = try ModelContext(try container()).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    return transactions.reduce(0) { $0 + $1.changes.count }
  }

  /// The same with the reader below, which makes values of its own and gives them away at once.
  func streamHistory(after token: DefaultHistoryToken) throws -> Int {
    try StoreFile(path: path).read { snapshot in
      let reader = try snapshot.history(after: token.tokenValue?.values.first.map { "\($0)" })
      var count = 0
      while let transaction = try reader.next() { count += transaction.changes.count }
      return count
    }
  }
}

extension Journey {
  /// A figure made of five values.
  var sum: Int {
    name.utf8.count + destination.utf8.count + rating + (isFavorite ? 1 : 0)
      + Int(startDate.timeIntervalSinceReferenceDate) % 1000
  }
}
