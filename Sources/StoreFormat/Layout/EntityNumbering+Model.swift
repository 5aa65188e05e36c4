extension EntityNumbering {
  /// The numbers that the frameworks give the entities of a model in a new store.
  ///
  /// They count from 1, depth first through each hierarchy, siblings by name without regard to case.
  package init(numbering model: ManagedModel) {
    let children = Dictionary(
      grouping: model.entities.values, by: { $0.superentityName ?? "" }
    ).mapValues { siblings in
      siblings.map(\.name).sorted(by: Self.precedes)
    }
    var entries: [Entry] = []
    // A worklist, for the depth of a hierarchy is not ours to trust.
    var rest: [(name: String, superNumber: Int64)] = (children[""] ?? []).reversed()
      .map { ($0, 0) }
    while let next = rest.popLast(), entries.count < model.entities.count {
      let number = Int64(entries.count + 1)
      entries.append(
        Entry(
          number: number, name: next.name, superNumber: next.superNumber, highestPrimaryKey: 0))
      rest += (children[next.name] ?? []).reversed().map { ($0, number) }
    }
    self.init(entries: entries)
  }

  /// The order of entities: by name without regard to case.
  static func precedes(_ left: String, _ right: String) -> Bool {
    let (lowerLeft, lowerRight) = (left.lowercased(), right.lowercased())
    return lowerLeft == lowerRight ? ordinally(left, right) : ordinally(lowerLeft, lowerRight)
  }
}
