import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder beside a file in which the file is written together with what belongs to it.
///
/// While it is there it is locked, so that one left by a killed program can be told from one in use;
/// who makes the next one for the same file removes those.
package final class DraftFolder {
  /// Where the folder is.
  package let path: String
  private let descriptor: FileDescriptor
  private var isThere = true

  /// Where a new folder for a file may be.
  package static func path(for file: String) -> String {
    file + AbandonedDrafts.mark + String(UInt32.random(in: 0...UInt32.max), radix: 36)
  }

  /// Makes the folder, and removes others for the same file that nobody uses any more.
  ///
  /// - Parameters:
  ///   - path: Where it will be, as ``path(for:)`` gives it.
  ///   - file: What will be written in it.
  ///   - recovery: What is done with each of the others before it is removed.
  package init(
    path: String, for file: String, recovery: @escaping AbandonedDrafts.Recovery
  ) throws(Errno) {
    Self.removeAbandoned(for: file, recovery: recovery)
    self.path = path
    descriptor = try Self.make(path)
  }

  deinit { discard() }

  /// Removes folders for a file that nobody uses any more.
  ///
  /// - Parameters:
  ///   - file: What was to be written in them.
  ///   - isPlaceLocked: Whether the caller has the lock of ``lockPlace(of:patience:)``.
  ///   - recovery: What is done with each before it is removed.
  package static func removeAbandoned(
    for file: String, isPlaceLocked: Bool = false, recovery: @escaping AbandonedDrafts.Recovery
  ) {
    let path = FilePath(file)
    let name = path.lastComponent?.string
    AbandonedDrafts.remove(
      in: path.folder.string, recovery: recovery, isLocked: isPlaceLocked
    ) { $0 == name }
  }

  /// Keeps others from giving a file its place, and from putting back a former one, at the same time.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - patience: How long to wait for another program, in seconds.
  /// - Returns: The lock, which ends with the descriptor; nil where none is needed, or there is none.
  /// - Throws: As ``FolderLock/take(_:patience:)``.
  package static func lockPlace(of file: String, patience: Double) throws(Errno) -> FileDescriptor?
  {
    let folder = FilePath(file).folder
    // In the folder of a draft nobody else is at work, and it is locked all the time.
    if let name = folder.lastComponent?.string, AbandonedDrafts.isDraft(name) { return nil }
    return try FolderLock.take(folder.string, patience: patience)
  }

  private static func make(_ path: String) throws(Errno) -> FileDescriptor {
    var isOurs = false
    let start = ContinuousClock.now
    while true {
      // A store holds what is private as a rule.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST && isOurs else {
        throw Errno(rawValue: errno)
      }
      isOurs = true
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let error = Errno(rawValue: errno)
        // Another program has removed it before it was opened.
        if error == .noSuchFileOrDirectory { continue }
        rmdir(path)
        throw error
      }
      let folder = FileDescriptor(rawValue: descriptor)
      if FileLock.take(folder, at: path) != .lost { return folder }
      // Another program locked it first, takes it for an abandoned one and removes it by its name. A
      // new folder must not have the name before that has happened.
      try? folder.close()
      guard start.secondsAgo < FolderLock.patience else { throw .resourceTemporarilyUnavailable }
      Pause.take(seconds: 0.002)
    }
  }

  /// Leaves the folder to who makes the next one for the same file.
  package func leave() {
    guard isThere else { return }
    isThere = false
    try? descriptor.close()
  }

  /// Removes the folder with all that is in it; nothing happens the second time.
  package func discard() {
    guard isThere else { return }
    isThere = false
    try? FileManager.default.removeItem(atPath: path)
    try? descriptor.close()
  }
}

/// Files that are made on the way and are nobody's business, told to whoever removes them when the
/// program is ended by a signal.
package enum TemporaryFiles {
  /// Takes paths of files, and of their folder behind them, and gives what forgets them again.
  package typealias Registrar = @Sendable ([String]) -> @Sendable () -> Void

  /// Paths that somebody remembers.
  package struct Registration: Sendable {
    fileprivate let forget: (@Sendable () -> Void)?

    /// Forgets them, for they are gone.
    package func end() { forget?() }
  }

  private static let registrar = Mutex<Registrar?>(nil)

  /// Chooses who is told; nil for nobody.
  package static func tell(_ registrar: Registrar?) {
    Self.registrar.withLock { $0 = registrar }
  }

  /// Tells of files that are about to be made.
  package static func register(_ paths: [String]) -> Registration {
    Registration(forget: registrar.withLock { $0 }?(paths))
  }
}
