import StoreFormat
import Testing

/// The objects of a store as the reader of objects gives them, against a graph that knows no tables.
enum ShadowObjects {
  static func check(_ shadow: ShadowStore, _ path: String, _ seed: UInt64) throws {
    try StoreFile(path: path).read { snapshot in
      let reader = try snapshot.objects()
      for object in shadow.objects {
        let number = try #require(snapshot.entities.number(of: object.entity))
        let present = try #require(
          try reader.object(entityNumber: number, primaryKey: object.key), "seed \(seed): \(object)"
        )
        #expect(present.entityName == object.entity, "seed \(seed)")
        #expect(present.missingProperties.isEmpty, "seed \(seed)")
        let paths = shadow.random.paths(of: object.entity).map(\.path)
        #expect(Set(present.values.map(\.name)) == Set(paths), "seed \(seed): \(object)")
        for value in present.values {
          #expect(
            value.value == shadow.values[object]?[value.name] ?? .null,
            "seed \(seed): \(object).\(value.name)")
        }
        // Any entity of the hierarchy leads to the same row.
        let root = try #require(snapshot.entities.root(of: number))
        #expect(
          try reader.object(entityNumber: root, primaryKey: object.key) == present, "seed \(seed)")
        checkLinks(present, object, shadow, seed)
      }
      for entity in shadow.random.model.entities.keys {
        let number = snapshot.entities.number(of: entity) ?? 0
        #expect(try reader.object(entityNumber: number, primaryKey: 1 << 40) == nil)
      }
    }
  }

  private static func checkLinks(
    _ present: PresentObject, _ object: ShadowStore.Object, _ shadow: ShadowStore, _ seed: UInt64
  ) {
    var expected: [String: Set<ShadowStore.Object>] = [:]
    var toMany: Set<String> = []
    for (index, link) in shadow.random.links.enumerated() {
      if shadow.random.isKind(object.entity, of: link.ownerEntity) {
        // A to-many relationship without a way back is kept in the rows that it leads to, and goes
        // with them; a to-one leads into nowhere then.
        expected[link.name] = shadow.neighbors(object, index, asOwner: true).filter {
          !link.isToMany || shadow.values[$0] != nil
        }
        if link.isToMany { toMany.insert(link.name) }
      }
      if let inverse = link.inverseName, !link.isReflexive,
        shadow.random.isKind(object.entity, of: link.destinationEntity)
      {
        expected[inverse] = shadow.neighbors(object, index, asOwner: false)
        if link.isInverseToMany { toMany.insert(inverse) }
      }
    }
    #expect(Set(present.counts.map(\.name)) == toMany, "seed \(seed): \(object)")
    for count in present.counts {
      #expect(
        count.count == Int64(expected[count.name]?.count ?? -1),
        "seed \(seed): \(object).\(count.name)")
    }
    #expect(
      Set(present.references.map(\.name)) == Set(expected.keys).subtracting(toMany),
      "seed \(seed): \(object)")
    for reference in present.references {
      let other = reference.primaryKey.map {
        ShadowStore.Object(entity: reference.entityName ?? "?", key: $0)
      }
      #expect(
        other == expected[reference.name]?.first, "seed \(seed): \(object).\(reference.name)")
    }
  }
}
