import ArgumentParser

/// Where history is that the store has pruned, and which store's it is.
struct ArchiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read what the store does not keep any more from this archive.", valueName: "dir"),
    completion: .directory)
  var archive: String?

  @Option(
    help: ArgumentHelp(
      "The store that is meant, where an archive of several takes its place.",
      valueName: "identifier"))
  var storeIdentifier: String?
}
