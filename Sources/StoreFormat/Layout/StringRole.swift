/// The four texts that a transaction carries, each interned in the string table or plain.
package enum StringRole: Int, CaseIterable, Hashable, Sendable {
  /// Who saved, as the app set it.
  case author
  /// The bundle identifier of the program that saved.
  case bundle
  /// The name of the process that saved.
  case process
  /// The name of the context that was saved.
  case context

  /// The column that holds the number of a row of `ATRANSACTIONSTRING`.
  package var identifierColumn: String { plainColumn + "TS" }

  /// The column that holds the text itself, in the layout of 2017.
  package var plainColumn: String {
    switch self {
    case .author: "ZAUTHOR"
    case .bundle: "ZBUNDLEID"
    case .process: "ZPROCESSID"
    case .context: "ZCONTEXTNAME"
    }
  }
}
