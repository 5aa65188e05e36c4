import OpenSwiftData
import TestSupport
import Testing

/// The history of models of a hierarchy.
@Suite(.bounded) struct InheritanceHistoryTests {
  private static func changes(
    of store: JourneyStore, after count: Int
  ) throws -> [HistoryChange] {
    try store.context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .dropFirst(count).flatMap(\.changes)
  }

  @Test func `changes have the type of their own class`() throws {
    let store = try JourneyStore.filled()
    let inserts = try Self.changes(of: store, after: 0).compactMap { change -> String? in
      guard case .insert(let insert) = change else { return nil }
      let name = insert.changedPersistentIdentifier.entityName
      return switch insert {
      case is DefaultHistoryInsert<Journey>: "\(name): plain"
      case is DefaultHistoryInsert<BusinessJourney>: "\(name): business"
      case is DefaultHistoryInsert<ConferenceJourney>: "\(name): conference"
      case is DefaultHistoryInsert<PersonalJourney>: "\(name): personal"
      default: nil
      }
    }
    #expect(
      inserts == [
        "Journey: plain", "BusinessJourney: business", "ConferenceJourney: conference",
        "PersonalJourney: personal",
      ])
  }

  @Test func `updates name inherited and own attributes`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let conference = try #require(try context.fetch(FetchDescriptor<ConferenceJourney>()).first)
    conference.rating = 5
    conference.perDiem = 1
    conference.isSpeaker = false
    conference.company = try context.fetch(FetchDescriptor<Company>()).first
    try context.save()
    let updates = try Self.changes(of: store, after: 4).compactMap { change in
      if case .update(let update) = change {
        update as? DefaultHistoryUpdate<ConferenceJourney>
      } else {
        nil
      }
    }
    let update = try #require(updates.first)
    #expect(updates.count == 1)
    #expect(update.updatedAttributes.contains(\.rating))
    #expect(update.updatedAttributes.contains(\.perDiem))
    #expect(update.updatedAttributes.contains(\.isSpeaker))
    #expect(update.updatedAttributes.contains(\.company))
    #expect(update.updatedAttributes.count == 4)
    #expect(update.changedPersistentIdentifier == conference.persistentModelID)
  }

  @Test func `tombstones hold inherited and own values`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    try context.delete(model: Journey.self)
    try context.save()
    var kept: [String] = []
    for change in try Self.changes(of: store, after: 4) {
      guard case .delete(let delete) = change else { continue }
      switch delete {
      case let delete as DefaultHistoryDelete<ConferenceJourney>:
        #expect(delete.tombstone[\.name] as? String == "Meetup")
        #expect(delete.tombstone[\.code] as? String == "C-Meetup")
        #expect(delete.tombstone[\.isSpeaker] as? Bool == true)
        #expect(delete.tombstone[\.perDiem] == nil)
        #expect(Array(delete.tombstone).count == 3)
        kept.append("conference")
      case let delete as DefaultHistoryDelete<BusinessJourney>:
        #expect(delete.tombstone[\.name] as? String == "Sale")
        #expect(delete.tombstone[\.code] as? String == "B-1")
        kept.append("business")
      case let delete as DefaultHistoryDelete<PersonalJourney>:
        #expect(delete.tombstone[\.name] as? String == "Visit")
        #expect(delete.tombstone.preservedValues.count == 1)
        kept.append("personal")
      case let delete as DefaultHistoryDelete<Journey>:
        #expect(delete.tombstone[\.name] as? String == "Walk")
        kept.append("plain")
      default: break
      }
    }
    #expect(kept.sorted() == ["business", "conference", "personal", "plain"])
  }

  @Test func `transactions are found by the names of classes`() throws {
    let store = try JourneyStore.filled()
    let names = ["BusinessJourney", "ConferenceJourney"]
    let found = try store.context().fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate {
          $0.changes.contains {
            names.contains($0.changedPersistentIdentifier.entityName)
          }
        }))
    #expect(found.map(\.transactionIdentifier) == [2, 3])
  }
}
