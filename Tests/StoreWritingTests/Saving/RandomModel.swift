import StoreFormat
import TestSupport

/// A small model made of chance, and values for it.
struct RandomModel {
  /// A relationship with both its ends, the first the one that owns it.
  struct Link: Hashable {
    let ownerEntity: String
    let name: String
    let destinationEntity: String
    /// Nil for one without a way back.
    let inverseName: String?
    let isToMany: Bool
    let isInverseToMany: Bool
    let isOrdered: Bool
    let cascades: Bool

    /// Whether it leads back to itself.
    var isReflexive: Bool { inverseName == name && ownerEntity == destinationEntity }
  }

  let model: ManagedModel
  let links: [Link]
  /// The entities that objects can be of.
  let concreteNames: [String]

  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .date, .string, .uri,
    .uuid, .binaryData, .transformable,
  ]

  init(using generator: inout SeededGenerator) {
    let pool = ["Alpha", "beta", "Cargo", "delta", "Echo", "ärger"].shuffled(using: &generator)
    let names = Array(pool.prefix(Int.random(in: 1...5, using: &generator)))
    var supers: [String: String] = [:]
    for (index, name) in names.enumerated() where index > 0 && Bool.random(using: &generator) {
      supers[name] = names[Int.random(in: 0..<index, using: &generator)]
    }
    func ancestors(_ name: String) -> [String] {
      supers[name].map { [$0] + ancestors($0) } ?? []
    }
    var properties: [String: [ManagedProperty]] = [:]
    for name in names {
      let taken = Set(ancestors(name).flatMap { properties[$0, default: []].map(\.name) })
      let own = ["name", "code", "Value", "flag", "when", "blob", "note"].filter {
        !taken.contains($0)
      }.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
      properties[name] = own.map { .attribute(Self.attribute($0, using: &generator)) }
    }
    var links: [Link] = []
    for index in 0..<Int.random(in: 0...5, using: &generator) {
      let owner = names.randomElement(using: &generator) ?? names[0]
      let destination = names.randomElement(using: &generator) ?? names[0]
      let suffix = ["Items", "part", "Zone", "q"].randomElement(using: &generator) ?? ""
      let shape = Int.random(in: 0..<7, using: &generator)
      let name = "r\(index)\(suffix)"
      let isReflexive = shape == 6 && owner == destination
      links.append(
        Link(
          ownerEntity: owner, name: name, destinationEntity: destination,
          inverseName: shape < 2 ? nil : isReflexive ? name : "i\(index)\(suffix)",
          isToMany: shape != 0 && shape != 2, isInverseToMany: shape == 4 || shape >= 5,
          isOrdered: shape >= 3 && !isReflexive && Int.random(in: 0..<3, using: &generator) == 0,
          cascades: !isReflexive && Int.random(in: 0..<5, using: &generator) == 0))
    }
    for link in links {
      properties[link.ownerEntity, default: []].append(
        .relationship(
          .init(
            name: link.name, destinationName: link.destinationEntity,
            inverseName: link.inverseName, isToMany: link.isToMany, isOrdered: link.isOrdered,
            deleteRule: link.cascades ? .cascade : .nullify)))
      guard let inverse = link.inverseName, !link.isReflexive else { continue }
      properties[link.destinationEntity, default: []].append(
        .relationship(
          .init(
            name: inverse, destinationName: link.ownerEntity, inverseName: link.name,
            isToMany: link.isInverseToMany)))
    }
    let abstract = Set(supers.values.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
    self.links = links
    concreteNames = names.filter { !abstract.contains($0) }
    model = ManagedModel(
      entities: names.map {
        ManagedEntity(
          name: $0, superentityName: supers[$0], isAbstract: abstract.contains($0),
          properties: properties[$0] ?? [])
      }, versionIdentifiers: ["1.0.0"])
  }

  private static func attribute(
    _ name: String, using generator: inout SeededGenerator
  ) -> ManagedAttribute {
    if Int.random(in: 0..<8, using: &generator) == 0 {
      return ManagedAttribute(
        name: name, type: .composite,
        elements: [.init(name: "x", type: .double), .init(name: "code", type: .string)])
    }
    let type = types.randomElement(using: &generator) ?? .string
    return ManagedAttribute(
      name: name, type: type,
      preservesValueOnDeletion: Int.random(in: 0..<5, using: &generator) < 2)
  }

  /// The paths of an entity's attributes with their types, inherited ones included.
  func paths(of entityName: String) -> [(path: String, type: AttributeType)] {
    (model.lineage(of: entityName) ?? []).flatMap(\.attributes).flatMap { attribute in
      attribute.elements.isEmpty
        ? [(attribute.name, attribute.type)]
        : attribute.elements.map { ("\(attribute.name).\($0.name)", $0.type) }
    }
  }

  /// Whether an entity is another or inherits from it.
  func isKind(_ name: String, of other: String) -> Bool {
    model.lineage(of: name)?.contains { $0.name == other } ?? false
  }

  /// A value of a type.
  static func value(
    of type: AttributeType, using generator: inout SeededGenerator
  ) -> StoredValue {
    if Int.random(in: 0..<6, using: &generator) == 0 { return .null }
    switch type {
    case .integer16: return .integer(Int64(Int16.random(in: .min ... .max, using: &generator)))
    case .integer32: return .integer(Int64(Int32.random(in: .min ... .max, using: &generator)))
    case .integer64: return .integer(.random(in: .min ... .max, using: &generator))
    case .boolean: return .integer(.random(in: 0...1, using: &generator))
    case .double, .float, .date, .decimal:
      let value = Double.random(in: -1e9...1e9, using: &generator)
      return .real(Bool.random(using: &generator) ? value : value.rounded())
    case .string, .uri:
      let texts = ["", "a", "x'); DROP TABLE ACHANGE; --", "é\u{301}🏝", "\"q\"", "12"]
      return .text(texts.randomElement(using: &generator) ?? "")
    case .uuid: return .blob((0..<16).map { _ in .random(in: 0...255, using: &generator) })
    default:
      let count = Int.random(in: 0...5, using: &generator)
      return .blob((0..<count).map { _ in .random(in: 0...255, using: &generator) })
    }
  }
}
