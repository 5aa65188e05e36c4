import DurableFiles
import HistoryOperations
import PersistentHistory
import SystemPackage

/// All mistakes of a config file.
struct ConfigMistakes: Error {
  let path: String
  let mistakes: [ConfigMistake]

  var failures: [Failure] {
    mistakes.prefix(ConfigMistake.limit).map { mistake in
      Failure(
        .config, path + (mistake.line.map { ":\($0)" } ?? "") + ": " + mistake.message,
        hint: mistake.hint,
        details: [("path", .string(path))]
          + (mistake.line.map { [("line", .integer(Int64($0)))] } ?? []))
    } + (mistakes.count > ConfigMistake.limit ? [tooMany] : [])
  }

  private var tooMany: Failure {
    Failure(
      .config, "\(path): there are more mistakes than these \(ConfigMistake.limit)",
      hint: "histctl-maintain.conf(5) says what a config file is",
      details: [("path", .string(path))])
  }
}

/// A config file of `histctl maintain`, without a mistake.
struct MaintenanceConfig {
  /// The name of the section that applies to all others.
  static let defaults = "defaults"
  /// The maximum size in bytes.
  private static let limit = 1 << 20

  let path: String
  /// The sections, in the order of the file.
  let sections: [MaintenanceSettings]

  /// Reads a config file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - homeFolder: The folder that `~` stands for.
  /// - Throws: ``ConfigMistakes``, and `Failure` if the file cannot be read.
  init(path: String, homeFolder: String?) throws {
    self.path = path
    let text = ConfigText(try Self.read(path))
    let folder = ConfigFolder(of: path, homeFolder: homeFolder)
    var mistakes = text.mistakes
    var defaults: SettingsReader.Entries = [:]
    if let section = text.sections.first(where: { $0.name == Self.defaults }) {
      let read = SettingsReader.defaults(section, folder: folder)
      defaults = read.entries
      mistakes += read.mistakes
    }
    var sections: [MaintenanceSettings] = []
    var bookmarkFiles: [String: String] = [:]
    for section in text.sections where section.name != Self.defaults {
      if mistakes.count > ConfigMistake.limit { break }
      var reader = SettingsReader(section, defaults: defaults, folder: folder)
      if let settings = reader.settings(defaults: defaults) {
        if let file = settings.bookmarkFile {
          if let earlier = bookmarkFiles[file] {
            mistakes.append(
              ConfigMistake(
                line: section.line,
                "the bookmark-file of [\(section.name)] is that of [\(earlier)] already",
                hint: "give it another one; bookmarks of one name would replace each other"))
          } else {
            bookmarkFiles[file] = section.name
          }
        }
        sections.append(settings)
      }
      mistakes += reader.mistakes
    }
    if mistakes.isEmpty, sections.isEmpty {
      mistakes.append(
        ConfigMistake(
          line: nil, "it names no store",
          hint: "add a section, such as [app], with store = PATH and what is to be done"))
    }
    guard mistakes.isEmpty else {
      var seen: Set<ConfigMistake> = []
      throw ConfigMistakes(
        path: path,
        mistakes: mistakes.filter { seen.insert($0).inserted }
          .sorted { ($0.line ?? 0) < ($1.line ?? 0) })
    }
    self.sections = sections
  }

  private static func read(_ path: String) throws(Failure) -> [UInt8] {
    do {
      let file = try ReadableFile(anyAt: FilePath(path))
      var bytes: [UInt8] = []
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
      defer { buffer.deallocate() }
      while case let count = try file.read(into: buffer), count > 0 {
        bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard bytes.count <= limit else { throw Errno.fileTooLarge }
      }
      return bytes
    } catch {
      let reason =
        switch error as? Errno {
        case .noSuchFileOrDirectory?: "there is no such file"
        case .fileTooLarge?: "it is larger than \(limit >> 20) MiB"
        case let error?: error.description
        case nil: "\(error)"
        }
      throw Failure(
        .unreadable, "cannot read \(path): \(reason)",
        hint: "histctl-maintain.conf(5) says what a config file is")
    }
  }
}

/// The folder of a config file, to which paths in the file are relative.
struct ConfigFolder {
  private let path: String
  private let homeFolder: String?

  init(of file: String, homeFolder: String?) {
    path = FilePath(file).removingLastComponent().string
    self.homeFolder = homeFolder
  }

  /// Returns a path of the file: absolute, in the home folder as `~/…`, or else relative to the file.
  func path(_ text: String) -> String {
    let (start, rest) = parts(of: text)
    return start + rest
  }

  /// Returns what precedes a path, and the rest of it, which may be a pattern.
  func parts(of text: String) -> (start: String, rest: String) {
    if text.hasPrefix("/") { return ("", text) }
    if text.hasPrefix("~/"), let homeFolder {
      return (homeFolder.hasSuffix("/") ? homeFolder : homeFolder + "/", String(text.dropFirst(2)))
    }
    return (path.isEmpty || path.hasSuffix("/") ? path : path + "/", text)
  }
}

/// A mistake in a config file.
struct ConfigMistake: Error, Hashable {
  /// The line, counted from 1; `nil` for a mistake of the whole file.
  let line: Int?
  let message: String
  /// What to write instead.
  let hint: String?

  /// The maximum number that is reported. A file with more is not a config file.
  static let limit = 100

  init(line: Int?, _ message: String, hint: String? = nil) {
    self.line = line
    self.message = message
    self.hint = hint
  }
}

/// A config file of sections, each with lines of keys and values, like systemd's units and rsync's
/// modules.
///
/// ```ini
/// # A comment has a line of its own.
/// [section]
/// key = value
/// ```
///
/// Blanks around names and values are ignored. A value extends to the end of its line, and needs no
/// quotation marks.
struct ConfigText {
  /// A key with its value.
  struct Entry: Hashable {
    let key: String
    let value: String
    let line: Int
  }

  /// A section. Its name may occur once.
  struct Section: Hashable {
    let name: String
    let line: Int
    fileprivate(set) var entries: [Entry] = []
  }

  private(set) var sections: [Section] = []
  private(set) var mistakes: [ConfigMistake] = []
  /// The lines in which sections begin, by name.
  private var beginnings: [String: Int] = [:]

  /// Reads a text. A line that cannot be understood is a mistake, and reading continues until there are
  /// too many.
  init(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      mistakes = [ConfigMistake(line: nil, "it is not UTF-8", hint: "save it as UTF-8")]
      return
    }
    // Some editors begin a file with a byte order mark.
    let content =
      text.unicodeScalars.first == "\u{FEFF}"
      ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    for (index, line) in content.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      read(Self.trimmed(line), line: index + 1)
      if mistakes.count > ConfigMistake.limit { break }
    }
  }

  private mutating func read(_ text: Substring.UnicodeScalarView, line: Int) {
    guard let first = text.first, first != "#", first != ";" else { return }
    if let odd = text.first(where: { $0.properties.generalCategory == .control && $0 != "\t" }) {
      mistake(
        line, "it has the control character U+\(String(odd.value, radix: 16, uppercase: true))")
    } else if first == "[" {
      begin(text, line: line)
    } else if let sign = text.firstIndex(of: "=") {
      add(
        key: String(Self.trimmed(text[..<sign])),
        value: String(Self.trimmed(text[text.index(after: sign)...])), line: line)
    } else {
      mistake(
        line, "'\(String(text))' is neither a [section] nor a key with its value",
        hint: "write key = value")
    }
  }

  private mutating func begin(_ text: Substring.UnicodeScalarView, line: Int) {
    guard text.last == "]", text.count > 2 else {
      return mistake(
        line, "'\(String(text))' is not a section",
        hint: "a section is a name in brackets, such as [app]")
    }
    let name = String(Self.trimmed(text.dropFirst().dropLast()))
    guard !name.isEmpty, !name.contains(where: { "[]".contains($0) }) else {
      return mistake(
        line, "'\(String(text))' is not a section", hint: "give it a name without brackets")
    }
    if let earlier = beginnings[name] {
      mistake(
        line, "the section [\(name)] is already defined in line \(earlier)",
        hint: "give it another name, or put its keys into that one")
    } else {
      beginnings[name] = line
    }
    sections.append(Section(name: name, line: line))
  }

  private mutating func add(key: String, value: String, line: Int) {
    guard !sections.isEmpty else {
      return mistake(
        line, "'\(key)' comes before the first section",
        hint: "put it below [defaults], or below the section of its store")
    }
    if key.isEmpty {
      return mistake(line, "there is a value without a key", hint: "write key = value")
    }
    sections[sections.count - 1].entries.append(Entry(key: key, value: value, line: line))
  }

  private mutating func mistake(_ line: Int, _ message: String, hint: String? = nil) {
    mistakes.append(ConfigMistake(line: line, message, hint: hint))
  }

  /// Removes blanks at both ends, and the carriage return of other systems' lines.
  private static func trimmed(
    _ text: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar == " " || scalar == "\t" || scalar == "\r"
    }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
