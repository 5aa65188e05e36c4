import StoreFormat

/// What lines have told of one entity: which names the bits of its masks can stand for.
struct LearnedEntity {
  /// Models of one entity whose masks differ in length; more are not told apart.
  private static let mostModels = 16
  /// Of more names than this, those of single bits are not guessed at.
  private static let mostPossibleNames = 64

  /// Of each length of a mask, in bytes, what every slot can stand for; nil where nothing is known.
  private var models: [(byteCount: Int, slots: [[String]?])] = []

  /// Takes in a mask and the names that it was given; gives how many bytes the names have that were new.
  mutating func add(_ mask: ColumnMask, _ names: [String]) -> Int {
    // The model that was met last stands last.
    var model: (byteCount: Int, slots: [[String]?])
    if let index = models.firstIndex(where: { $0.byteCount == mask.byteCount }) {
      model = models.remove(at: index)
    } else {
      guard models.count < Self.mostModels else { return 0 }
      model = (mask.byteCount, [[String]?](repeating: nil, count: mask.byteCount * 8))
    }
    defer { models.append(model) }
    let marked = mask.setSlots
    guard marked.count == names.count || names.count <= Self.mostPossibleNames else { return 0 }
    var newCount = 0
    for (index, slot) in marked.enumerated() {
      // A name for each slot says it exactly, fewer names only which ones it can be.
      let possible = marked.count == names.count ? [names[index]] : names
      if let known = model.slots[slot] {
        model.slots[slot] = known.filter(possible.contains)
      } else {
        model.slots[slot] = possible
        newCount += possible.reduce(0) { $0 + $1.utf8.count + 16 }
      }
    }
    return newCount
  }

  /// The slots of each model, the one that was met last first.
  func modelSlots() -> [EntitySlots] {
    models.reversed().map { model in
      EntitySlots(
        slots: model.slots.map { EntitySlots.Slot(name: $0?.first ?? "", role: .attribute) },
        tombstoneAttributes: [])
    }
  }
}
