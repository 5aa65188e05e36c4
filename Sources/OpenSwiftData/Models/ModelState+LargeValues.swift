import StoreFormat

/// Values that stand in files beside the store are read when they are asked for.
extension ModelState {
  /// Returns the value that a file holds, or what has replaced it since it was fetched, or `nil` if
  /// there is no value now.
  ///
  /// - Throws: What makes both unreadable.
  func largeValue(in file: LargeValueFile, at index: Int) throws -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    do {
      return try read(file, codec, at: index)
    } catch {
      // A save that replaces a value removes its file.
      guard let context else { throw error }
      if case .inFile(file)? = original?[index] { original?[index] = .fault }
      values[index] = .fault
      defer { if isFault(at: index) { values[index] = .inFile(file) } }
      try context.fulfill(self)
      switch values[index] {
      case .inFile(let present): return try read(present, codec, at: index)
      case .stored(let stored): return codec.value(of: stored)
      case .fault: throw error
      default: return nil
      }
    }
  }

  private func read(_ file: LargeValueFile, _ codec: AttributeCodec, at index: Int) throws -> Any? {
    let value = codec.value(of: .blob(try file.read()))
    files[index] = file
    return value
  }

  /// Reads the values that stand in files, which may be gone when somebody asks for them.
  func readFiles() {
    for index in layout.largePlaces { readFile(at: index) }
  }

  /// Reads a value that stands in a file.
  func readFile(at index: Int) {
    guard case .inFile = values[index], !seenBlank.contains(index) else { return }
    _ = attributeValue(at: index)
    // The app has not seen what could not be read.
    seenBlank.remove(index)
  }

  /// Whether a file holds the value that the model has.
  func holds(_ value: Any, _ file: LargeValueFile, at index: Int) -> Bool {
    if files[index] == file { return true }
    guard let stored = try? layout.properties[index].codec?.stored(value, name: ""),
      file.holds(stored[0])
    else { return false }
    files[index] = file
    return true
  }
}

extension LargeValueFile {
  /// Whether the file holds what a store keeps for a value; it is read only where that can be.
  func holds(_ stored: StoredValue) -> Bool {
    guard case .blob(let bytes) = stored, bytes.count == byteCount, problem == nil else {
      return false
    }
    return (try? read()) == bytes
  }
}
