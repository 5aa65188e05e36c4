import OpenSwiftData

/// The model that is saved and fetched.
@Model
final class Journey {
  @Attribute(.preserveValueOnDeletion) var identifier: UUID
  @Attribute(.preserveValueOnDeletion) var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  var rating: Int
  var isFavorite: Bool
  var notes: String?

  init(_ number: Int) {
    let content = JourneyContent(number)
    identifier = content.identifier
    name = content.name
    destination = content.destination
    startDate = content.startDate
    endDate = content.endDate
    rating = content.rating
    isFavorite = content.isFavorite
    notes = content.notes
  }
}

/// The values of the journey of a number, the same for models and records.
struct JourneyContent {
  let identifier: UUID
  let name: String
  let destination: String
  let startDate: Date
  let endDate: Date
  let rating: Int
  let isFavorite: Bool
  let notes: String?

  init(_ number: Int) {
    identifier = withUnsafeBytes(of: (UInt64(number).bigEndian, UInt64(42))) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
    name = "Journey number \(number)"
    destination = "Place \(number % 1000)"
    startDate = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(number) * 3600)
    endDate = startDate.addingTimeInterval(7 * 86_400)
    rating = number % 5
    isFavorite = number.isMultiple(of: 7)
    notes = number.isMultiple(of: 3) ? "a note of some length about the journey" : nil
  }
}
