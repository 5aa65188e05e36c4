import StoreFormat

/// Values that stand in files beside the store are read when they are asked for.
extension ModelState {
  /// The value that a file holds, or what has taken its place since it was fetched; nil where neither
  /// can be read.
  func largeValue(in file: LargeValueFile, at index: Int) -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    if let value = codec.value(in: file) {
      files[index] = file
      return value
    }
    // Who replaces a value removes the file.
    guard let context else { return nil }
    if case .inFile(file)? = original?[index] { original?[index] = .fault }
    values[index] = .fault
    try? context.fulfill(self)
    switch values[index] {
    case .inFile(let present):
      guard let value = codec.value(in: present) else { return nil }
      files[index] = present
      return value
    case .stored(let stored): return codec.value(of: stored)
    case .fault:
      values[index] = .inFile(file)
      return nil
    default: return nil
    }
  }

  /// Reads the values that stand in files, which may be gone when somebody asks for them.
  func readFiles() {
    for index in layout.largePlaces { readFile(at: index) }
  }

  /// Reads a value that stands in a file.
  func readFile(at index: Int) {
    if case .inFile = values[index] { _ = attributeValue(at: index) }
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

extension AttributeCodec {
  /// The value in a file; nil where it cannot be read.
  func value(in file: LargeValueFile) -> Any? {
    (try? file.read()).flatMap { value(of: .blob($0)) }
  }
}
