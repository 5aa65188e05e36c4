import Terminal

/// Names that are the same but for an identifier in each, such as the digest of a model, as one.
struct NameGroups {
  /// A name with identifiers left out, and how many names it stands for.
  struct Group: Hashable {
    fileprivate(set) var label: String?
    fileprivate(set) var count = 1
  }

  /// The groups, in the order of their first names.
  private(set) var groups: [Group] = []
  private var places: [String: Int] = [:]

  /// Adds a name; `nil` stands for none.
  ///
  /// - Returns: The place of its group.
  mutating func add(_ name: String?) -> Int {
    let pattern = name.map(Self.pattern)
    if let pattern, pattern != name, let place = places[pattern] {
      groups[place].label = pattern
      groups[place].count += 1
      return place
    }
    if let pattern, pattern != name { places[pattern] = groups.count }
    groups.append(Group(label: name))
    return groups.count - 1
  }

  /// The name with "…" in place of each UUID, digest or Base64.
  private static func pattern(_ name: String) -> String {
    guard name.utf8.count >= 16 else { return name }
    return name.replacing(
      #/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}|[A-Za-z0-9+\/]{22,}={1,2}/#,
      with: "…")
  }
}

extension NameGroups.Group {
  /// The cell of a table.
  var cell: TableCell {
    guard let label else { return TableCell("(none)", style: .secondary) }
    return TableCell(count > 1 ? "\(label) (\(count.grouped) names)" : label)
  }
}
