/// The models that a context knows, by identifier, as long as somebody uses them.
///
/// Models with keys that follow each other are in one block: they are often fetched together, and a large
/// dictionary would take more memory for each and a look at another page of it.
struct ModelRegistry {
  private struct WeakModel { weak var model: (any PersistentModel)? }

  /// A power of 2.
  private static let blockSize: Int64 = 8

  private var blocks: [PersistentIdentifier: [WeakModel]] = [:]
  /// The models with other keys than numbers, such as new ones.
  private var others: [PersistentIdentifier: WeakModel] = [:]
  /// The number of entries from which on the unused ones are removed.
  private var limit = 256

  subscript(identifier: PersistentIdentifier) -> (any PersistentModel)? {
    get {
      guard let number = identifier.number else { return others[identifier]?.model }
      let (block, place) = Self.place(of: number, identifier.id.origin)
      return blocks[block]?[place].model
    }
    set {
      guard let number = identifier.number else {
        others[identifier] = newValue.map { WeakModel(model: $0) }
        return removeUnused()
      }
      let (block, place) = Self.place(of: number, identifier.id.origin)
      if let newValue {
        blocks[block, default: Self.emptyBlock][place].model = newValue
        removeUnused()
      } else {
        blocks[block]?[place].model = nil
      }
    }
  }

  func models(ofStore storeIdentifier: String) -> [any PersistentModel] {
    blocks.lazy.filter { $0.key.storeIdentifier == storeIdentifier }
      .flatMap { $0.value.compactMap(\.model) }
      + others.lazy.filter { $0.key.storeIdentifier == storeIdentifier }.compactMap(\.value.model)
  }

  private static func place(
    of number: Int64, _ origin: PersistentIdentifier.Origin
  ) -> (block: PersistentIdentifier, place: Int) {
    let block = number >> Int64(blockSize.trailingZeroBitCount)
    return (PersistentIdentifier(origin, .number(block)), Int(number & (blockSize - 1)))
  }

  private static var emptyBlock: [WeakModel] {
    Array(repeating: WeakModel(model: nil), count: Int(blockSize))
  }

  private mutating func removeUnused() {
    guard blocks.count + others.count > limit else { return }
    blocks = blocks.filter { $0.value.contains { $0.model != nil } }
    others = others.filter { $0.value.model != nil }
    limit = max(256, (blocks.count + others.count) * 2)
  }
}
