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
