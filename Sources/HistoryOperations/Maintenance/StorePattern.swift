import DurableFiles
import Libc
import StoreFormat
import SystemPackage

/// The path of a store, or a pattern for the paths of many.
package struct StorePattern {
  /// The path or the pattern.
  package let text: String
  private let pattern: String?
  /// Whether it stands for the paths of many stores.
  var isPattern: Bool { pattern != nil }
  /// The folder in which the pattern begins.
  private let base: String

  /// - Parameters:
  ///   - start: The text before the path; its characters never make a pattern.
  ///   - rest: The path; `*`, `?` and `[…]` make it a pattern.
  package init(start: String, rest: String) {
    text = start + rest
    let plain = text.prefix { !"*?[".contains($0) }
    base = plain.lastIndex(of: "/").map { String(plain[...$0]) } ?? "."
    if rest.contains(where: { "*?[".contains($0) }) {
      pattern = start.reduce(into: "") { $0 += "\\*?[]".contains($1) ? "\\\($1)" : "\($1)" } + rest
    } else {
      pattern = nil
    }
  }

  /// The files that match a pattern.
  struct Matches {
    /// Their paths, in order.
    var paths: [String] = []
    /// Links that lead out of the pattern's folder, with their targets.
    var links: [(path: String, target: String)] = []
  }

  /// Returns the matching files; for a plain path the path itself, whether it exists or not.
  ///
  /// - Parameter followsLinks: Whether a link may lead out of the pattern's folder. Anybody who may
  ///   write into that folder could otherwise choose what is pruned elsewhere.
  func matches(followingLinks followsLinks: Bool) throws(OperationError) -> Matches {
    guard let pattern else { return Matches(paths: [text]) }
    var found = glob_t()
    defer { globfree(&found) }
    let result = glob(pattern, 0, nil, &found)
    guard result == 0 || result == GLOB_NOMATCH else {
      throw OperationError(
        .unreadable, "cannot look for \(text)", hint: "check the folders in it")
    }
    var matches = Matches()
    guard result == 0 else { return matches }
    let folder = FileStatus.resolve(base) ?? base
    for index in 0..<Int(found.gl_pathc) {
      guard let path = found.gl_pathv[index].map({ String(cString: $0) }),
        (try? FileStatus(path: path))?.kind == .file, !StoreLocation.isCompanion(path)
      else { continue }
      let target = FileStatus.resolve(path) ?? path
      if followsLinks || FilePath(target).starts(with: FilePath(folder)) {
        matches.paths.append(path)
      } else {
        matches.links.append((path, target))
      }
    }
    return matches
  }
}
