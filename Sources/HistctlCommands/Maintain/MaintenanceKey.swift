import ArgumentParser
import HistoryCoding
import HistoryOperations

/// A key of the config file: one of the section itself, or the name of a command and of its option.
struct MaintenanceKey: Hashable, Sendable {
  /// The commands that a run takes the place of, in its order.
  enum Step: String, CaseIterable, Sendable {
    case export, prune, forget, compact

    var command: any ParsableCommand.Type {
      switch self {
      case .export: Export.self
      case .prune: Prune.self
      case .forget: Forget.self
      case .compact: Compact.self
      }
    }

    /// The options that the section or the steps before decide.
    fileprivate var decidedOptions: Set<String> {
      switch self {
      case .export: ["after", "archive", "output", "overwrite", "range", "store-identifier"]
      case .prune: ["check-token"]
      case .forget: ["store-identifier"]
      case .compact: []
      }
    }
  }

  let name: String
  /// The step whose option it is; `nil` for a key of the section.
  let step: Step?
  let isFlag: Bool
  /// Whether it may occur more than once in a section.
  let isList: Bool
  let isPath: Bool

  /// The option without dashes; the whole name of a key of the section.
  var option: String { step.map { String(name.dropFirst($0.rawValue.count + 1)) } ?? name }

  /// Whether it belongs to one section and cannot be a default.
  var isOfOneSection: Bool { self == .store || self == .bookmarkFile }

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  private init(
    _ name: String, step: Step? = nil, isFlag: Bool = false, isList: Bool = false,
    isPath: Bool = false
  ) {
    (self.name, self.step, self.isFlag) = (name, step, isFlag)
    (self.isList, self.isPath) = (isList, isPath)
  }

  static let store = MaintenanceKey("store", isList: true)
  static let missingOK = MaintenanceKey("missing-ok", isFlag: true)
  static let followLinks = MaintenanceKey("follow-links", isFlag: true)
  static let bookmarkFile = MaintenanceKey("bookmark-file", isPath: true)
  static let busyTimeout = MaintenanceKey("busy-timeout")
  static let compact = MaintenanceKey("compact", isFlag: true)
  static let exportOutputDir = MaintenanceKey("export.output-dir")
  static let exportBookmark = MaintenanceKey("export.bookmark")
  static let pruneArchive = MaintenanceKey("prune.archive")

  static let all =
    [store, missingOK, followLinks, bookmarkFile, busyTimeout]
    + Step.allCases.flatMap { ($0 == .compact ? [compact] : []) + options(of: $0) }

  /// The options that the run or the section decides for every step.
  private static let decidedOptions = Set(
    [
      "bookmark-file", "busy-timeout", "dry-run", "help", "lock-wait", "private-copy",
      "stores-from",
    ]
      + ["version", "yes"])

  /// Reads the description that the argument parser writes of a command for other programs.
  private static func options(of step: Step) -> [MaintenanceKey] {
    CommandDescription.arguments(of: step.command).compactMap { argument in
      guard argument["kind"] != "positional", argument["sectionTitle"] != "Output",
        let option = argument["preferredName"]?["name"]?.text,
        !decidedOptions.contains(option), !step.decidedOptions.contains(option)
      else { return nil }
      let completion = argument["completionKind"]
      return MaintenanceKey(
        "\(step.rawValue).\(option)", step: step, isFlag: argument["kind"] == "flag",
        isList: argument["isRepeating"] == true,
        isPath: completion?["file"] != nil || completion?["directory"] != nil)
    }
  }

  static func named(_ name: String) -> MaintenanceKey? { all.first { $0.name == name } }

  /// Returns the keys that an unknown name may mean.
  static func near(_ name: String) -> [String] {
    let option = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
    let names = all.map(\.name)
    // The option's name alone, or with a dash after the command.
    let meant = names.filter {
      $0.split(separator: ".").last.map(String.init) == option
        || $0.replacing(".", with: "-") == option
    }
    return meant.isEmpty ? NearNames.of(option, in: names) : meant
  }
}

/// What the argument parser tells other programs about a command.
enum CommandDescription {
  /// Returns the arguments of a command.
  static func arguments(of command: any ParsableCommand.Type) -> [JSONValue] {
    guard let dump = try? JSONReader().read(command._dumpHelp()),
      case .array(let all) = dump["command"]?["arguments"] ?? .null
    else { return [] }
    return all
  }
}
