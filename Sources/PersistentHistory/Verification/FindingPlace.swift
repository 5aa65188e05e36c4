/// Where in a store or an archive a finding is.
package enum FindingPlace: Hashable, Sendable {
  /// The store as a whole.
  case store
  /// A table or an index.
  case table(String)
  /// The write-ahead log, and in it the frame, counted from 1.
  case log(frame: Int?)
  /// A transaction, by its number.
  case transaction(Int64)
  /// A run of transactions.
  case transactions(ClosedRange<Int64>)
  /// A change, by its number, and the transaction that it names.
  case change(Int64, transaction: Int64?)
  /// An interned text, by its number.
  case text(Int64)
  /// An entity, by its name or number.
  case entity(String)
  /// A bookmark, by its name.
  case bookmark(String)
  /// A file.
  case file(String)
  /// A line of a file, counted from 1.
  case line(Int, file: String)
  /// A frame of a compressed file, counted from 1.
  case frame(Int, file: String)
}

extension FindingPlace: CustomStringConvertible {
  /// The place in words.
  package var description: String {
    switch self {
    case .store: "the store"
    case .table(let name): "table \(name)"
    case .log(nil): "the -wal"
    case .log(let frame?): "frame \(frame) of the -wal"
    case .transaction(let number): "transaction \(number)"
    case .transactions(let range):
      range.lowerBound == range.upperBound
        ? "transaction \(range.lowerBound)"
        : "transactions \(range.lowerBound) to \(range.upperBound)"
    case .change(let number, nil): "change \(number)"
    case .change(let number, let transaction?): "change \(number) of transaction \(transaction)"
    case .text(let number): "text \(number)"
    case .entity(let name): "entity \(name)"
    case .bookmark(let name): "bookmark \(name)"
    case .file(let path): path
    case .line(let number, let file): "\(file), line \(number)"
    case .frame(let number, let file): "\(file), frame \(number)"
    }
  }
}
