import PersistentHistory

/// The texts of entities, each made once.
struct EntityTexts: Sendable {
  /// More entities than stores have.
  private static let mostTexts = 10_000

  private var texts: [ObjectIdentifier: (entity: HistoryEntity, text: EntityText)] = [:]
  private var last: (entity: HistoryEntity, text: EntityText)?

  /// The entity's text; those of the last entity and of every named one are kept.
  mutating func text(for entity: HistoryEntity) -> EntityText {
    if let last, last.entity === entity { return last.text }
    let known = texts[ObjectIdentifier(entity)]?.text
    let text = known ?? EntityText(entity)
    // An entity without a name is made anew for each change, and so is, by the decoder, one that its
    // schema does not know; keeping all of those would fill memory.
    if known == nil, entity.name != nil {
      if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
      texts[ObjectIdentifier(entity)] = (entity, text)
    }
    last = (entity, text)
    return text
  }
}
