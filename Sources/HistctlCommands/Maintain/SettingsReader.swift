import ArgumentParser
import HistoryOperations
import PersistentHistory

/// Reads the settings of one section, with defaults for keys that it does not have.
///
/// The options of each step are parsed as those of its command.
struct SettingsReader {
  typealias Entries = [MaintenanceKey: [ConfigText.Entry]]

  private let section: ConfigText.Section
  private let folder: ConfigFolder
  private var entries: Entries
  private(set) var mistakes: [ConfigMistake] = []

  init(_ section: ConfigText.Section, defaults: Entries, folder: ConfigFolder) {
    self.section = section
    self.folder = folder
    entries = [:]
    let own = keys(of: section)
    // An empty value removes a default.
    entries = defaults.merging(own) { $1 }.filter {
      !$1.allSatisfy(\.value.isEmpty) || $0 == .store
    }
  }

  /// Reads the keys of the section of defaults.
  static func defaults(
    _ section: ConfigText.Section, folder: ConfigFolder
  ) -> (entries: Entries, mistakes: [ConfigMistake]) {
    var reader = SettingsReader(section, defaults: [:], folder: folder)
    for (key, entries) in reader.entries where key.isOfOneSection {
      reader.mistake(
        entries[0], "'\(key.name)' cannot be a default",
        hint: "put it into the section of its store")
      reader.entries[key] = nil
    }
    let entries = reader.entries
    // Check the values here, so that each mistake is reported once.
    for step in MaintenanceKey.Step.allCases { _ = reader.words(of: step) }
    for key in [MaintenanceKey.compact, .missingOK, .followLinks] { _ = reader.flag(key) }
    _ = reader.value(.busyTimeout, Self.seconds)
    return (entries, reader.mistakes)
  }

  /// Returns the settings; `nil` if there are mistakes.
  mutating func settings(defaults: Entries) -> MaintenanceSettings? {
    let folder = folder
    var stores: [StorePattern] = []
    for entry in entries[.store] ?? [] {
      if mistakes.count > ConfigMistake.limit { break }
      if let store = store(entry) { stores.append(store) }
    }
    if entries[.store] == nil {
      mistakes.append(
        ConfigMistake(
          line: section.line, "the section [\(section.name)] names no store",
          hint: "add store = PATH; * and ? stand for many stores"))
    }
    var settings = MaintenanceSettings(section: section.name, stores: stores)
    settings.missingIsAllowed = flag(.missingOK)
    settings.followsLinks = flag(.followLinks)
    settings.bookmarkFile = value(.bookmarkFile) {
      try Self.checkPlaceholders($0)
      return folder.path($0)
    }
    settings.busyTimeout = value(.busyTimeout, Self.seconds) ?? settings.busyTimeout
    settings.export = export()
    if let prune = command(.prune, Prune.self, on: "STORE") {
      settings.prune = prune.request
      settings.sealing = prune.sealingRequest(now: .now())
      settings.omitsLogValues = prune.keeping.omitsValues
    }
    let archive = value(.pruneArchive) { folder.path($0) }
    settings.forget = command(.forget, Forget.self, on: archive)?.request
    settings.compacts = flag(.compact)
    if let compact = command(.compact, Compact.self, on: "STORE") {
      settings.compactsFully = compact.full
      settings.compactGuards = compact.guards.ignoredGuards
      if compact.keeping.omitsValues { settings.omitsLogValues = true }
    }
    let shown: Set = [
      "output-dir", "bookmark", "format", "compress", "before", "keep-within", "keep-last",
      "max-size", "all", "if-larger", "max-behind", "ignore-guard", "archive", "merge",
    ]
    settings.otherOptions = entries.filter { $0.key.step != nil && !shown.contains($0.key.option) }
      .values.joined().sorted { $0.line < $1.line }.map { "\($0.key) = \($0.value)" }
    missingRules(defaults)
    if settings.export == nil, settings.prune == nil, !settings.compacts, mistakes.isEmpty {
      mistakes.append(
        ConfigMistake(
          line: section.line, "the section [\(section.name)] has no action",
          hint: "add export.output-dir, prune.keep-within or compact = yes"))
    }
    return mistakes.isEmpty ? settings : nil
  }

  /// Reports keys of a step that is not configured, which would have no effect.
  private mutating func missingRules(_ defaults: Entries) {
    let rules = ["before", "keep-within", "keep-last", "max-size", "all", "entity"]
    for (step, isGiven, remedy) in [
      (MaintenanceKey.Step.export, entries[.exportOutputDir] != nil, "add export.output-dir"),
      (
        .prune, entries.keys.contains { $0.step == .prune && rules.contains($0.option) },
        "add prune.keep-within, prune.keep-last or prune.max-size"
      ),
      (.forget, entries[.pruneArchive] != nil, "add prune.archive"),
      (.compact, entries[.compact] != nil, "add compact = yes"),
    ] where !isGiven {
      let own = entries.filter { $0.key.step == step && defaults[$0.key] != $0.value }
        .values.flatMap(\.self)
      if let first = own.min(by: { $0.line < $1.line }) {
        mistake(first, "'\(first.key)' does nothing by itself", hint: remedy)
      }
    }
  }

  // MARK: - Keys

  /// Returns the known keys of a section, each once unless it is a list.
  private mutating func keys(of section: ConfigText.Section) -> Entries {
    var entries: Entries = [:]
    for entry in section.entries {
      if mistakes.count > ConfigMistake.limit { break }
      guard let key = MaintenanceKey.named(entry.key) else {
        let near = MaintenanceKey.near(entry.key)
        mistake(
          entry, "there is no key '\(entry.key)'",
          hint: near.isEmpty
            ? "the keys are " + MaintenanceKey.all.map(\.name).joined(separator: ", ")
            : "did you mean \(near.joined(separator: " or "))?")
        continue
      }
      if let earlier = entries[key]?.first, !key.isList {
        mistake(
          entry, "'\(entry.key)' is already given in line \(earlier.line)",
          hint: "keep one of them")
        continue
      }
      entries[key, default: []].append(entry)
    }
    return entries
  }

  // MARK: - Steps

  private mutating func export() -> MaintenanceSettings.Export? {
    guard let directory = entries[.exportOutputDir]?.first else {
      _ = words(of: .export)
      return nil
    }
    if entries[.exportBookmark] == nil {
      mistake(
        directory, "an export needs a bookmark, to go on from where the last one ended",
        hint: "add export.bookmark = NAME, such as nightly")
    }
    guard let command = command(.export, Export.self, on: "STORE"),
      let bookmark = command.export.consumer
    else { return nil }
    do {
      return MaintenanceSettings.Export(
        folder: command.export.outputDir ?? "", bookmark: bookmark, layout: command.export.layout,
        format: command.export.format, compression: command.export.compression,
        encoder: try command.export.encoder(), omitsValues: command.values.omitsValues,
        query: { try command.query($0) })
    } catch {
      let failure = Failure(error)
      mistake(directory, failure.message, hint: failure.hint)
      return nil
    }
  }

  /// Returns the command that the keys of a step make; `nil` without one, and with mistakes.
  ///
  /// - Parameter argument: What the command is run on; `nil` to check only the values.
  private mutating func command<Command: ParsableCommand>(
    _ step: MaintenanceKey.Step, _ type: Command.Type, on argument: String?
  ) -> Command? {
    guard let words = words(of: step), !words.isEmpty, let argument else { return nil }
    do {
      return try type.parse(words.map(\.word) + ["--", argument])
    } catch {
      // The rules that are missing are reported with the key that needs them.
      let all = words.map(\.entry)
      let message = Self.text(type.message(for: error), of: step)
      let named = all.last { message.contains($0.key) || message.contains("'\($0.value)'") }
      if step != .prune || !message.hasPrefix("no retention rule"), let entry = named ?? all.first {
        mistake(entry, message)
      }
      return nil
    }
  }

  /// Returns the words of the command line for a step, or `nil` if there are mistakes in values.
  private mutating func words(
    of step: MaintenanceKey.Step
  ) -> [(word: String, entry: ConfigText.Entry)]? {
    var words: [(word: String, entry: ConfigText.Entry)] = []
    let count = mistakes.count
    let given = entries.filter { $0.key.step == step }
      .flatMap { key, entries in entries.map { (key, $0) } }
      .sorted { $0.1.line < $1.1.line }
    for (key, entry) in given where !entry.value.isEmpty {
      if mistakes.count > ConfigMistake.limit { break }
      let folder = folder
      let word = read(entry) { value in
        if key.isFlag { return try Self.flag(value) ? "--" + key.option : nil }
        if key == .exportBookmark, !Bookmark.isName(value) {
          throw ValidationError(
            "it cannot be the name of a bookmark; write letters and digits, such as nightly")
        }
        if key.isPath { try Self.checkPlaceholders(value) }
        let word = "--\(key.option)=\(key.isPath ? folder.path(value) : value)"
        do {
          _ = try step.command.parse([word, "--", "STORE"])
        } catch {
          // What the option needs besides is checked with all of them.
          if let reason = CommandLineParser.reason(ofValue: step.command.message(for: error)) {
            throw ValidationError(reason)
          }
        }
        return word
      }
      if case let word?? = word { words.append((word, entry)) }
    }
    return mistakes.count == count ? words : nil
  }

  /// Rejects words in braces that stand for nothing.
  private static func checkPlaceholders(_ path: String) throws {
    guard let unknown = StorePlaceholder.unknown(in: path) else { return }
    let known = StorePlaceholder.allCases.map(\.text).joined(separator: ", ")
    throw ValidationError("\(unknown) stands for nothing; what stands for a store is \(known)")
  }

  /// Returns a message about options with the names of their keys.
  private static func text(_ message: String, of step: MaintenanceKey.Step) -> String {
    var message = message
    for key in MaintenanceKey.all.sorted(by: { $0.name.count > $1.name.count })
    where key.step == step {
      message = message.replacing("--" + key.option, with: key.name)
    }
    return message.prefix(1).lowercased() + message.dropFirst()
  }

  private mutating func store(_ entry: ConfigText.Entry) -> StorePattern? {
    let folder = folder
    return read(entry) { text in
      guard !text.isEmpty else { throw ValidationError("it is empty; write the path of a store") }
      let (start, rest) = folder.parts(of: text)
      return StorePattern(start: start, rest: rest)
    }
  }

  // MARK: - Values

  private mutating func flag(_ key: MaintenanceKey) -> Bool { value(key, Self.flag) ?? false }

  private static func flag(_ text: String) throws -> Bool {
    switch text.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw ValidationError("write yes or no")
    }
  }

  private mutating func value<Value>(
    _ key: MaintenanceKey, _ read: (String) throws -> Value
  ) -> Value? {
    guard let entry = entries[key]?.first, !entry.value.isEmpty else { return nil }
    return self.read(entry, read)
  }

  private mutating func read<Value>(
    _ entry: ConfigText.Entry, _ read: (String) throws -> Value
  ) -> Value? {
    do {
      if entry.value.count > 1, let first = entry.value.first, "\"'".contains(first),
        entry.value.last == first
      {
        throw ValidationError("values have no quotation marks; leave them out")
      }
      return try read(entry.value)
    } catch {
      let hint =
        entry.value.contains(" #") || entry.value.contains(" ;")
        ? "a comment has a line of its own" : nil
      mistake(entry, "'\(entry.key)' cannot be '\(entry.value)': \(error)", hint: hint)
      return nil
    }
  }

  private mutating func mistake(_ entry: ConfigText.Entry, _ message: String, hint: String? = nil) {
    let mistake = ConfigMistake(line: entry.line, message, hint: hint)
    if !mistakes.contains(mistake) { mistakes.append(mistake) }
  }

  private static func seconds(_ text: String) throws -> Double {
    let number = text.hasSuffix("s") ? String(text.dropLast()) : text
    guard let seconds = Double(number), StoreOptions.busyTimeouts.contains(seconds) else {
      throw ValidationError("write 0 to 86400 seconds")
    }
    return seconds
  }
}
