import ArgumentParser
import DemoStore
import DurableFiles
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
import Terminal

/// `histctl demo`: writes a sample store.
struct Demo: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Write a sample store, and list commands to try on it.",
    discussion: """
      The store is DIR/trips.store, in the layout of Apple's frameworks: six weeks of an app that \
      plans trips, with its widget and its server, up to yesterday. The beginning of its history \
      is deleted, so old tokens have expired. The listed commands can be pasted as they are.

      Examples:
        histctl demo demo
        histctl demo demo --overwrite --json
        histctl demo sample --ending 2026-11-20
      """)

  @Argument(value: .folder, help: "The folder for the store; created if it is missing.")
  var folder: String

  @Flag(help: "Replace an existing store.")
  var overwrite = false

  @Option(value: "date", help: "The last day of the history.")
  var ending = "yesterday"

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try NewPlace.folder.check(folder, of: "<dir>") }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let demo = try TripsDemo(lastDay: lastDay(session.now))
    let isNew = !MissingFolders.isFolder(folder)
    try OutputFolder.make(folder)
    let draft = try StoreDraft(
      path: OutputFolder.path(of: "trips.store", in: folder), overwrites: overwrite)
    // A signal also removes the folder, if nothing else is in it.
    let registrations = (draft.temporaryFiles + (isNew ? [folder] : []))
      .compactMap(TemporaryFileRegistry.register)
    defer { registrations.forEach(TemporaryFileRegistry.unregister) }
    let report = try draft.write { path in
      try demo.write(to: path)
      return try StoreFile(path: path).read { try DemoReport(session, $0, path: draft.path) }
    }
    try session.write(usesPager: false) { _ in try report.write() }
  }

  private func lastDay(_ now: StoreTimestamp) throws -> CivilDate {
    guard let moment = try Moment.parse(ending, now: now),
      let time = LocalTime(moment.timestamp)
    else {
      throw MomentError(
        message: "'\(ending)' is not a day",
        hint: "--ending takes a day, such as 2026-11-20, yesterday or 3d for three days ago")
    }
    return time.date
  }
}
