import DurableFiles
import StoreEditing
import StoreFormat
import SystemPackage

/// A file with the key of scrubbed copies: 64 hexadecimal digits, for the owner only.
struct ScrubKeyFile {
  package let path: String

  init(path: String) { self.path = path }

  private static let digitCount = 2 * ScrubKey.byteCount

  /// Reads the key; returns `nil` where there is no file.
  package func read() throws -> ScrubKey? {
    let bytes: [UInt8]
    do {
      guard let status = try FileStatus(path: path) else { return nil }
      guard status.kind == .file else { throw unreadable("it is not a file") }
      bytes = try ReadableFile(FilePath(path)).readPrefix(Self.digitCount + 2)
    } catch let error as Errno {
      throw unreadable(error.description)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let end = text.firstIndex(where: \.isWhitespace) ?? text.endIndex
    guard let key = Hexadecimal.bytes(of: String(text[..<end])), key.count == ScrubKey.byteCount,
      text[end...].allSatisfy(\.isWhitespace)
    else {
      throw unreadable("it does not have exactly \(Self.digitCount) hexadecimal digits")
    }
    return ScrubKey(bytes: key)
  }

  /// Reads the key, or makes a new one and writes it.
  func readOrMake() throws -> (key: ScrubKey, isNew: Bool) {
    if let key = try read() {
      // A run that was killed right after it named the file.
      AbandonedDrafts.remove(ofFile: path)
      return (key, false)
    }
    let key = ScrubKey.random()
    try OutputFile.write(
      path, permissions: .ownerReadWrite, overwrites: false,
      existsHint: "run the command again, which then uses it", wayAround: "name another file"
    ) { draft in
      try Array((Hexadecimal.text(of: key.bytes) + "\n").utf8).withUnsafeBytes {
        try draft.write($0)
      }
      try draft.commit()
    }
    return (key, true)
  }

  private func unreadable(_ reason: String) -> OperationError {
    OperationError(
      .unreadable, "cannot read the key in \(path): \(reason)",
      hint: "name a file that scrub made, or one that is not there to make a new key",
      details: [("key", .string(path))])
  }
}
