import SystemPackage

/// Why a file beside a store cannot be read or written.
struct FileProblem: Error, Hashable {
  /// The file, or its folder.
  let path: String
  /// Why.
  let reason: String
  /// Whether there is no such file.
  let isMissing: Bool

  init(path: String, reason: String, isMissing: Bool = false) {
    self.path = path
    self.reason = reason
    self.isMissing = isMissing
  }

  init(path: String, errno: CInt, isMissing: Bool = false) {
    self.init(path: path, reason: Errno(rawValue: errno).description, isMissing: isMissing)
  }
}

extension StoreWriteError {
  init(_ problem: FileProblem) {
    self = .unwritable(path: problem.path, reason: problem.reason)
  }
}
