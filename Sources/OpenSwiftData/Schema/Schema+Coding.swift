import Foundation

/// A schema is written as the names of its classes with what they look like, and read back in a program
/// that has these classes.
extension Schema: Codable {
  /// The version of the form in which schemas are encoded.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the form in which the schema is encoded.
  public var encodingVersion: Version { Self.schemaEncodingVersion }

  /// The largest file that is read, in bytes.
  private static let largestFile = 16 << 20

  /// Writes the version, and of every entity its class and its properties.
  ///
  /// - Throws: `EncodingError`, also where a class is one that no other run of the program could find,
  ///   such as one that is declared in a function.
  public func encode(to encoder: any Encoder) throws {
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

  /// Reads what ``encode(to:)`` writes.
  ///
  /// - Throws: `DecodingError`, also where the program has no such class, or one that does not look as
  ///   it did.
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

  /// Writes the schema into a file, as JSON.
  ///
  /// A file that is there is replaced, in one step.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` where the file cannot be written, and
  ///   ``SwiftDataError/unknownSchema`` where a class could not be found again.
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

  /// Reads a schema that ``save(to:)`` has written.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` where the file cannot be read, and
  ///   ``SwiftDataError/unknownSchema`` where it is no schema of this program's classes.
  public static func load(from fromURL: URL) throws -> Schema {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: fromURL)
      defer { try? file.close() }
      data = try file.read(upToCount: largestFile + 1) ?? Data()
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
  /// What a decoder says, without where in the program.
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
  /// How a schema differs from one that was written; nil where it does not.
  fileprivate func difference(from written: SchemaDescription) -> String? {
    guard self != written else { return nil }
    let before = Dictionary(
      written.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entity in entities {
      guard let former = before[entity.name] else {
        return "its classes lead to the entity '\(entity.name)', which it does not name"
      }
      guard entity != former else { continue }
      let properties = Dictionary(
        former.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      let changed = entity.properties.first { properties[$0.name] != $0 }?.name
      return "the class of the entity '\(entity.name)' is another by now"
        + (changed.map { ": \($0) differs" } ?? "")
    }
    return "it names an entity twice, or one that is none of its classes"
  }
}
