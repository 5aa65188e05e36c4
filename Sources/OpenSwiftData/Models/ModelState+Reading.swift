import Observation
import StoreFormat

/// Values that come from the store.
extension ModelState {
  func replace(_ new: [PropertyValue]) {
    for index in new.indices where !layout.properties[index].isTransient {
      // An unread value does not replace a known one.
      if case .fault = new[index] { continue }
      takeOver(new[index], at: index)
    }
  }

  func restore(_ original: [PropertyValue]) {
    for (index, property) in layout.properties.enumerated() {
      // Attributes set after the deletion were not tracked; lists are kept.
      if changed.contains(index) || (phase == .deleted && !property.isToMany) {
        change(original[index], at: index)
      }
    }
  }

  func takeOver(_ new: PropertyValue, at index: Int) {
    switch (values[index], new) {
    // The old value was not seen, or the new one was not read.
    case (.fault, _), (_, .toManyFault), (_, .fault): values[index] = new
    case (.value(let value), .inFile(let file)) where holds(value, file, at: index): break
    case (let old, _) where layout.properties[index].isSame(old, new): break
    default: change(new, at: index)
    }
  }
}

/// Changes lists of related models in place, so that a change takes the same time for any length.
extension ModelState {
  func isMember(_ identifier: PersistentIdentifier, at index: Int) -> Bool {
    if let known = members[index] { return known.contains(identifier) }
    let list = values[index].knownMembers
    guard list.count > Self.longestSearch else { return list.contains(identifier) }
    let known = Set(list)
    members[index] = known
    return known.contains(identifier)
  }

  private static let longestSearch = 16

  func append(_ identifier: PersistentIdentifier, at index: Int) {
    editList(at: index) { value, members in
      value.append(identifier)
      members?.insert(identifier)
    }
  }

  func remove(_ identifier: PersistentIdentifier, at index: Int) {
    editList(at: index) { value, members in
      value.remove(identifier)
      members?.remove(identifier)
    }
  }

  private func editList(
    at index: Int, _ edit: (inout PropertyValue, inout Set<PersistentIdentifier>?) -> Void
  ) {
    mutate(at: index) {
      var known = members
      members = [:]
      edit(&values[index], &known[index])
      members = known
    }
  }
}

/// Reads values in files beside the store when they are used.
extension ModelState {
  /// Returns the value in a file, or the value that has replaced it since the fetch, or `nil` if there
  /// is none now.
  ///
  /// - Throws: The error of reading if both are unreadable.
  func largeValue(in file: LargeValueFile, at index: Int) throws -> Any? {
    guard let codec = layout.properties[index].codec else { return nil }
    do {
      return try read(file, codec, at: index)
    } catch {
      // A save that replaces the value removes its file.
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

  func readFiles() {
    for index in layout.largePlaces { readFile(at: index) }
  }

  func readFile(at index: Int) {
    guard case .inFile = values[index], !seenBlank.contains(index) else { return }
    _ = attributeValue(at: index)
    // The app has not seen the blank value.
    seenBlank.remove(index)
  }

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
  func holds(_ stored: StoredValue) -> Bool {
    guard case .blob(let bytes) = stored, bytes.count == byteCount, problem == nil else {
      return false
    }
    return (try? read()) == bytes
  }
}
