/// What a deleted model has left behind: the values of properties that are marked with
/// `.preserveValueOnDeletion`.
///
/// ```swift
/// if let name = delete.tombstone[\.name] as? String { … }
/// ```
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
  /// A value.
  public typealias Element = Any

  private let names: [String]
  private let valuesByName: [String: any Sendable]

  /// Goes through the values.
  public struct Iterator: IteratorProtocol {
    private var values: IndexingIterator<[any Sendable]>

    fileprivate init(_ values: [any Sendable]) { self.values = values.makeIterator() }

    /// The next value; `nil` after the last one.
    public mutating func next() -> Any? { values.next() }
  }

  /// A tombstone, for stores of one's own; SwiftData itself has no such initialiser.
  ///
  /// - Parameter values: The values by the name of their property; those that were nil are left out.
  public init(values: [String: any Sendable]) {
    valuesByName = values
    let layout = EntityLayout.of(Model.self)
    names = layout.properties.map(\.name).filter { values[$0] != nil }
  }

  /// The value of a property; nil where it was nil, or was not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    let layout = EntityLayout.of(Model.self)
    return layout.indexIfAny(of: keyPath).flatMap { valuesByName[layout.properties[$0].name] }
  }

  /// The values by the name of their property; SwiftData itself does not tell names.
  public var preservedValues: [String: any Sendable] { valuesByName }

  /// Goes through the values in the order in which the class declares the properties.
  public func makeIterator() -> Iterator { Iterator(names.compactMap { valuesByName[$0] }) }
}
