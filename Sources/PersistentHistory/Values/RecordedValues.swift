import StoreFormat

/// The old and new values of updates, as far as somebody has kept them beside the store.
///
/// A store's history says which attributes an update touched, never their values. A program that opens
/// the store with `StoreEditor(recordsValues: true)`, or with OpenSwiftData's
/// `ModelConfiguration(recordsValues: true)`, keeps them in a file beside it; whatever other programs
/// save is in the history without values.
///
/// ```swift
/// try store.read { snapshot in
///   let history = try snapshot.history(recordedValues: RecordedValues(beside: snapshot))
///   while let transaction = try history.next() {
///     for change in transaction.changes where !change.values.isEmpty { … }
///   }
/// }
/// ```
public final class RecordedValues: Sendable {
  /// The file that keeps them.
  package let file: RecordedValuesFile

  /// The values in a file.
  package init(_ file: RecordedValuesFile) { self.file = file }

  /// The values of a store; nil where there is no file of them.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - path: The file, which must be there then; nil for the usual one beside the store.
  ///   - busyTimeout: How long to wait for a file that is locked, in seconds.
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)`` where the file cannot be read,
  ///   is damaged, or has the values of another store.
  public convenience init?(
    beside snapshot: StoreSnapshot, path: String? = nil, busyTimeout: Double = 5
  ) throws {
    let usual = RecordedValuesFile.path(besideStore: snapshot.location.resolvedPath)
    guard path != nil || RecordedValuesFile.isThere(usual) else { return nil }
    self.init(
      try RecordedValuesFile(
        path: path ?? usual, storeIdentifier: snapshot.metadata.storeIdentifier ?? "",
        busyTimeout: busyTimeout))
  }

  /// The path of the file.
  public var path: String { file.location.path }

  /// Lets a body read one state of the values: nothing that others save or erase meanwhile is seen.
  ///
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)``, or what the body throws.
  package func inOneState<Result>(_ body: (RecordedValues) throws -> Result) throws -> Result {
    try file.inOneState { try body(RecordedValues($0)) }
  }

  /// What a file holds, by the numbers of transactions and in bytes.
  ///
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)``.
  package func extent() throws -> RecordedValuesFile.Extent { try file.extent() }

  /// What one transaction changed values from and to, change by change.
  ///
  /// - Parameters:
  ///   - position: The transaction; of another one that has its number in another copy of the store
  ///     nothing is given.
  ///   - body: Is given each value, in the order of the changes.
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)``.
  package func forEachRow(
    of position: TransactionPosition, _ body: (RecordedValueRow) throws -> Void
  ) throws {
    var place: RecordedValueRow.Place?
    while case let rows = try file.rows(of: position, after: place, limit: 256),
      let last = rows.last
    {
      for row in rows { try body(row) }
      place = last.place
    }
  }
}

extension RecordedValues: Hashable {
  /// Whether both are the same open file.
  public static func == (left: RecordedValues, right: RecordedValues) -> Bool { left === right }

  /// Feeds what ``==(_:_:)`` compares into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
