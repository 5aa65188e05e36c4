/// The models that a context knows, by identifier, as long as somebody uses them.
///
/// Models with keys that follow each other are in one block: they are often fetched together, and a large
/// dictionary would take more memory for each and a look at another page of it.
struct ModelRegistry {
  private struct WeakModel { weak var model: (any PersistentModel)? }

  /// A power of 2.
  private static let blockSize: Int64 = 8

  /// Without the last block in use.
  private var blocks: [PersistentIdentifier: [WeakModel]] = [:]
  /// The last block in use, which is found without hashing: models are often fetched in the order of their
  /// keys.
  private var last: (number: Int64, origin: PersistentIdentifier.Origin, models: [WeakModel])?
  /// The models with other keys than numbers, such as new ones.
  private var others: [PersistentIdentifier: WeakModel] = [:]
  /// The number of entries from which on the unused ones are removed.
  private var limit = 256

  subscript(identifier: PersistentIdentifier) -> (any PersistentModel)? {
    get {
      guard let number = identifier.number else { return others[identifier]?.model }
      let (block, place) = Self.place(of: number)
      if let last, last.number == block, last.origin == identifier.id.origin {
        return last.models[place].model
      }
      return blocks[PersistentIdentifier(identifier.id.origin, .number(block))]?[place].model
    }
    set {
      guard let number = identifier.number else {
        others[identifier] = newValue.map { WeakModel(model: $0) }
        return removeUnused()
      }
      let (block, place) = Self.place(of: number)
      if last?.number != block || last?.origin != identifier.id.origin {
        let key = PersistentIdentifier(identifier.id.origin, .number(block))
        guard newValue != nil || blocks[key] != nil else { return }
        putLastBack()
        last = (block, identifier.id.origin, blocks.removeValue(forKey: key) ?? Self.emptyBlock)
        removeUnused()
      }
      last?.models[place].model = newValue
    }
  }

  mutating func models(ofStore storeIdentifier: String) -> [any PersistentModel] {
    putLastBack()
    return blocks.lazy.filter { $0.key.storeIdentifier == storeIdentifier }
      .flatMap { $0.value.compactMap(\.model) }
      + others.lazy.filter { $0.key.storeIdentifier == storeIdentifier }.compactMap(\.value.model)
  }

  private mutating func putLastBack() {
    guard let last else { return }
    blocks[PersistentIdentifier(last.origin, .number(last.number))] = last.models
    self.last = nil
  }

  private static func place(of number: Int64) -> (block: Int64, place: Int) {
    (number >> Int64(blockSize.trailingZeroBitCount), Int(number & (blockSize - 1)))
  }

  private static var emptyBlock: [WeakModel] {
    Array(repeating: WeakModel(model: nil), count: Int(blockSize))
  }

  private mutating func removeUnused() {
    guard blocks.count + others.count > limit else { return }
    // Without unused ones, nothing is copied.
    for (key, models) in blocks where models.allSatisfy({ $0.model == nil }) { blocks[key] = nil }
    for (key, model) in others where model.model == nil { others[key] = nil }
    limit = max(256, (blocks.count + others.count) * 2)
  }
}
