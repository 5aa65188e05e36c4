import OpenSwiftData
import TestSupport

/// A hierarchy of three levels, with relationships to, from and within it.
@Model
class Journey {
  #Index<Journey>([\.startDate])

  @Attribute(.unique, .preserveValueOnDeletion) var name: String
  var startDate: Date
  var rating: Int?
  @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop] = []
  var guide: Guide?
  @Transient var isUnread = false

  init(name: String, startDate: Date = .distantPast) {
    self.name = name
    self.startDate = startDate
  }
}

@Model
class BusinessJourney: Journey {
  #Unique<BusinessJourney>([\.code, \.name])
  #Index<BusinessJourney>([\.perDiem, \.startDate])

  @Attribute(.preserveValueOnDeletion) var code: String
  var perDiem: Double = 50
  var notes: String?
  @Relationship(inverse: \Company.journeys) var company: Company?

  init(name: String, code: String, startDate: Date = .distantPast) {
    self.code = code
    super.init(name: name, startDate: startDate)
    rating = 3
  }
}

@Model
final class ConferenceJourney: BusinessJourney {
  var talks: [String] = []
  @Attribute(.preserveValueOnDeletion) var isSpeaker: Bool
  @Transient var badge = "none"

  init(name: String, isSpeaker: Bool, talks: [String] = []) {
    self.isSpeaker = isSpeaker
    self.talks = talks
    super.init(name: name, code: "C-" + name)
    perDiem += 10
  }
}

@Model
final class PersonalJourney: Journey {
  enum Reason: String, Codable { case family, reunion, wellness }

  var reason: Reason
  var notes: String?

  init(name: String, reason: Reason, startDate: Date = .distantPast) {
    self.reason = reason
    super.init(name: name, startDate: startDate)
  }
}

@Model
final class Stop {
  var title: String
  var journey: Journey?

  init(title: String, journey: Journey? = nil) {
    self.title = title
    self.journey = journey
  }
}

@Model
final class Company {
  var name: String
  var journeys: [BusinessJourney] = []

  init(name: String) { self.name = name }
}

@Model
final class Guide {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Journey.guide) var journeys: [Journey] = []

  init(name: String) { self.name = name }
}

/// A store of journeys in a folder of its own.
struct JourneyStore {
  let folder: TemporaryFolder
  let container: ModelContainer

  static let schema = Schema([ConferenceJourney.self, PersonalJourney.self])

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Self.schema,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: folder.file("Journeys.store"))))
  }

  /// A store with one journey of each class, in this order: plain, business, conference, personal.
  static func filled() throws -> JourneyStore {
    let store = try JourneyStore()
    let context = store.context(author: "app")
    let day = Date(timeIntervalSinceReferenceDate: 700_000_000)
    let walk = Journey(name: "Walk", startDate: day)
    let sale = BusinessJourney(name: "Sale", code: "B-1", startDate: day.addingTimeInterval(86_400))
    sale.notes = "suit"
    sale.company = Company(name: "Acme")
    let meetup = ConferenceJourney(name: "Meetup", isSpeaker: true, talks: ["SQL", "Swift"])
    meetup.startDate = day.addingTimeInterval(2 * 86_400)
    let visit = PersonalJourney(
      name: "Visit", reason: .family, startDate: day.addingTimeInterval(3 * 86_400))
    visit.notes = "cake"
    for (index, journey) in [walk, sale, meetup, visit].enumerated() {
      context.insert(journey)
      for stop in 0..<index { journey.stops.append(Stop(title: "\(journey.name) \(stop)")) }
      // Saved one by one, so that keys are given out in this order.
      try context.save()
    }
    return store
  }

  var path: String { folder.file("Journeys.store") }

  /// A context that saves as somebody.
  func context(author: String? = nil) -> ModelContext {
    let context = ModelContext(container)
    context.author = author
    return context
  }
}
