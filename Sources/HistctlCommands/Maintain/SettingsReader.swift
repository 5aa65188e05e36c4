import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory

/// Reads the settings of one section, with defaults for keys that it does not have.
struct SettingsReader {
  private let section: ConfigText.Section
  private let folder: ConfigFolder
  private var entries: [MaintenanceKey: [ConfigText.Entry]]
  private(set) var mistakes: [ConfigMistake] = []

  init(
    _ section: ConfigText.Section, defaults: [MaintenanceKey: [ConfigText.Entry]],
    folder: ConfigFolder
  ) {
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
  ) -> (entries: [MaintenanceKey: [ConfigText.Entry]], mistakes: [ConfigMistake]) {
    var reader = SettingsReader(section, defaults: [:], folder: folder)
    for (key, entries) in reader.entries where key.isOfOneSection {
      reader.mistake(
        entries[0], "'\(key.rawValue)' cannot be a default",
        hint: "put it into the section of its store")
      reader.entries[key] = nil
    }
    let entries = reader.entries
    // Check the values here, so that each mistake is reported once.
    _ = reader.export(isDefault: true)
    _ = reader.prune()
    _ = reader.forget(nil)
    _ = reader.flag(.compact)
    _ = reader.flag(.missingOK)
    _ = reader.flag(.followLinks)
    _ = reader.value(.busyTimeout, Self.seconds)
    return (entries, reader.mistakes)
  }

  /// Returns the settings; `nil` if there are mistakes.
  mutating func settings(defaults: [MaintenanceKey: [ConfigText.Entry]]) -> MaintenanceSettings? {
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
    settings.bookmarkFile = value(.bookmarkFile) { folder.path($0) }
    settings.busyTimeout = value(.busyTimeout, Self.seconds) ?? settings.busyTimeout
    settings.export = export()
    settings.prune = prune()
    settings.archive = value(.pruneArchive) { folder.path($0) }
    settings.forget = forget(settings.archive)
    settings.compacts = flag(.compact)
    missingRules(defaults)
    if settings.export == nil, settings.prune == nil, !settings.compacts, mistakes.isEmpty {
      mistakes.append(
        ConfigMistake(
          line: section.line, "the section [\(section.name)] says nothing that is to be done",
          hint: "add export.output-dir, prune.keep-within or compact = yes"))
    }
    return mistakes.isEmpty ? settings : nil
  }

  /// Reports keys of a step that is not configured, which would have no effect.
  private mutating func missingRules(_ defaults: [MaintenanceKey: [ConfigText.Entry]]) {
    for (command, isGiven, remedy) in [
      ("export", entries[.exportOutputDir] != nil, "add export.output-dir"),
      (
        "prune", Self.rules.contains { entries[$0] != nil },
        "add prune.keep-within, "
          + "prune.keep-last or prune.max-size"
      ),
      ("forget", entries[.pruneArchive] != nil, "add prune.archive"),
    ] where !isGiven {
      let own = entries.filter { $0.key.command == command && defaults[$0.key] != $0.value }
        .values.flatMap(\.self)
      if let first = own.min(by: { $0.line < $1.line }) {
        mistake(first, "'\(first.key)' does nothing by itself", hint: remedy)
      }
    }
  }

  private static let rules: [MaintenanceKey] = [.pruneKeepWithin, .pruneKeepLast, .pruneMaxSize]

  // MARK: - Keys

  /// Returns the known keys of a section, each once unless it is a list.
  private mutating func keys(of section: ConfigText.Section) -> [MaintenanceKey: [ConfigText.Entry]]
  {
    var entries: [MaintenanceKey: [ConfigText.Entry]] = [:]
    for entry in section.entries {
      if mistakes.count > ConfigMistake.limit { break }
      guard let key = MaintenanceKey(rawValue: entry.key) else {
        let near = MaintenanceKey.near(entry.key)
        mistake(
          entry, "there is no key '\(entry.key)'",
          hint: near.isEmpty
            ? "the keys are " + MaintenanceKey.allCases.map(\.rawValue).joined(separator: ", ")
            : "did you mean \(near.joined(separator: " or "))?")
        continue
      }
      if let earlier = entries[key]?.first, !key.isList {
        mistake(
          entry, "'\(entry.key)' is there already, in line \(earlier.line)",
          hint: "keep one of them")
        continue
      }
      entries[key, default: []].append(entry)
    }
    return entries
  }

  // MARK: - Steps

  /// - Parameter isDefault: Whether a section may add the bookmark that is missing.
  private mutating func export(isDefault: Bool = false) -> MaintenanceSettings.Export? {
    let folder = folder
    let directory = value(.exportOutputDir) { folder.path($0) }
    let bookmark = value(.exportBookmark) { text in
      guard Bookmark.isName(text) else {
        throw ValidationError(
          "it cannot be the name of a bookmark; write letters and digits, such as nightly")
      }
      return text
    }
    let format = value(.exportFormat) {
      try Self.word($0, among: ExportFormat.allCases.map(\.rawValue), ExportFormat.init)
    }
    let compression = value(.exportCompress) {
      try Self.word($0, among: ExportCompression.allCases.map(\.rawValue), ExportCompression.init)
    }
    guard let directory else { return nil }
    guard let bookmark else {
      if !isDefault, entries[.exportBookmark] == nil, let entry = entries[.exportOutputDir]?.first {
        mistake(
          entry, "an export needs a bookmark, to go on from where the last one ended",
          hint: "add export.bookmark = NAME, such as nightly")
      }
      return nil
    }
    let usual = (format ?? .jsonl).usualCompression
    if usual == .none, let compression, compression != .none,
      let entry = entries[.exportCompress]?.first
    {
      mistake(
        entry, "a database is not compressed",
        hint: "leave out export.compress, or choose another export.format")
    }
    return .init(
      folder: directory, bookmark: bookmark, format: format ?? .jsonl,
      compression: compression ?? usual)
  }

  private mutating func prune() -> PruneRequest? {
    let rules =
      keepRules(.pruneKeepWithin, .pruneKeepLast)
      + [value(.pruneMaxSize) { RetentionRule.maxSize(bytes: try ByteSize(parsing: $0).bytes) }]
      .compactMap(\.self)
    let limit = value(.pruneIfLarger) { try ByteSize(parsing: $0).bytes }
    let allowance = value(.pruneMaxBehind) { try AllowanceArgument(parsing: $0).allowance }
    let ignored = values(.pruneIgnoreGuard) { try GuardArgument.name(parsing: $0) }
    guard !rules.isEmpty else { return nil }
    var request = PruneRequest(.transactions(rules))
    request.ifLargerThan = limit
    request.allowance = allowance
    request.ignoredGuards = Set(ignored)
    return request
  }

  /// - Parameter archivePath: The archive of the section; `nil` for none.
  private mutating func forget(_ archivePath: String?) -> ForgetRequest? {
    let rules = keepRules(.forgetKeepWithin, .forgetKeepLast)
    let merges = flag(.forgetMerge)
    guard let archivePath, !rules.isEmpty || merges else { return nil }
    var request = ForgetRequest(archivePath: archivePath)
    request.rules = rules
    request.merges = merges
    return request
  }

  private mutating func keepRules(
    _ within: MaintenanceKey, _ last: MaintenanceKey
  ) -> [RetentionRule] {
    [
      value(within) { RetentionRule.keepWithin(try DurationArgument(parsing: $0).duration) },
      value(last) { RetentionRule.keepLast(try Self.count($0)) },
    ].compactMap(\.self)
  }

  private mutating func store(_ entry: ConfigText.Entry) -> StorePattern? {
    let folder = folder
    return read(entry) { text in
      guard !text.isEmpty else { throw ValidationError("it is empty; write the path of a store") }
      let (start, rest) = folder.parts(of: text)
      return StorePattern(start: start, rest: rest)
    }
  }

  private mutating func flag(_ key: MaintenanceKey) -> Bool {
    value(key) { text in
      switch text.lowercased() {
      case "yes", "true", "on", "1": return true
      case "no", "false", "off", "0": return false
      default: throw ValidationError("write yes or no")
      }
    } ?? false
  }

  // MARK: - Values

  private mutating func value<Value>(
    _ key: MaintenanceKey, _ read: (String) throws -> Value
  ) -> Value? {
    values(key, read).first
  }

  private mutating func values<Value>(
    _ key: MaintenanceKey, _ read: (String) throws -> Value
  ) -> [Value] {
    var values: [Value] = []
    for entry in entries[key] ?? [] where !entry.value.isEmpty {
      if mistakes.count > ConfigMistake.limit { break }
      if let value = self.read(entry, read) { values.append(value) }
    }
    return values
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

  private static func count(_ text: String) throws -> Int64 {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(text), count > 0
    else { throw ValidationError("write a number of transactions, 1 or more") }
    return count
  }

  private static func seconds(_ text: String) throws -> Double {
    let number = text.hasSuffix("s") ? String(text.dropLast()) : text
    guard let seconds = Double(number), StoreOptions.busyTimeouts.contains(seconds) else {
      throw ValidationError("write 0 to 86400 seconds")
    }
    return seconds
  }

  private static func word<Word>(
    _ text: String, among words: [String], _ make: (String) -> Word?
  ) throws -> Word {
    guard let word = make(text) else {
      throw ValidationError("write " + words.joined(separator: ", "))
    }
    return word
  }
}
