import StoreFormat

/// The old and new values of updates that were recorded beside a store.
///
/// A store's history says which attributes an update changed, not their values. A program that opens the
/// store with `StoreEditor(recordsValues: true)`, or with OpenSwiftData's
/// `ModelConfiguration(recordsValues: true)`, records them in a file beside it. Saves of other programs
/// are in the history without values.
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
  package let file: RecordedValuesFile

  package init(_ file: RecordedValuesFile) { self.file = file }

  /// Opens the recorded values of a store, or returns `nil` if there is no file of them.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - path: The file, which must exist; `nil` for the one beside the store.
  ///   - busyTimeout: Seconds to wait for a locked file.
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)`` if the file cannot be read, is
  ///   damaged, or has the values of another store.
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

  /// Lets a closure read one state of the values, without what others save or erase in the meantime.
  package func inOneState<Result>(_ body: (RecordedValues) throws -> Result) throws -> Result {
    try file.inOneState { try body(RecordedValues($0)) }
  }

  package func extent() throws -> RecordedValuesFile.Extent { try file.extent() }

  /// Calls a closure with each recorded value of a transaction, in the order of the changes. Values of a
  /// transaction with the same number in another copy of the store are skipped.
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

  /// Hashes the identity of the open file.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
