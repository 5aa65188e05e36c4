import SystemPackage

/// The mistakes of a config file, all of them.
struct ConfigMistakes: Error {
  let path: String
  let mistakes: [ConfigMistake]

  /// Each mistake as a person or a script is told of it.
  var failures: [Failure] {
    mistakes.prefix(ConfigMistake.most).map { mistake in
      Failure(
        status: .usage, kind: "config",
        message: path + (mistake.line.map { ":\($0)" } ?? "") + ": " + mistake.message,
        hint: mistake.hint,
        details: [("path", .string(path))]
          + (mistake.line.map { [("line", .integer(Int64($0)))] } ?? []))
    } + (mistakes.count > ConfigMistake.most ? [tooMany] : [])
  }

  private var tooMany: Failure {
    Failure(
      status: .usage, kind: "config",
      message: "\(path): there are more mistakes than these \(ConfigMistake.most)",
      hint: "histctl-maintain.conf(5) says what a config file is",
      details: [("path", .string(path))])
  }
}

/// What `histctl maintain` is to do: the sections of a config file without a mistake.
struct MaintenanceConfig {
  /// The name of the section that holds for all others.
  static let defaults = "defaults"
  /// The most that is read, in bytes.
  private static let limit = 1 << 20

  /// The file.
  let path: String
  /// What is to be done, in the order of the file.
  let sections: [MaintenanceSettings]

  /// Reads a config file.
  ///
  /// - Throws: ``ConfigMistakes``, and a `Failure` where the file cannot be read.
  init(path: String) throws {
    self.path = path
    let text = ConfigText(try Self.read(path))
    let folder = ConfigFolder(of: path)
    var mistakes = text.mistakes
    var defaults: [MaintenanceKey: [ConfigText.Entry]] = [:]
    if let section = text.sections.first(where: { $0.name == Self.defaults }) {
      let read = SettingsReader.defaults(section, folder: folder)
      defaults = read.entries
      mistakes += read.mistakes
    }
    var sections: [MaintenanceSettings] = []
    var bookmarkFiles: [String: String] = [:]
    for section in text.sections where section.name != Self.defaults {
      if mistakes.count > ConfigMistake.most { break }
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
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      defer { try? file.close() }
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
        status: .cannotReadOrWrite, kind: "unreadable", message: "cannot read \(path): \(reason)",
        hint: "histctl-maintain.conf(5) says what a config file is")
    }
  }
}
