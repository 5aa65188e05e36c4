import Libc
import Synchronization
import SystemPackage

/// A folder beside a file, in which the file and its companions are written.
///
/// The folder is locked while it is in use. Creating the next one for the same file removes unlocked ones,
/// which killed programs left.
package final class DraftFolder {
  package let path: String
  private let descriptor: FileDescriptor
  private var exists = true

  /// Returns a path at which a new folder for a file can be created.
  package static func path(for file: String) -> String {
    file + AbandonedDrafts.mark + String(UInt32.random(in: 0...UInt32.max), radix: 36)
  }

  /// Creates the folder, and removes abandoned ones for the same file.
  ///
  /// - Parameters:
  ///   - path: The path of the folder, from ``path(for:)``.
  ///   - file: The file to be written in it.
  ///   - recovery: Called with each abandoned folder before it is removed.
  package init(
    path: String, for file: String, recovery: @escaping AbandonedDrafts.Recovery
  ) throws(Errno) {
    Self.removeAbandoned(for: file, recovery: recovery)
    self.path = path
    descriptor = try Self.make(path)
  }

  deinit { discard() }

  /// Removes abandoned folders for a file.
  ///
  /// - Parameters:
  ///   - file: The file that was to be written in them.
  ///   - isPlaceLocked: Whether the caller holds the lock of ``lockPlace(of:timeout:)``.
  ///   - recovery: Called with each folder before it is removed.
  package static func removeAbandoned(
    for file: String, isPlaceLocked: Bool = false, recovery: @escaping AbandonedDrafts.Recovery
  ) {
    let path = FilePath(file)
    let name = path.lastComponent
    AbandonedDrafts.remove(
      in: path.folder.string, recovery: recovery, isLocked: isPlaceLocked
    ) { FilePath.Component($0) == name }
  }

  /// Locks the place of a file against other programs that move a file there or restore a former one.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - timeout: How long to wait for another program, in seconds.
  /// - Returns: The lock, held until the descriptor is closed, or `nil` if none is needed or possible.
  /// - Throws: As ``FolderLock/take(_:timeout:)``.
  package static func lockPlace(of file: String, timeout: Double) throws(Errno) -> FileDescriptor? {
    let folder = FilePath(file).folder
    // The folder of a draft is locked as a whole.
    if let name = folder.lastComponent?.string, AbandonedDrafts.isDraft(name) { return nil }
    return try FolderLock.take(folder.string, timeout: timeout)
  }

  private static func make(_ path: String) throws(Errno) -> FileDescriptor {
    var isOurs = false
    let start = ContinuousClock.now
    while true {
      // A store is usually private.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST && isOurs else {
        throw Errno(rawValue: errno)
      }
      isOurs = true
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let error = Errno(rawValue: errno)
        // Another program removed it before it was opened.
        if error == .noSuchFileOrDirectory { continue }
        rmdir(path)
        throw error
      }
      let folder = FileDescriptor(rawValue: descriptor)
      if FileLock.take(folder, at: path) != .lost { return folder }
      // Another program locked it first, treats it as abandoned and removes it by name. A new folder must not have
      // that name until then.
      try? folder.close()
      guard start.secondsAgo < FolderLock.timeout else { throw .resourceTemporarilyUnavailable }
      Pause.take(seconds: 0.002)
    }
  }

  /// Leaves the folder to be recovered by the next program that writes the same file.
  package func leave() {
    guard exists else { return }
    exists = false
    try? descriptor.close()
  }

  /// Removes the folder with its content; does nothing the second time.
  package func discard() {
    guard exists else { return }
    exists = false
    TemporaryFiles.remove(folder: path)
    try? descriptor.close()
  }
}

/// Files and folders that are no longer needed when the program ends, registered so that a signal handler can remove them
/// before that.
package enum TemporaryFiles {
  /// Takes the paths of files and then of their folder, and returns a closure that unregisters them.
  package typealias Registrar = @Sendable ([String]) -> @Sendable () -> Void

  package struct Registration: Sendable {
    fileprivate let forget: (@Sendable () -> Void)?

    package func end() { forget?() }
  }

  /// The program's part: it registers files for its signal handler, and reports those that stay.
  package final class Watch: Sendable {
    fileprivate let registrar: Registrar
    fileprivate let remains = Mutex<[FileProblem]>([])

    package init(_ registrar: @escaping Registrar) { self.registrar = registrar }
  }

  /// The watch over files that the present task or thread makes and removes; `nil` in a program without a handler.
  @TaskLocal package static var watch: Watch?

  /// Registers files that are about to be created.
  package static func register(_ paths: [String]) -> Registration {
    Registration(forget: watch?.registrar(paths))
  }

  /// Returns those that could not be removed since the last call.
  package static func takeRemains() -> [FileProblem] {
    watch?.remains.withLock { remains in
      defer { remains = [] }
      return remains
    } ?? []
  }

  /// Removes a file, if it exists. If that fails, ``takeRemains()`` returns it.
  package static func remove(_ path: String) { remove(FilePlace(path)) }

  /// Removes a file, if it exists. If that fails, ``takeRemains()`` returns it.
  package static func remove(_ place: FilePlace) {
    remove(place.path) { place.remove()?.description }
  }

  /// Removes a folder with its content, as ``remove(_:)`` removes a file.
  static func remove(folder path: String) {
    remove(path) {
      do {
        try MissingFolders.remove(path)
        return nil
      } catch {
        return "not everything in it can be removed"
      }
    }
  }

  private static func remove(_ path: String, _ body: () -> String?) {
    // The second attempt takes away what an error that passes has left.
    guard body() != nil, let reason = body() else { return }
    watch?.remains.withLock { $0.append(FileProblem(path: path, reason: reason)) }
  }
}

/// Drafts whose program was killed.
///
/// A program that writes a draft, a file or a folder, holds a lock on it. A draft that cannot be locked or
/// examined stays.
package enum AbandonedDrafts {
  /// Restores the former file that a folder holds.
  ///
  /// - Parameters:
  ///   - target: The file that was to be written in the folder.
  ///   - folder: The folder.
  ///   - isLocked: Whether ``DraftFolder/lockPlace(of:timeout:)`` is held.
  /// - Throws: Any error; the folder then stays.
  package typealias Recovery = (
    _ target: String, _ folder: String, _ isLocked: Bool
  ) throws -> Void

  /// Separates the name of a file from the unique part of a draft's name.
  static let mark = ".partial-"

  /// Removes abandoned drafts.
  ///
  /// - Parameters:
  ///   - folder: The folder with the drafts.
  ///   - recovery: Called with a draft folder before it is removed, or `nil` where drafts are files.
  ///   - isLocked: Whether the caller holds the lock of `DraftFolder.lockPlace`.
  ///   - isTarget: Whether to remove the drafts of a file of this name.
  package static func remove(
    in folder: String, recovery: Recovery? = nil, isLocked: Bool = false,
    of isTarget: (String) -> Bool
  ) {
    remove(
      FolderNames.read(folder, containing: mark), recovery, isLocked: isLocked, of: isTarget
    ) { FilePlace(folder + "/" + $0) }
  }

  /// Removes abandoned draft files in an open folder.
  package static func remove(in folder: OpenFolder, of isTarget: (String) -> Bool) {
    remove(
      (try? folder.names(containing: mark)) ?? [], nil, isLocked: false, of: isTarget
    ) { FilePlace($0, in: folder) }
  }

  private static func remove(
    _ names: [String], _ recovery: Recovery?, isLocked: Bool, of isTarget: (String) -> Bool,
    at place: (String) -> FilePlace
  ) {
    for name in names {
      let (target, ending) = split(name)
      guard let ending, !ending.isEmpty, ending.utf8.allSatisfy(isOfMark), isTarget(target) else {
        continue
      }
      remove(place(name), recovery, of: place(target), isLocked: isLocked)
    }
  }

  /// Removes the abandoned drafts of a file.
  package static func remove(ofFile path: String) {
    let name = FilePath(path).lastComponent
    remove(in: FilePath(path).folder.string) { FilePath.Component($0) == name }
  }

  /// Returns the place of a file's draft, if only one program writes it at a time.
  static func placeOfOnlyDraft(of place: FilePlace) -> FilePlace {
    FilePlace(place.name + mark + "0", in: place.folder)
  }

  /// Removes the abandoned draft of a file that only one program writes at a time.
  static func removeOnlyDraft(of place: FilePlace) {
    remove(placeOfOnlyDraft(of: place), nil, of: place, isLocked: false)
  }

  private static func remove(
    _ place: FilePlace, _ recovery: Recovery?, of target: FilePlace, isLocked: Bool
  ) {
    // A finished file whose program was killed before it removed the second name. The lock does not matter: any
    // program that works on the file may hold it.
    if FileMove.isSameFile(place, target) {
      TemporaryFiles.remove(place)
    } else {
      removeUnlocked(place, recovery, of: target, isLocked: isLocked)
    }
  }

  /// Whether a name is that of a draft.
  package static func isDraft(_ name: String) -> Bool {
    guard let ending = split(name).1 else { return false }
    return !ending.isEmpty && ending.utf8.allSatisfy(isOfMark)
  }

  /// Returns the folders in which a file is being written, or was when its program was killed.
  package static func folders(of path: String) -> [String] {
    let file = FilePath(path)
    let folder = file.folder
    return FolderNames.read(folder.string, containing: mark)
      .filter { isDraft($0) && FilePath.Component(split($0).0) == file.lastComponent }
      .map { folder.string + "/" + $0 }
      .filter { FileMove.entry(at: $0) == .folder }
  }

  /// Splits a name into the file's name and the unique part, which is `nil` if the name is not a draft's.
  private static func split(_ name: String) -> (String, String?) {
    guard let range = name.ranges(of: mark).last else { return (name, nil) }
    return (String(name[..<range.lowerBound]), String(name[range.upperBound...]))
  }

  private static func isOfMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: false
    }
  }

  private static func removeUnlocked(
    _ place: FilePlace, _ recovery: Recovery?, of target: FilePlace, isLocked: Bool
  ) {
    let entry: FileMove.Entry = recovery == nil ? .file : .folder
    guard FileMove.entry(at: place) == entry,
      let draft = try? place.open(
        (entry == .folder ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK)
    else { return }
    // A program that was killed may have left a second name of a store.
    defer { LockedFiles.close(draft) }
    guard FileLock.take(draft, at: place) == .taken else { return }
    guard let recovery else { return TemporaryFiles.remove(place) }
    // The content of another user's folder could be exchanged while it is being removed.
    var status = stat()
    guard fstat(draft.rawValue, &status) == 0, status.st_uid == geteuid() else { return }
    // Keep the only copy of a file that could not be restored.
    guard (try? recovery(target.path, place.path, isLocked)) != nil else { return }
    TemporaryFiles.remove(folder: place.path)
  }
}
