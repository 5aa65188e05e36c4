import DurableFiles
import Foundation
import StoreFormat

/// Schemas are encoded as descriptions of their classes, and decoded in a program that has these
/// classes.
extension Schema: Codable {
  /// The version of the encoded form.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the encoded form.
  public var encodingVersion: Version { Self.schemaEncodingVersion }

  private static let largestFile = 16 << 20

  /// Encodes the version, and the class and properties of each entity.
  ///
  /// - Throws: `EncodingError`, also for an entity without a class, and for a class that cannot be
  ///   found by name, such as one declared in a function.
  public func encode(to encoder: any Encoder) throws {
    if let described = entities.first(where: { $0.layout == nil }) {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "the entity \(described.name) describes no class"))
    }
    let description = SchemaDescription(self)
    if let nameless = description.entities.first(where: \.className.isEmpty) {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "the class of \(nameless.name) cannot be found by its name; declare it "
            + "outside of functions"))
    }
    try description.encode(to: encoder)
  }

  /// Decodes what ``encode(to:)`` writes.
  ///
  /// - Throws: `DecodingError`, also if the program does not have such a class, or if it differs.
  public convenience init(from decoder: any Decoder) throws {
    func corrupted(_ text: String) -> DecodingError {
      .dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text))
    }
    let description = try SchemaDescription(from: decoder)
    guard description.encodingVersion == Self.schemaEncodingVersion else {
      throw corrupted(
        "it is encoded in version \(description.encodingVersion), and this is "
          + "\(Self.schemaEncodingVersion)")
    }
    let types = try description.entities.map { entity -> any PersistentModel.Type in
      guard let type = EntityLayout.find(className: entity.className) else {
        throw corrupted("the program has no class of the entity '\(entity.name)'")
      }
      return type
    }
    self.init(types, version: description.version)
    if let difference = SchemaDescription(self).difference(from: description) {
      throw corrupted(difference)
    }
  }

  /// Writes the schema to a file as JSON, replacing an existing file atomically.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if the file cannot be written;
  ///   ``SwiftDataError/unknownSchema`` if a class cannot be found by name.
  public func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data: Data
    do {
      data = try encoder.encode(self)
    } catch {
      throw SwiftDataError(.unknownSchema, "the schema cannot be written: \(error)")
    }
    do {
      try data.write(to: toURL, options: .atomic)
    } catch {
      throw SwiftDataError(
        .storeFailure, "the schema cannot be written to \(toURL.path): \(error)")
    }
  }

  /// Reads a schema that ``save(to:)`` wrote.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if the file cannot be read;
  ///   ``SwiftDataError/unknownSchema`` if it is not a schema of this program's classes.
  public static func load(from fromURL: URL) throws -> Schema {
    let data: Data
    do {
      let file = try ReadableFile(FilePlace(fromURL.path))
      data = Data(try file.readPrefix(Int(min(file.status.size, Int64(largestFile) + 1))))
    } catch {
      throw SwiftDataError(.storeFailure, "\(fromURL.path) cannot be read: \(error)")
    }
    guard data.count <= largestFile else {
      throw SwiftDataError(
        .unknownSchema,
        "\(fromURL.path) is no schema: it has more than \(largestFile) bytes; give a file that "
          + "Schema.save(to:) has written")
    }
    do {
      return try JSONDecoder().decode(Schema.self, from: data)
    } catch {
      throw SwiftDataError(
        .unknownSchema,
        "\(fromURL.path) is no schema of this program: \(error.reason); give a file that "
          + "Schema.save(to:) has written with the same models")
    }
  }
}

extension Error {
  /// The text of a decoding error without its place in the program.
  fileprivate var reason: String {
    guard let error = self as? DecodingError else { return "\(self)" }
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      return context.debugDescription
    @unknown default: return "\(error)"
    }
  }
}

extension SchemaDescription {
  fileprivate func difference(from written: SchemaDescription) -> String? {
    guard self != written else { return nil }
    let before = Dictionary(keepingFirst: written.entities.map { ($0.name, $0) })
    for entity in entities {
      guard let former = before[entity.name] else {
        return "its classes lead to the entity '\(entity.name)', which it does not name"
      }
      guard entity != former else { continue }
      let properties = Dictionary(keepingFirst: former.properties.map { ($0.name, $0) })
      let changed = entity.properties.first { properties[$0.name] != $0 }?.name
      return "the class of the entity '\(entity.name)' is another by now"
        + (changed.map { ": \($0) differs" } ?? "")
    }
    return "it names an entity twice, or one that is none of its classes"
  }
}

/// The description of a schema in a file. A schema consists of its classes, so a description names
/// them, and is valid only if they still look the same.
struct SchemaDescription: Codable, Hashable, Sendable {
  struct Entity: Codable, Hashable, Sendable {
    var name: String
    var className: String
    var superentityName: String?
    var properties: [Property]
    var uniquenessConstraints: [[String]]
    var indices: [[String]]
  }

  struct Property: Codable, Hashable, Sendable {
    var name: String
    var originalName: String
    var valueType: String
    var options: [String]
    var hashModifier: String?
    var relationship: Relationship?
  }

  struct Relationship: Codable, Hashable, Sendable {
    var destination: String
    var inverseName: String?
    var deleteRule: Schema.Relationship.DeleteRule
    var minimumModelCount: Int?
    var maximumModelCount: Int?
  }

  var encodingVersion: Schema.Version
  var version: Schema.Version
  var entities: [Entity]

  init(_ schema: Schema) {
    encodingVersion = Schema.schemaEncodingVersion
    version = schema.version
    entities = schema.entities.compactMap { $0.layout.map(Entity.init) }
  }
}

extension SchemaDescription.Entity {
  fileprivate init(_ layout: EntityLayout) {
    self.init(
      name: layout.name, className: layout.className ?? "",
      superentityName: layout.superlayout?.name,
      properties: layout.properties.indices[layout.inheritedCount...].map {
        SchemaDescription.Property(layout, at: $0)
      },
      uniquenessConstraints: layout.uniquenessConstraints, indices: layout.indices)
  }
}

extension SchemaDescription.Property {
  fileprivate init(_ layout: EntityLayout, at index: Int) {
    let property = layout.properties[index]
    let description = layout.relationshipDescription(at: index)
    self.init(
      name: property.name, originalName: property.originalName ?? property.name,
      valueType: Self.name(of: property.valueType),
      options: description.map { $0.options.map { _ in "unique" } }
        ?? property.options.map(\.name).sorted(),
      hashModifier: property.hashModifier,
      relationship: description.map { description in
        SchemaDescription.Relationship(
          destination: description.destination, inverseName: description.inverseName,
          deleteRule: description.deleteRule, minimumModelCount: description.minimumModelCount,
          maximumModelCount: description.maximumModelCount)
      })
  }

  private static func name(of type: Any.Type) -> String {
    String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)/, with: "(private)")
  }
}

extension Schema.Attribute.Option {
  fileprivate var name: String { "\(kind)" }
}

// MARK: - Classes

extension EntityLayout {
  /// The name by which the runtime finds the class, or `nil`.
  var className: String? {
    guard let name = _mangledTypeName(type), Self.find(className: name) == type else {
      return nil
    }
    return name
  }

  private static let longestClassName = 1000

  static func find(className: String) -> (any PersistentModel.Type)? {
    // The mangled name of a class that is not a generic argument contains nothing else.
    guard !className.isEmpty, className.utf8.count <= longestClassName,
      className.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    else { return nil }
    return _typeByName(className) as? any PersistentModel.Type
  }
}
