import DurableFiles
import StoreEditing
import SystemPackage

/// A file with the key of scrubbed copies: 64 hexadecimal digits, for the owner only.
package struct ScrubKeyFile {
  package let path: String

  package init(path: String) { self.path = path }

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
    let digits = text.prefix { $0.isHexDigit }.compactMap { $0.hexDigitValue }
    guard digits.count == Self.digitCount,
      text.dropFirst(digits.count).allSatisfy({ $0.isWhitespace })
    else {
      throw unreadable("it does not have exactly \(Self.digitCount) hexadecimal digits")
    }
    return ScrubKey(
      bytes: stride(from: 0, to: digits.count, by: 2).map {
        UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1])
      })
  }

  /// Reads the key, or makes a new one and writes it.
  package func readOrMake() throws -> (key: ScrubKey, isNew: Bool) {
    if let key = try read() {
      // A run that was killed right after it named the file.
      AbandonedDrafts.remove(ofFile: path)
      return (key, false)
    }
    let key = ScrubKey.random()
    let digits = key.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try OutputFile.write(
      path, permissions: .ownerReadWrite, overwrites: false,
      wayOut: "run the command again, which then uses it", wayAround: "name another file"
    ) { draft in
      try Array((digits + "\n").utf8).withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    }
    return (key, true)
  }

  private func unreadable(_ reason: String) -> OperationError {
    OperationError(
      .unreadable, "cannot read the key in \(path): \(reason)",
      hint: "name a file that scrub made, or one that is not there to make a new key",
      details: [("key", path)])
  }
}
