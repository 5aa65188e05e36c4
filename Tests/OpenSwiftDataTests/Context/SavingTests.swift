import OpenSwiftData
import TestSupport
import Testing

@Suite(.bounded) struct SavingTests {
  @Test func `inserted models are rows and one transaction`() throws {
    let store = try TripStore()
    let context = store.context(author: "app")
    let rome = Trip(name: "Rome", destination: "Italy")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    rome.livingAccommodation = LivingAccommodation(placeName: "Casa")
    rome.tags = [Tag(label: "city")]
    context.insert(rome)
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 5)
    #expect(rome.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(!context.hasChanges)
    #expect(rome.persistentModelID.storeIdentifier != nil)

    let query = try StoreQuery(path: store.path)
    #expect(try query.lines("SELECT ZNAME, ZDESTINATION, Z_OPT FROM ZTRIP") == ["Rome|Italy|1"])
    #expect(
      try query.lines("SELECT ZTITLE, ZTRIP FROM ZBUCKETLISTITEM ORDER BY ZTITLE") == [
        "Forum|1", "Pantheon|1",
      ])
    #expect(try query.lines("SELECT ZPLACENAME, ZTRIP FROM ZLIVINGACCOMMODATION") == ["Casa|1"])
    #expect(
      try query.lines(
        "SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS")
        == ["app"])
    #expect(try query.lines("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 0") == ["5"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `only the context of the main actor saves automatically`() async throws {
    let store = try TripStore()
    let context = ModelContext(store.container)
    #expect(context.autosaveEnabled)
    // Only that of the main actor does.
    context.insert(Trip(name: "Rome"))
    await MainActor.run {}
    #expect(context.hasChanges)
  }
}
