import PropertyLists

/// The default value of an attribute, as a model's archive keeps it.
///
/// Values of classes that only the app knows (a transformable attribute's) are left alone: what a
/// store would hold for them cannot be known.
enum DefaultValue {
  /// Reads the default value in the form in which a store keeps values of the type.
  package static func read(
    _ attribute: KeyedArchive.Object, type: AttributeType
  ) throws -> StoredValue? {
    guard let value = try attribute["NSDefaultValue"] else { return nil }
    switch type {
    case .integer16, .integer32, .integer64: return value.integer.map(StoredValue.integer)
    case .boolean:
      return (value.boolean ?? value.integer.map { $0 != 0 }).map { .integer($0 ? 1 : 0) }
    case .double, .float, .decimal: return value.real.map(StoredValue.real)
    case .string: return try attribute.string("NSDefaultValue").map(StoredValue.text)
    case .binaryData: return value.data.map(StoredValue.blob)
    case .date:
      let time = try attribute.object("NSDefaultValue")?["NS.time"]?.real
      return (value.date ?? time).map(StoredValue.real)
    case .uuid:
      let bytes = try attribute.object("NSDefaultValue")?["NS.uuidbytes"]?.data
      return bytes.flatMap { $0.count == 16 ? .blob($0) : nil }
    default: return nil
    }
  }

  /// Adds a default value to an archive; null where there is none.
  package static func add(
    _ attribute: ManagedAttribute, to writer: inout KeyedArchiveWriter
  ) -> PropertyListValue {
    let reference: KeyedArchive.Reference
    switch (attribute.type, attribute.defaultValue) {
    case (.boolean, .integer(let value)): reference = writer.add(plain: .boolean(value != 0))
    case (.date, .real(let value)):
      reference = writer.add(
        object: .init("NSDate", "NSObject"), fields: ["NS.time": .real(value)])
    case (.uuid, .blob(let bytes)):
      reference = writer.add(
        object: .init("NSUUID", "NSObject"), fields: ["NS.uuidbytes": .data(bytes)])
    case (_, .integer(let value)): reference = writer.add(plain: .integer(value))
    case (_, .real(let value)): reference = writer.add(plain: .real(value))
    case (_, .text(let text)): reference = writer.add(string: text)
    case (_, .blob(let bytes)): reference = writer.add(plain: .data(bytes))
    default: return KeyedArchiveWriter.null.value
    }
    return reference.value
  }
}
