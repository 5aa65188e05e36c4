import ArgumentParser

/// The app in a terminal.
@main
struct SampleTrips: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sampletrips", abstract: "Plan trips.",
    discussion: """
      A sample: its store is one of SwiftData, its widget is sampletrips-widget, and histctl shows \
      what both have saved.
      """,
    subcommands: [List.self, Add.self, Edit.self, Delete.self, Read.self],
    defaultSubcommand: List.self)
}

/// The store of the trips.
struct StoreOption: ParsableArguments {
  @Option(
    name: .customLong("store"), help: "The store of the trips; it is made where it is missing.")
  var path = "Trips.store"
}
