import DurableFiles
import StoreEditing
import StoreFormat
import SystemPackage

/// Makes a copy of a store that can be given away: the same shape and history, and none of its data.
package struct ScrubOperation {
  package struct Result: Hashable, Sendable {
    package let summary: StoreScrubber.Summary
    /// The identifier of the copy.
    package let storeIdentifier: String?
    /// Whether the file of the key was made.
    package let madeKey: Bool
  }

  /// The store.
  package var path: String
  /// The file to write the copy to.
  package var copy: String
  package var overwrites = false
  /// The file of the key; `nil` for a key that is used once and kept nowhere.
  package var keyPath: String?
  /// Whether authors, bundles and processes are replaced too.
  package var replacesAuthors = false
  /// Whether the names of the model are replaced too.
  package var replacesNames = false
  /// Seconds to wait for a locked store.
  package var busyTimeout = 5.0
  private let observer: OperationObserver

  package init(path: String, copy: String, observer: @escaping OperationObserver) {
    self.path = path
    self.copy = copy
    self.observer = observer
  }

  /// Finds out what would be replaced, kept and left out. Nothing is written.
  ///
  /// - Throws: Also if the copy cannot be written to its place, or the key cannot be read.
  package func plan() throws -> ScrubPlan {
    if let keyPath { _ = try ScrubKeyFile(path: keyPath).read() }
    return try read { snapshot in
      _ = try place(snapshot)
      try StoreReading.warnOfModel(in: snapshot, observer: observer)
      return try ScrubPlan(snapshot, replacesNames: replacesNames)
    }
  }

  /// Writes the copy, of the store as it is now.
  ///
  /// - Parameter checking: Called regularly; an error ends the writing, and nothing is left of the copy.
  package func write(checking: () throws -> Void = {}) throws -> Result {
    try read { snapshot in
      let place = try place(snapshot)
      let plan = try ScrubPlan(snapshot, replacesNames: replacesNames)
      var (key, isNew) = (ScrubKey.random(), false)
      if let keyPath {
        (key, isNew) = try ScrubKeyFile(path: keyPath).readOrMake()
      }
      let scrubber = StoreScrubber(
        snapshot, plan: plan, key: key, replacesAuthors: replacesAuthors)
      let written = try place.write(snapshot, scrubber) { rows in
        try checking()
        observer(.scrubbing(rows: rows, total: plan.rowCount, copy: copy))
      }
      observer(.finished)
      return Result(
        summary: written.summary, storeIdentifier: written.storeIdentifier,
        madeKey: isNew)
    }
  }

  private func read<Value>(_ body: (StoreSnapshot) throws -> Value) throws -> Value {
    try StoreContext(path, busyTimeout: busyTimeout, observer: observer)
      .openForReading().read(body)
  }

  private func place(_ snapshot: StoreSnapshot) throws -> StoreCopy {
    try StoreCopy(
      of: snapshot.location, at: copy, overwrites: overwrites,
      busyTimeout: busyTimeout)
  }
}

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
