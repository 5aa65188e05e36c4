/// How a class stands to others in its hierarchy.
extension EntityLayout {
  /// The layouts from the class itself up to the one that inherits from no model.
  var lineage: [EntityLayout] {
    var lineage = [self]
    while let next = lineage.last?.superlayout { lineage.append(next) }
    return lineage
  }

  /// Whether the class is another or inherits from it.
  func isKind(of other: EntityLayout) -> Bool { lineage.contains { $0 === other } }

  /// The layout of the class that declares a property.
  func declaringLayout(of index: Int) -> EntityLayout {
    lineage.last { index < $0.properties.count } ?? self
  }
}
