import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl token show`: a token in all its forms.
struct TokenShow: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "show",
    _superCommandName: "histctl token",
    abstract: "Show a token in all its forms, or convert it to one.",
    discussion: """
      The JSON is that of SwiftData's DefaultHistoryToken; the property list is an archived \
      NSPersistentHistoryToken.

      Examples:
        histctl token show default.store last
        histctl token show default.store yesterday --as portable
        histctl token show default.store last --as json > token.json
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: "The token.")
  var token: String

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Write only this form.", valueName: "form"))
  var form: TokenForm?

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if form != nil && output.json {
      throw ValidationError("--as writes the token alone, --json a report on it: give one of them")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      _ = try snapshot.historyTables()
      let report = try TokenReport(resolver.resolve(token), resolver: resolver)
      if let form {
        try writer.write(try report.bytes(as: form))
      } else {
        try TokenReportDetail(session: session, writer: writer).write(report)
      }
    }
  }
}
