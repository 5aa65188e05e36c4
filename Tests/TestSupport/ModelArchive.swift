import CZlib
import StoreFormat

/// Writes a model as the frameworks keep it in `Z_MODELCACHE`: a keyed archive, raw-deflated.
package enum ModelArchive {
  /// The archive of a model, not yet packed.
  package static func archive(of model: ManagedModel) throws -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let names = model.entities.keys.sorted()
    let references = Dictionary(uniqueKeysWithValues: names.map { ($0, writer.reserve()) })
    for name in names {
      guard let entity = model.entities[name], let reference = references[name] else { continue }
      // A sub-entity lists what it inherits too, as a proxy.
      let lineage = model.lineage(of: name) ?? [entity]
      var properties = lineage.dropLast().flatMap(\.properties).map { property in
        (
          writer.add(string: property.name),
          writer.add(object: .init("_NSPropertyDescriptionProxy", "NSObject"), fields: [:])
        )
      }
      properties += try entity.properties.map { property in
        (writer.add(string: property.name), try add(property, to: &writer))
      }
      let list = writer.add(
        pairs: properties.map { (key: $0.0, value: $0.1) }, as: .mutableDictionary)
      try writer.fill(
        reference, object: .init("NSEntityDescription", "NSObject"),
        fields: [
          "NSEntityName": writer.add(string: name).value,
          "NSSuperentity":
            (entity.superentityName.flatMap { references[$0] }
            ?? KeyedArchiveWriter.null).value,
          "NSIsAbstract": .boolean(entity.isAbstract),
          "NSProperties": list.value,
        ])
    }
    let entities = writer.add(
      pairs: names.compactMap { name in
        references[name].map { (key: writer.add(string: name), value: $0) }
      }, as: .dictionary)
    let root = writer.add(
      object: .init("NSManagedObjectModel", "NSObject"), fields: ["NSEntities": entities.value])
    return try BinaryPropertyListWriter.bytes(of: writer.finish(top: ["root": root]))
  }

  /// The content of a model cache.
  package static func cache(of model: ManagedModel) throws -> [UInt8] {
    deflate(try archive(of: model))
  }

  /// Packs bytes without a zlib header.
  package static func deflate(_ input: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_init(&stream, 6, -MAX_WBITS) == Z_OK else { return [] }
    defer { deflateEnd(&stream) }
    var input = input
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let count = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
      }
    }
    return Array(output.prefix(count))
  }

  private static func add(
    _ property: ManagedProperty, to writer: inout KeyedArchiveWriter
  ) throws -> KeyedArchive.Reference {
    switch property {
    case .attribute(let attribute): return add(attribute, to: &writer)
    case .relationship(let relationship):
      return writer.add(
        object: .init("NSRelationshipDescription", "NSPropertyDescription", "NSObject"),
        fields: [
          "NSPropertyName": writer.add(string: relationship.name).value,
          "NSMaxCount": .integer(relationship.isToMany ? 0 : 1),
          "NSIsOrdered": .boolean(relationship.isOrdered),
          "NSIsTransient": .boolean(relationship.isTransient),
          "NSIsOptional": .boolean(relationship.isOptional),
          "_NSDestinationEntityName": text(relationship.destinationName, &writer),
          "_NSInverseRelationshipName": text(relationship.inverseName, &writer),
        ])
    case .other(let name, let isTransient):
      return writer.add(
        object: .init("NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"),
        fields: [
          "NSPropertyName": writer.add(string: name).value, "NSIsTransient": .boolean(isTransient),
        ])
    }
  }

  private static func add(
    _ attribute: ManagedAttribute, to writer: inout KeyedArchiveWriter
  ) -> KeyedArchive.Reference {
    let flags: Int64 =
      (attribute.preservesValueOnDeletion ? 16 : 0) | (attribute.allowsExternalStorage ? 4 : 0)
    var fields: [String: PropertyListValue] = [
      "NSPropertyName": writer.add(string: attribute.name).value,
      "NSAttributeType": .integer(attribute.type.number),
      "NSIsOptional": .boolean(attribute.isOptional),
      "NSIsTransient": .boolean(attribute.isTransient),
      "NSFlagsKey": .integer(flags),
      "NSAttributeValueClassName": text(attribute.valueClassName, &writer),
    ]
    if !attribute.elements.isEmpty {
      let elements = attribute.elements.map { add($0, to: &writer) }
      fields["NSCompositeElements"] = writer.add(elements: elements, as: .array).value
    }
    let name =
      attribute.type == .composite ? "NSCompositeAttributeDescription" : "NSAttributeDescription"
    return writer.add(
      object: .init(name, "NSPropertyDescription", "NSObject"), fields: fields)
  }

  private static func text(
    _ text: String?, _ writer: inout KeyedArchiveWriter
  ) -> PropertyListValue {
    (text.map { writer.add(string: $0) } ?? KeyedArchiveWriter.null).value
  }
}
