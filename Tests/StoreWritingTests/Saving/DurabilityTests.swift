import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreTransactions
@testable import StoreWriting

/// What a loss of power may take is said to SQLite, and not left to how it was built.
@Suite(.bounded) struct DurabilityTests {
  @Test func `an editor sets SQLite's level of durability`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    for (durability, level) in [
      (WritingConnection.Durability.everySave, 2), (.whenClosed, 1), (.everySave, 2),
    ] as [(WritingConnection.Durability, Int64)] {
      let editor = try StoreEditor(path: path, durability: durability)
      let found = try editor.queue.read { try StatementRunner($0).integer("PRAGMA synchronous") }
      #expect(found == level)
    }
  }
}
