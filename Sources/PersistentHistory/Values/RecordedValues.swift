import StoreFormat

/// Where to read the old and new values of changes: the file in which programs record them, and the
/// write-ahead log.
///
/// A store's history says which attributes an update changed, not their values. There are two sources:
///
/// - A program that opens the store with `StoreEditor(recordsValues: true)`, or with OpenSwiftData's
///   `ModelConfiguration(recordsValues: true)`, records the values in a file beside it.
/// - The write-ahead log of a store holds every commit since it was last restarted. The values of a change
///   in one of them are read from the states of the store before and after it, whatever program saved.
///   They are lost with the next restart of the log.
///
/// Recorded values of a change come first. Changes without values in either source are read without values.
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
  /// The recorded values; `nil` if there is no file of them.
  package let file: RecordedValuesFile?
  /// Whether values are read from the log.
  package let readsLog: Bool

  package init(_ file: RecordedValuesFile?, readsLog: Bool = true) {
    self.file = file
    self.readsLog = readsLog
  }

  /// Opens the values of a store, or returns `nil` if there is neither a file of them nor a filled log.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - path: The file, which must exist; `nil` for the one beside the store.
  ///   - readsLog: Whether to read values from the log as well.
  ///   - busyTimeout: Seconds to wait for a locked file.
  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)`` if the file cannot be read, is
  ///   damaged, or has the values of another store.
  public convenience init?(
    beside snapshot: StoreSnapshot, path: String? = nil, readsLog: Bool = true,
    busyTimeout: Double = 5
  ) throws {
    let usual = RecordedValuesFile.path(besideStore: snapshot.location.resolvedPath)
    var file: RecordedValuesFile?
    if path != nil || RecordedValuesFile.exists(usual) {
      file = try RecordedValuesFile(
        path: path ?? usual, storeIdentifier: snapshot.metadata.storeIdentifier ?? "",
        busyTimeout: busyTimeout)
    }
    let readsLog = try readsLog && snapshot.location.logSize() > 0
    guard file != nil || readsLog else { return nil }
    self.init(file, readsLog: readsLog)
  }

  /// The path of the file; `nil` if there is none.
  public var path: String? { file?.location.path }

  /// Lets a closure read one state of the values, without what others save or erase in the meantime.
  package func inOneState<Result>(_ body: (RecordedValues) throws -> Result) throws -> Result {
    guard let file else { return try body(self) }
    return try file.inOneState { try body(RecordedValues($0, readsLog: readsLog)) }
  }
}

extension RecordedValues: Hashable {
  /// Whether both are the same open file.
  public static func == (left: RecordedValues, right: RecordedValues) -> Bool { left === right }

  /// Hashes the identity of the open file.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
