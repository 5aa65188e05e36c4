import ArgumentParser
import HistoryArchive
import Terminal

/// `histctl verify`: looks for damage in a store's history or an archive.
struct Verify: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    _superCommandName: "histctl",
    abstract: "Look for damage and oddities in a store's history or in an archive.",
    discussion: """
      In a store, SQLite checks the pages of the history's tables, the -wal is compared with its own \
      checksums, and every row is looked at. In an archive every digest is compared, and with --full \
      every line is decoded; --anchor also sees segments that were taken away. Each finding comes with its place, \
      its meaning and what to do. Ends with 5 where something is damaged, with 1 where something \
      else was found. Nothing is changed.

      Examples:
        histctl verify default.store
        histctl verify default.store --full --quiet
        histctl verify history-archive --subset 1/7
        histctl verify default.store --archive history-archive --json
      """)

  @OptionGroup var target: VerifyOptions
  @OptionGroup(title: "What to look at") var look: LookOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    let run = VerifyRun(session: session, target: target, look: look)
    try run.validate()
    try session.write(usesPager: false) { try run.run($0) }
    if run.status != .success { throw EndWithStatus(status: run.status) }
  }
}

/// What to verify, and how closely.
struct VerifyOptions: CheckedOptions {
  @Argument(help: "The store file, or the folder of an archive.", completion: .file())
  var path: String

  @Option(
    name: .customLong("bookmark-file"),
    help: ArgumentHelp(
      "Read a store's bookmarks from this file instead of STORE-bookmarks.json.",
      valueName: "file"),
    completion: .file())
  var bookmarkFile: String?

  @Option(
    help: ArgumentHelp("Seconds to wait for a locked store.", valueName: "seconds"))
  var busyTimeout: Double = 5

  func check() throws {
    try StoreOptions.validate(busyTimeout: busyTimeout)
  }
}

/// A part of an archive on the command line, in restic's words.
struct SubsetArgument: Equatable {
  let subset: VerificationSubset

  /// Reads `1/7`, `5%` or `10M`.
  init(parsing text: String) throws(ValidationError) {
    if let slash = text.firstIndex(of: "/") {
      guard let part = Int(text[..<slash]), let count = Int(text[text.index(after: slash)...]),
        (1...10_000).contains(count), (1...count).contains(part)
      else { throw ValidationError("write the number of the part and how many there are: 1/7") }
      subset = .part(part, of: count)
    } else if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
        throw ValidationError("write a percentage above 0 and up to 100, such as 5%")
      }
      subset = .percent(percent)
    } else {
      do {
        subset = .bytes(try ByteSize(parsing: text).bytes)
      } catch {
        throw ValidationError("write a part, a percentage or a size: 1/7, 5% or 10M")
      }
    }
  }
}

/// The head of an archive's chain on the command line.
struct AnchorArgument: Equatable {
  let anchor: ArchiveAnchor

  /// Reads what `archive` prints, with the word before it or without.
  init(parsing text: String) throws(ValidationError) {
    let word = text.hasPrefix("head ") ? String(text.dropFirst("head ".count)) : text
    do {
      anchor = try ArchiveAnchor(word)
    } catch {
      throw ValidationError(
        "it is not the head of a chain; write what archive prints, a number, a colon and 64 digits")
    }
  }
}
