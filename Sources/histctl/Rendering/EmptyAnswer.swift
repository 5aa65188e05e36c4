import PersistentHistory
import StoreFormat

/// What to tell a person to whom a list came back empty.
struct EmptyAnswer {
  let text: String

  init(_ timeline: HistoryTimeline) throws {
    if let newest = try timeline.newestTransaction() {
      text = "no transaction matches; the newest is \(newest.number)"
    } else if let snapshot = timeline.snapshot,
      snapshot.entities.highestNumber(of: .transaction) > 0
    {
      text =
        "the history is empty: all of it was pruned, up to number "
        + "\(snapshot.entities.highestNumber(of: .transaction))"
    } else {
      text = "the history is empty: nothing has been saved since it is kept"
    }
  }
}
