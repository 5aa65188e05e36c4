import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The path of a store, or a pattern of the paths of many.
struct StorePattern {
  /// The path, or the pattern as it was written.
  let text: String
  private let pattern: String?
  /// The folder in which the pattern begins.
  private let base: String

  /// Takes a path over; `*`, `?` and `[…]` make a pattern of it.
  init(_ text: String, in folder: ConfigFolder) {
    let (start, rest) = folder.parts(of: text)
    self.text = start + rest
    let plain = (start + rest).prefix { !"*?[".contains($0) }
    base = plain.lastIndex(of: "/").map { String(plain[...$0]) } ?? "."
    if rest.contains(where: { "*?[".contains($0) }) {
      // The folder itself is no pattern, whatever it is called.
      pattern = start.reduce(into: "") { $0 += "\\*?[]".contains($1) ? "\\\($1)" : "\($1)" } + rest
    } else {
      pattern = nil
    }
  }

  /// The files that a pattern stands for.
  struct Matches {
    /// Their paths, in order.
    var paths: [String] = []
    /// Links that lead out of the folder in which the pattern begins, and where they lead to.
    var links: [(path: String, target: String)] = []
  }

  /// Returns the files that it stands for; without a pattern the path itself, whether it is there or not.
  ///
  /// - Parameter followsLinks: Whether files count that a link leads to out of the pattern's folder. Who
  ///   may write into that folder would otherwise choose what is pruned elsewhere.
  func matches(followingLinks followsLinks: Bool) throws(Failure) -> Matches {
    guard let pattern else { return Matches(paths: [text]) }
    var found = glob_t()
    defer { globfree(&found) }
    let result = glob(pattern, 0, nil, &found)
    guard result == 0 || result == GLOB_NOMATCH else {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unreadable", message: "cannot look for \(text)",
        hint: "check the folders in it")
    }
    var matches = Matches()
    guard result == 0 else { return matches }
    let folder = MaintenancePlan.resolved(base)
    for index in 0..<Int(found.gl_pathc) {
      guard let path = found.gl_pathv[index].map({ String(cString: $0) }) else { continue }
      guard Self.isFile(path), !StoreLocation.isCompanion(path) else { continue }
      let target = MaintenancePlan.resolved(path)
      if followsLinks || target.hasPrefix(folder == "/" ? folder : folder + "/") {
        matches.paths.append(path)
      } else {
        matches.links.append((path, target))
      }
    }
    return matches
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
