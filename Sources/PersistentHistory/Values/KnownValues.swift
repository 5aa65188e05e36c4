import StoreFormat

/// The transactions of a store whose old and new values are known.
package struct KnownValues: Hashable, Sendable {
  /// The path of the file of recorded values; `nil` if there is none.
  package let path: String?
  /// The transactions in that file.
  package let recorded: RecordedValuesFile.Extent?
  /// The transactions whose values the log holds; `nil` if it holds none.
  package let log: LogValueExtent?

  /// - Throws: ``/StoreFormat/StoreError``.
  package init(_ snapshot: StoreSnapshot, _ values: RecordedValues?) throws {
    path = values?.path
    recorded = try values?.file?.extent()
    log = values?.readsLog == true ? try snapshot.logValueExtent() : nil
  }
}
