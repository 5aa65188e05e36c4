import Observation

/// Lists of related models are changed in place, so that the time a change takes does not grow with
/// them.
extension ModelState {
  /// Whether a list has a model, as far as it is known.
  func isMember(_ identifier: PersistentIdentifier, at index: Int) -> Bool {
    if let known = members[index] { return known.contains(identifier) }
    let list = values[index].knownMembers
    guard list.count > Self.longestSearch else { return list.contains(identifier) }
    let known = Set(list)
    members[index] = known
    return known.contains(identifier)
  }

  /// So many members are compared one after the other.
  private static let longestSearch = 16

  /// Adds a model to a list that does not have it.
  func append(_ identifier: PersistentIdentifier, at index: Int) {
    editList(at: index) { value, members in
      value.append(identifier)
      members?.insert(identifier)
    }
  }

  /// Takes a model out of a list.
  func remove(_ identifier: PersistentIdentifier, at index: Int) {
    editList(at: index) { value, members in
      value.remove(identifier)
      members?.remove(identifier)
    }
  }

  private func editList(
    at index: Int, _ edit: (inout PropertyValue, inout Set<PersistentIdentifier>?) -> Void
  ) {
    observers.withMutation(of: self, keyPath: layout.observedProperties[index]) {
      var known = members
      members = [:]
      edit(&values[index], &known[index])
      members = known
    }
  }
}
