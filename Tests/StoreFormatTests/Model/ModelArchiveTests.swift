import TestSupport
import Testing

@testable import StoreFormat

/// What the model cache says comes back as it was put in.
@Suite(.bounded) struct ModelArchiveTests {
  @Test
  func `each store has its own model, in whatever order stores are read`() throws {
    let folder = try TemporaryFolder()
    let models = ["a", "b"].map { name in
      ManagedModel(entities: [
        ManagedEntity(
          name: "Trip",
          properties: [.attribute(.init(name: name, type: .string))])
      ])
    }
    let paths = try models.enumerated().map { number, model in
      var shape = StoreWriter.Shape()
      shape.modelCache = try ModelArchive.cache(of: model)
      let writer = try StoreWriter(path: folder.file("\(number).store"), shape: shape)
      try writer.close()
      return writer.path
    }
    for number in [0, 1, 0, 0, 1, 1] {
      let read = try StoreFile(path: paths[number]).read { try $0.modelCache() }
      #expect(read.model?.entities == models[number].entities)
    }
  }

  private static let types: [AttributeType] = [
    .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean,
    .date, .binaryData, .uuid, .uri, .transformable, .objectIdentifier, .unknown(4711),
  ]

  @Test
  func `a model with every kind of property is read`() throws {
    let attributes = Self.types.enumerated().map { number, type in
      ManagedProperty.attribute(
        .init(
          name: "a\(number)", type: type, isOptional: number % 2 == 0,
          isTransient: number % 3 == 0, preservesValueOnDeletion: number % 5 == 0,
          allowsExternalStorage: number % 7 == 0, isDerived: number % 6 == 0,
          valueClassName: number % 4 == 0 ? "Array<String>" : nil))
    }
    let composite = ManagedProperty.attribute(
      .init(
        name: "place", type: .composite,
        elements: [
          .init(name: "x", type: .double),
          .init(
            name: "inner", type: .composite,
            elements: [.init(name: "y", type: .string), .init(name: "z", type: .date)]),
        ]))
    let relationships = [
      ManagedRelationship(name: "one", destinationName: "Other", inverseName: "many"),
      ManagedRelationship(
        name: "ordered", destinationName: "Other", inverseName: "back", isToMany: true,
        isOrdered: true, isOptional: false),
      ManagedRelationship(name: "alone", destinationName: nil, isToMany: true, isTransient: true),
    ].map(ManagedProperty.relationship)
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Whole", isAbstract: true,
        properties: attributes + [composite] + relationships
          + [.other(name: "fetched", isTransient: false), .other(name: "f2", isTransient: true)]),
      ManagedEntity(
        name: "Sub", superentityName: "Whole",
        properties: [.attribute(.init(name: "own", type: .string))]),
      ManagedEntity(
        name: "SubSub", superentityName: "Sub",
        properties: [.attribute(.init(name: "ö旅", type: .uuid))]),
      ManagedEntity(name: "Other", properties: []),
    ])
    let packed = ModelCache(content: try ModelArchive.cache(of: model))
    #expect(packed.model?.entities == model.entities)
    #expect(ModelCache(content: try ModelArchive.archive(of: model)) == packed)
    #expect(
      ModelCache(content: try ModelArchive.cache(of: TripsModel.model)).model?.entities
        == TripsModel.model.entities)
  }

  @Test
  func `attribute types have the numbers of the frameworks`() {
    let numbers: [Int64] = [
      0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800, 2000, 4711,
    ]
    #expect(Self.types.map(\.number) == numbers)
    #expect(numbers.map(AttributeType.init(number:)) == Self.types)
    #expect(AttributeType(number: 2100) == .composite)
    #expect(AttributeType.composite.number == 2100)
    #expect(Set((Self.types + [.composite]).map(\.name)).count == 17)
  }

  @Test
  func `a property comes from the entity that introduces it, not from a copy in a subentity`()
    throws
  {
    let root = HandmadeEntity(
      "Root",
      properties: [
        .init("kept", fields: ["NSAttributeType": .integer(700), "NSFlagsKey": .integer(16)])
      ])
    let leaf = HandmadeEntity(
      "Leaf", superentity: "Root",
      properties: [
        .init("kept", fields: ["NSAttributeType": .integer(300)]),
        .init("own", fields: ["NSAttributeType": .integer(800), "NSFlagsKey": .integer(4)]),
      ])
    let model = try #require(
      ModelCache(content: try HandmadeModel.archive([leaf, root])).model)
    #expect(model.entities["Leaf"]?.properties.map(\.name) == ["own"])
    #expect(
      model.entities["Root"]?.attributes
        == [.init(name: "kept", type: .string, isOptional: false, preservesValueOnDeletion: true)])
    #expect(
      model.entities["Leaf"]?.attributes
        == [.init(name: "own", type: .boolean, isOptional: false, allowsExternalStorage: true)])
    #expect(model.entitySlots()["Leaf"]?.slots.map(\.name) == ["kept", "own"])
    #expect(model.entitySlots()["Leaf"]?.tombstoneAttributes.map(\.name) == ["kept"])
  }

  @Test
  func `a lineage begins at the root, and a broken one is missing`() {
    let model = ManagedModel(entities: [
      ManagedEntity(name: "A", properties: []),
      ManagedEntity(name: "B", superentityName: "A", properties: []),
      ManagedEntity(name: "C", superentityName: "B", properties: []),
      ManagedEntity(name: "Lost", superentityName: "Gone", properties: []),
      ManagedEntity(name: "Self", superentityName: "Self", properties: []),
      ManagedEntity(name: "X", superentityName: "Y", properties: []),
      ManagedEntity(name: "Y", superentityName: "X", properties: []),
    ])
    #expect(model.lineage(of: "C")?.map(\.name) == ["A", "B", "C"])
    for name in ["Lost", "Self", "X", "Nobody"] {
      #expect(model.lineage(of: name) == nil)
      #expect(model.entitySlots()[name] == nil)
    }
    #expect(model.entitySlots().keys.sorted() == ["A", "B", "C"])
  }

  @Test(.enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
  func `models of real stores have as many entities as Python reads`() throws {
    for (name, entities) in [
      ("photos-27.0beta.sqlite", 81), ("photos-10.15.7.sqlite", 54), ("knowledgec-10.13.db", 15),
      ("swiftdata-cocktails.store", 4), ("truthsocial-ios17.sqlite", 13),
    ] {
      guard let source = RealStores.path(name) else { continue }
      let folder = try TemporaryFolder()
      let model = try StoreFile(path: folder.copy(store: source)).read { try $0.modelCache().model }
      #expect(model?.entities.count == entities, "\(name)")
    }
  }
}
