import StoreFormat

extension DefaultSnapshot {
  /// The values of attributes as a store keeps them, by name.
  ///
  /// - Parameter indices: The properties, of which the others are left out.
  func storedAttributes(at indices: some Collection<Int>) throws -> [String: StoredValue] {
    var stored: [String: StoredValue] = [:]
    stored.reserveCapacity(indices.count)
    for index in indices {
      let property = layout.properties[index]
      guard let codec = property.codec, !property.isTransient else { continue }
      let paths = property.columnPaths
      switch values[index] {
      case .value(let value):
        let values = try codec.stored(value, name: "\(layout.name).\(property.name)")
        for (path, value) in zip(paths, values) { stored[path] = value }
      case .stored(let value): stored[property.name] = value
      case .inFile(let file): stored[property.name] = .blob(try file.read())
      case .elements(let values):
        for (path, value) in zip(paths, values) { stored[path] = value }
      case .null:
        for path in paths { stored[path] = .null }
      case .fault, .toOne, .toMany, .toManyFault: break
      }
    }
    return stored
  }
}
