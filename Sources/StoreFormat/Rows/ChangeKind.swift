/// What a change did to its object, by the numbers in `ZCHANGETYPE`.
public enum ChangeKind: Int64, CaseIterable, Hashable, Sendable {
  /// The object was inserted.
  case insert = 0
  /// Some of its properties were touched.
  case update = 1
  /// The object was deleted.
  case delete = 2

  /// The kind in a word: `insert`, `update` or `delete`.
  public var name: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }

  /// The kind with this ``name``.
  public init?(name: String) {
    guard let kind = ChangeKind.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
