import SystemPackage
import Terminal

/// The folder of a config file, from which the paths in it begin.
struct ConfigFolder {
  private let path: String

  /// The folder in which a file stands.
  init(of file: String) {
    path = FilePath(file).removingLastComponent().string
  }

  /// A path of the file: absolute, in the home folder as `~/…`, or else from the folder of the file.
  func path(_ text: String) -> String {
    let (start, rest) = parts(of: text)
    return start + rest
  }

  /// What comes before a path, and the rest of it, which may be a pattern.
  func parts(of text: String) -> (start: String, rest: String) {
    if text.hasPrefix("/") { return ("", text) }
    if text.hasPrefix("~/"), let home = ProcessEnvironment.variables(named: ["HOME"])["HOME"] {
      return (home.hasSuffix("/") ? home : home + "/", String(text.dropFirst(2)))
    }
    return (path.isEmpty || path.hasSuffix("/") ? path : path + "/", text)
  }
}
