import StoreFormat
import StoreWriting

/// The saves of one author, each of which goes on from the one before.
struct Saves {
  /// What is missing where a save did not become a transaction.
  struct NothingSaved: Error {}

  let author: String
  private var count = 0
  private var last: (trip: StoreObject, item: StoreObject)?

  init(author: String) { self.author = author }

  /// Appends the next save and gives the number of its transaction.
  mutating func append(to editor: StoreEditor) throws -> Int64 {
    count += 1
    var save = StoreSave(
      author: author, bundle: "com.example.Trips", process: "StoreAppender",
      context: "\(author) \(count)")
    let trip = save.insert("Trip", values: ["name": .text("\(author) \(count)")])
    let item = save.insert(
      "BucketListItem", values: ["title": .text("gone")], toOne: ["trip": trip])
    save.insert("BucketListItem", values: ["title": .text("kept")], toOne: ["trip": trip])
    save.update(
      StoreObject(entityName: "Tag", primaryKey: 1),
      values: ["label": .text("\(author) \(count)")])
    if let last {
      save.update(last.trip, values: ["score": .integer(Int64(count))])
      save.delete(last.item)
    }
    guard let appended = try editor.append(save), let trip = appended.stored(trip),
      let item = appended.stored(item)
    else { throw NothingSaved() }
    last = (trip, item)
    return appended.position.number
  }
}
