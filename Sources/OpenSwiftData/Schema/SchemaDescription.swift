import Foundation

/// A schema as a file says it: its classes, and what they looked like.
///
/// What a schema does comes from its classes. So a description that is read names the classes, and is
/// good only where they still look as it says.
struct SchemaDescription: Codable, Hashable, Sendable {
  struct Entity: Codable, Hashable, Sendable {
    var name: String
    /// The class, by the name under which the language's runtime finds it.
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
    entities = schema.entities.map { Entity($0.layout) }
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

  /// The name of a type, the same in every run of a program.
  private static func name(of type: Any.Type) -> String {
    String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)/, with: "(private)")
  }
}

extension Schema.Attribute.Option {
  /// The name in a description.
  fileprivate var name: String { "\(kind)" }
}

// MARK: - Classes

extension EntityLayout {
  /// The name under which the class is found again; nil for one that cannot be.
  var className: String? {
    guard let name = _mangledTypeName(type), Self.find(className: name) == type else {
      return nil
    }
    return name
  }

  /// The longest name of a class that is looked for.
  private static let longestClassName = 1000

  /// The model's class with a name; nil where the program has no such class.
  static func find(className: String) -> (any PersistentModel.Type)? {
    // Nothing else stands in the name of a class that is no one's generic argument.
    guard !className.isEmpty, className.utf8.count <= longestClassName,
      className.utf8.allSatisfy({ byte in
        byte == UInt8(ascii: "_")
          || Character(Unicode.Scalar(byte)).isASCII
            && (Character(Unicode.Scalar(byte)).isLetter
              || Character(Unicode.Scalar(byte)).isNumber)
      })
    else { return nil }
    return _typeByName(className) as? any PersistentModel.Type
  }
}
