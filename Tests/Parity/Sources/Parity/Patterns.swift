import Foundation
import SwiftData

/// What apps do at the edges of the API, each in a store of its own.
///
/// SwiftData may end the program where OpenSwiftData throws an error, so each pattern runs in a process of
/// its own.
enum Pattern: String, CaseIterable {
  case memoryHistory, historyByAuthor, tokensAfterDeletion
  case clearedLink, clearedLinkOfDeleted, changedAndDeleted, deletedTwice
  case newTwins, manyTwins, upsert, twoOthers, swapped
  case indexedEnums, uniqueEnums
  case associatedEnum, emptyStructure, singleText
  case newlyUnique, mergedFirst, newModelTooEarly, newModelInTime
  case otherApp, missingTable, lowCounter, eightProcesses

  func run(in folder: URL) throws {
    let url = folder.appendingPathComponent("\(rawValue).store")
    switch self {
    case .memoryHistory, .historyByAuthor, .tokensAfterDeletion: try deleteHistory(url)
    case .clearedLink, .clearedLinkOfDeleted, .changedAndDeleted, .deletedTwice:
      try deleteElsewhere(url)
    case .newTwins, .manyTwins, .upsert, .twoOthers, .swapped: try saveUnique(url)
    case .indexedEnums, .uniqueEnums: try saveSeats(url)
    case .associatedEnum, .emptyStructure, .singleText: try saveParcels(url)
    case .newlyUnique, .mergedFirst, .newModelTooEarly, .newModelInTime: try migrate(url)
    case .otherApp, .missingTable: try openOtherStore(url)
    case .lowCounter: try insertSubclass(url)
    case .eightProcesses: try openAtOnce(url)
    }
  }

  private func answer(_ part: String, _ value: some Encodable) throws {
    try say("patterns.\(rawValue).\(part)", value)
  }

  private func answerError(_ part: String, _ body: () throws -> Void) throws {
    try sayError("patterns.\(rawValue).\(part)", body)
  }

  private func open(_ url: URL, _ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: url)])
  }

  // MARK: - History

  private func deleteHistory(_ url: URL) throws {
    let inMemory = ModelConfiguration(isStoredInMemoryOnly: true)
    let container =
      self == .memoryHistory
      ? try ModelContainer(for: Schema([Trip.self, Stay.self]), configurations: [inMemory])
      : try open(url, Trip.self, Stay.self)
    let context = ModelContext(container)
    for number in 1...6 {
      context.author = number < 4 ? "widget" : "app"
      context.insert(Trip("\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(Transactions())
    try answer("saved", all.count)
    let (first, third, fifth) = (all[0].token, all[2].token, all[4].token)
    let author = "widget"
    switch self {
    case .historyByAuthor:
      let app = "app"
      try answerError("newer") {
        try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == app }))
      }
      try answer("leftOfNewer", try context.fetchHistory(Transactions()).map(\.author))
      try answerError("older") {
        try context.deleteHistory(Transactions(predicate: #Predicate { $0.author == author }))
      }
    default:
      try answerError("older") {
        try context.deleteHistory(Transactions(predicate: #Predicate { $0.token < third }))
      }
    }
    try answer("left", try context.fetchHistory(Transactions()).map(\.author))
    for (name, token) in [("first", first), ("third", third), ("fifth", fifth)] {
      try answerError("token.\(name)") {
        let later = try context.fetchHistory(
          Transactions(predicate: #Predicate { $0.token > token }))
        try answer("after.\(name)", later.count)
      }
    }
    try context.deleteHistory(Transactions())
    try answer("all", try context.fetchHistory(Transactions()).count)
    context.insert(Trip("7"))
    try context.save()
    try answer("next", try context.fetchHistory(Transactions()).count)
  }

  // MARK: - Deleted models

  private func deleteElsewhere(_ url: URL) throws {
    let container = try open(url, Trip.self, Stay.self)
    let (mine, theirs) = (ModelContext(container), ModelContext(container))
    mine.autosaveEnabled = false
    let (rome, ritz) = (Trip("Rome"), Stay("Ritz"))
    mine.insert(rome)
    ritz.trip = rome
    try mine.save()
    guard let other = try theirs.fetch(FetchDescriptor<Trip>()).first else { return }
    switch self {
    case .clearedLink:
      mine.delete(rome)
      try mine.save()
      try answer("isNil", ritz.trip == nil)
      ritz.trip = nil
    case .clearedLinkOfDeleted:
      theirs.delete(other)
      try theirs.save()
      ritz.trip = nil
    case .changedAndDeleted:
      theirs.delete(other)
      try theirs.save()
      rome.note = "changed"
      ritz.hotel = "Hilton"
    default:
      theirs.delete(other)
      try theirs.save()
      mine.delete(rome)
    }
    try answerError("save") { try mine.save() }
    try answer("hasChanges", mine.hasChanges)
    let reader = ModelContext(container)
    try answer("trips", try reader.fetch(FetchDescriptor<Trip>()).map(\.name))
    try answer(
      "stays",
      try reader.fetch(FetchDescriptor<Stay>()).map { "\($0.hotel) \($0.trip?.name ?? "-")" })
    let history = try reader.fetchHistory(Transactions())
    try answer("changes", history.map { $0.changes.count })
  }

  // MARK: - Unique values

  private func saveUnique(_ url: URL) throws {
    let container = try open(url, Person.self, Stamp.self)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let (ann, bob) = (Person("a@x", "ann", age: 1), Person("b@x", "bob", age: 2))
    context.insert(ann)
    ann.stamps = [Stamp(1)]
    switch self {
    case .newTwins:
      let twin = Person("a@x", "twin", age: 3)
      context.insert(twin)
      twin.stamps = [Stamp(2)]
    case .manyTwins:
      for number in 10..<60 {
        for age in 0..<2 {
          let person = Person("\(number)@x", "\(number)", age: age)
          context.insert(person)
          person.stamps = [Stamp(2 * number + age)]
        }
      }
    case .upsert:
      try context.save()
      let again = Person("a@x", "again", age: 4)
      context.insert(again)
      again.stamps = [Stamp(2)]
    case .twoOthers:
      context.insert(bob)
      try context.save()
      context.insert(Person("a@x", "bob", age: 5))
    default:
      context.insert(bob)
      try context.save()
      (ann.email, bob.email) = ("b@x", "a@x")
    }
    try answerError("save") { try context.save() }
    let reader = ModelContext(container)
    let people = try reader.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.email)]))
    try answer(
      "people",
      people.map { person in
        "\(person.email) \(person.handle) \(person.age) \(person.stamps.map(\.number).sorted())"
      })
    try answer("stamps", try reader.fetchCount(FetchDescriptor<Stamp>()))
    try answer(
      "kinds",
      try reader.fetchHistory(Transactions()).map { transaction in
        transaction.changes.map { kind(of: $0) }.sorted()
      })
  }

  private func kind(of change: HistoryChange) -> String {
    let name =
      switch change {
      case .insert: "insert"
      case .update: "update"
      case .delete: "delete"
      @unknown default: "unknown"
      }
    return "\(name) \(change.changedPersistentIdentifier.entityName)"
  }

  private func saveSeats(_ url: URL) throws {
    try answerError("open") { _ = try open(url, Seat.self) }
    let container = try open(url, Seat.self)
    let context = ModelContext(container)
    context.insert(Seat(1, .free, .left))
    context.insert(Seat(2, .paid, .right))
    try context.save()
    if self == .uniqueEnums {
      let again = Seat(1, .free, .right)
      again.note = "again"
      context.insert(again)
      try answerError("save") { try context.save() }
    }
    let reader = ModelContext(container)
    let seats = try reader.fetch(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.row)]))
    try answer("seats", seats.map { "\($0.row) \($0.plan) \($0.side) \($0.note)" })
    let (plan, side) = (Plan.free, Side.right)
    try answerError("byRawValue") {
      let found = try reader.fetch(FetchDescriptor<Seat>(predicate: #Predicate { $0.plan == plan }))
      try answer("free", found.map(\.row))
    }
    try answerError("byCase") {
      let found = try reader.fetch(FetchDescriptor<Seat>(predicate: #Predicate { $0.side == side }))
      try answer("right", found.map(\.row))
    }
  }

  // MARK: - Unusual values

  private func saveParcels(_ url: URL) throws {
    let container = try open(url, Parcel.self)
    let context = ModelContext(container)
    let parcel = Parcel("a")
    context.insert(parcel)
    try context.save()
    func read(_ part: String) throws {
      guard let read = try ModelContext(container).fetch(FetchDescriptor<Parcel>()).first else {
        return try answer(part, "missing")
      }
      switch self {
      case .associatedEnum: try answer(part, read.carrier.map { "\($0)" })
      case .emptyStructure:
        try answer(part, read.contact.map { "\($0.phone ?? "-") \($0.floor ?? -1)" })
      default: try answer(part, [read.tint.name, read.secondTint?.name])
      }
    }
    try read("none")
    switch self {
    case .associatedEnum: parcel.carrier = .post(code: "X1", weight: 2.5)
    case .emptyStructure: parcel.contact = Contact()
    default: parcel.tint = Tint("blue")
    }
    try answerError("save") { try context.save() }
    try read("first")
    // An app reads its history between two saves.
    try answer("history", try context.fetchHistory(Transactions()).map(\.changes.count))
    switch self {
    case .associatedEnum: parcel.carrier = .pickup
    case .emptyStructure: parcel.contact = Contact(phone: nil, floor: 3)
    default: parcel.secondTint = Tint("")
    }
    try answerError("saveAgain") { try context.save() }
    try read("second")
    parcel.carrier = nil
    parcel.contact = nil
    parcel.secondTint = nil
    try context.save()
    try read("last")
  }

  // MARK: - Migrations

  private func migrate(_ url: URL) throws {
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: ClubV1.self),
          configurations: [ModelConfiguration("club", url: url)]))
      let isShared = self == .newlyUnique || self == .mergedFirst
      for (email, points) in [("a@x", 1), ("b@x", 2), (isShared ? "a@x" : "c@x", 3)] {
        context.insert(ClubV1.Member(email, points))
      }
      try context.save()
    }
    let plan: (any SchemaMigrationPlan.Type)? =
      switch self {
      case .mergedFirst: MergingPlan.self
      case .newModelTooEarly: EarlyPlan.self
      case .newModelInTime: LatePlan.self
      default: nil
      }
    try answerError("open") {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: ClubV2.self), migrationPlan: plan,
          configurations: [ModelConfiguration("club", url: url)]))
      let members = FetchDescriptor<ClubV2.Member>(sortBy: [SortDescriptor(\.email)])
      try answer("members", try context.fetch(members).map { "\($0.email) \($0.points)" })
      try answer("badges", try context.fetch(FetchDescriptor<ClubV2.Badge>()).map(\.color))
    }
  }

  // MARK: - Opening

  private func openOtherStore(_ url: URL) throws {
    do {
      let context = ModelContext(try open(url, Trip.self, Stay.self))
      context.insert(Trip("Rome"))
      try context.save()
    }
    if self == .missingTable {
      try Self.change(url, "DROP TABLE ZSTAY")
    }
    try answerError("open") {
      let context = ModelContext(
        self == .otherApp
          ? try open(url, Person.self, Stamp.self) : try open(url, Trip.self, Stay.self))
      try answer("hasChanges", context.hasChanges)
    }
    guard self == .otherApp else { return }
    try answerError("openAgain") {
      let context = ModelContext(try open(url, Trip.self, Stay.self))
      try answer("trips", try context.fetch(FetchDescriptor<Trip>()).map(\.name))
    }
  }

  /// In real stores the counter of a subclass is 0, and that of its root counts.
  private func insertSubclass(_ url: URL) throws {
    for round in 0..<2 {
      let context = ModelContext(try open(url, Vehicle.self, Bus.self))
      context.insert(Vehicle("\(round)"))
      context.insert(Bus("\(round)", seats: 40))
      try answerError("save\(round)") { try context.save() }
      let reader = ModelContext(context.container)
      let all = try reader.fetch(FetchDescriptor<Vehicle>())
      try answer("vehicles\(round)", [all.count, Set(all.map(\.persistentModelID)).count])
      try Self.change(url, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Bus'")
    }
  }

  /// Lets eight processes create one store and save to it.
  private func openAtOnce(_ url: URL) throws {
    let processes = try (0..<8).map { _ in
      try Self.start(CommandLine.arguments[0], ["join", url.path])
    }
    try answer("statuses", processes.map { Self.finish($0) })
    let context = ModelContext(try open(url, Trip.self, Stay.self))
    try answer("trips", try context.fetchCount(FetchDescriptor<Trip>()))
    let history = try context.fetchHistory(Transactions())
    try answer("transactions", [history.count, Set(history.map(\.transactionIdentifier)).count])
  }

  /// Opens a store beside other processes, and saves to it.
  static func join(_ url: URL) throws {
    let container = try ModelContainer(
      for: Schema([Trip.self, Stay.self]), configurations: [ModelConfiguration(url: url)])
    let context = ModelContext(container)
    context.insert(Trip("\(ProcessInfo.processInfo.processIdentifier)"))
    try context.save()
  }

  private static func start(_ path: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    try process.run()
    return process
  }

  /// Changes a store by SQL, as no app does.
  private static func change(_ url: URL, _ sql: String) throws {
    _ = finish(try start("/usr/bin/env", ["sqlite3", url.path, sql]))
  }

  private static func finish(_ process: Process) -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
