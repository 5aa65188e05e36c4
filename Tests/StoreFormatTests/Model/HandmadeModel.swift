import PropertyLists
import StoreFormat

/// A property of a model that no framework would write.
struct HandmadeProperty {
  var name: String
  var className = "NSAttributeDescription"
  var fields: [String: PropertyListValue]

  init(_ name: String, fields: [String: PropertyListValue] = [:]) {
    self.name = name
    self.fields = fields
  }
}

/// An entity of a model that no framework would write.
struct HandmadeEntity {
  var name: String
  var superentity: String?
  var properties: [HandmadeProperty]

  init(_ name: String, superentity: String? = nil, properties: [HandmadeProperty] = []) {
    self.name = name
    self.superentity = superentity
    self.properties = properties
  }
}

/// Writes archives of models by hand, with whatever they contain.
enum HandmadeModel {
  /// The archive of a model; a super-entity that is not among the entities gets an object of its
  /// own.
  static func archive(_ entities: [HandmadeEntity]) throws -> [UInt8] {
    var writer = KeyedArchiveWriter()
    var references: [String: KeyedArchive.Reference] = [:]
    for entity in entities { references[entity.name] = writer.reserve() }
    for entity in entities {
      guard let reference = references[entity.name] else { continue }
      var superentity = KeyedArchiveWriter.null
      if let name = entity.superentity {
        superentity =
          references[name]
          ?? writer.add(
            object: .init("NSEntityDescription", "NSObject"),
            fields: ["NSEntityName": writer.add(string: name).value])
      }
      // Equal descriptions are one object, so that a hostile model stays small.
      var shared: [String: KeyedArchive.Reference] = [:]
      let properties = entity.properties.map { property in
        let key = property.fields.isEmpty ? property.className : property.name
        let value =
          shared[key]
          ?? writer.add(
            object: .init(property.className, "NSObject"), fields: property.fields)
        shared[key] = value
        return (key: writer.add(string: property.name), value: value)
      }
      try writer.fill(
        reference, object: .init("NSEntityDescription", "NSObject"),
        fields: [
          "NSEntityName": writer.add(string: entity.name).value,
          "NSSuperentity": superentity.value,
          "NSProperties": writer.add(pairs: properties, as: .mutableDictionary).value,
        ])
    }
    let list = writer.add(
      pairs: entities.compactMap { entity in
        references[entity.name].map { (key: writer.add(string: entity.name), value: $0) }
      }, as: .dictionary)
    let root = writer.add(
      object: .init("NSManagedObjectModel", "NSObject"), fields: ["NSEntities": list.value])
    return try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": root]))
  }
}
