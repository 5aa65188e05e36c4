import DurableFiles
import Libc
import StoreFormat
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files that belong to a store: the folder of its large values, and the recorded values of its
/// saves.
///
/// They are written in the folder of the draft and moved to their places right before the store is.
/// Several files cannot be renamed in one step. So a store that is replaced is first moved into the
/// draft's folder, with its log and then with its companions. Between the first and the last step there
/// is no store at the place, and never one beside companions of another. If the program is killed in
/// between, the next one that cleans up the folder puts the former store back.
struct DraftCompanions {
  let path: String
  let folder: String

  private let place: String
  private let name: String

  init(ofStoreAt path: String, draftIn folder: String) {
    self.path = path
    self.folder = folder
    let file = FilePath(path)
    place = file.folder.string
    name = file.lastComponent?.string ?? "store"
  }

  /// The path of the finished store while companions are moved: as long as it exists, the former store
  /// has not been replaced.
  var finishedStore: String { folder + "/" + name + "-finished" }
  /// The path of the former store while there is none at its place.
  var formerStore: String { formerFolder + "/" + name }
  var formerValues: String { RecordedValuesFile.path(besideStore: path) }
  private var formerFolder: String { StoreLocation.formerFolder(ofStoreAt: path, in: folder) }

  private var names: [String] {
    let largeValues = FilePath(ExternalData(besideStoreAt: path).path).lastComponent?.string
    return [largeValues, RecordedValuesFile.path(besideStore: name)].compactMap(\.self)
  }

  /// Moves former files away and new companions to their places; the finished store itself follows.
  ///
  /// - Parameter overwrites: Whether former files are replaced, and removed if nothing replaces them.
  /// - Returns: Whether the place of the store is free now. Otherwise neither the former store nor the
  ///   new one has companions, and one step replaces the store.
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` if a place is taken that must be free.
  func putInPlace(overwrites: Bool) throws(StoreWriteError) -> Bool {
    let written = names.filter { FileMove.entry(at: folder + "/" + $0) != .none }
    let isOneFile = overwrites ? (written + besideFormer).isEmpty : written.isEmpty
    for name in written where !overwrites {
      for file in Self.withLog(place + "/" + name) where FileMove.entry(at: file) != .none {
        throw .alreadyThere(path: file)
      }
    }
    do throws(Errno) {
      try FileMove.move(folder + "/" + name, replacing: finishedStore)
      if isOneFile { return !overwrites || FileMove.entry(at: path) == .none }
      try make(formerFolder)
      try synchronize()
      for name in [name] + names where overwrites { try putAside(name) }
      try synchronize()
      for name in written {
        try write(mark(of: name))
        try FileMove.move(folder + "/" + name, replacing: place + "/" + name)
      }
      try synchronize()
      return true
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  private var besideFormer: [String] {
    let files = Self.withLog(path).dropFirst() + names.flatMap { Self.withLog(place + "/" + $0) }
    return files.filter { FileMove.entry(at: $0) != .none }
  }

  private func putAside(_ name: String) throws(Errno) {
    for name in Self.withLog(name) where FileMove.entry(at: place + "/" + name) != .none {
      try FileMove.move(place + "/" + name, replacing: formerFolder + "/" + name)
    }
  }

  /// Undoes ``putInPlace(overwrites:)`` while no other program works at the place.
  func putBack() throws(Errno) { try putBack(isAlone: true) }

  /// Puts back a former store and its companions if the program was killed before the new one took its
  /// place.
  ///
  /// - Parameter lock: Locks the place against other programs; closing the descriptor unlocks it.
  /// - Throws: `Errno.notPermitted` if another user owns the folder, whose files cannot be trusted;
  ///   `Errno.fileExists` if there is another store at the place now.
  func recover(_ lock: () throws -> FileDescriptor?) throws {
    guard FileMove.entry(at: finishedStore) != .none, !FileMove.isSameFile(finishedStore, path)
    else { return }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid == geteuid() else { throw Errno.notPermitted }
    let held = try lock()
    defer { try? held?.close() }
    // The companions would be taken for those of the other store.
    if FileMove.entry(at: path) != .none, FileMove.entry(at: formerStore) != .none,
      !FileMove.isSameFile(formerStore, path)
    {
      throw Errno.fileExists
    }
    try putBack(isAlone: false)
  }

  /// Puts files back in such an order that an interruption can be continued from any step.
  private func putBack(isAlone: Bool) throws(Errno) {
    guard FileMove.entry(at: formerFolder) == .folder else { return }
    // Companions beside a store that was created meanwhile may belong to it.
    let isOurs = isAlone || FileMove.entry(at: path) == .none
    for name in names {
      if isOurs, isPlaced(name) {
        let present = place + "/" + name
        for file in Self.withLog(present).dropFirst() { FileStatus.remove(file) }
        try FileMove.move(present, replacing: folder + "/" + name)
      }
      try giveBack(name)
    }
    try synchronize()
    // The store comes last: once it is there, everything is.
    try giveBack(name)
    try synchronize()
    try remove(formerFolder)
  }

  private func isPlaced(_ name: String) -> Bool {
    FileMove.entry(at: mark(of: name)) == .file
      && FileMove.entry(at: folder + "/" + name) == .none
      && FileMove.entry(at: place + "/" + name) != .none
  }

  private func giveBack(_ name: String) throws(Errno) {
    for name in Self.withLog(name).reversed() {
      let (former, target) = (formerFolder + "/" + name, place + "/" + name)
      switch FileMove.entry(at: former) {
      case .none: break
      case .file where FileMove.isSameFile(former, target): FileStatus.remove(former)
      case .file: try FileMove.move(former, toFree: target)
      case .folder, .link, .other:
        guard FileMove.entry(at: target) == .none else { throw .fileExists }
        try FileMove.move(former, replacing: target)
      }
    }
  }

  /// A file and SQLite's files beside it, which would be taken for those of the next file of that name.
  private static func withLog(_ file: String) -> [String] {
    [file] + StoreDraft.companions.map { file + $0 }
  }

  /// The path of a mark that a companion was moved to its place, or was about to be.
  private func mark(of name: String) -> String { formerFolder + "/" + name + ".placed" }

  /// Ensures that no later step reaches the disk before earlier ones.
  private func synchronize() throws(Errno) {
    for name in [formerFolder + "/", folder + "/", place + "/"] {
      try DraftFile.synchronizeFolder(of: name + self.name)
    }
  }

  private func make(_ folder: String) throws(Errno) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
  }

  private func write(_ mark: String) throws(Errno) {
    let file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    close(file)
  }

  private func remove(_ path: String) throws(Errno) {
    guard FileMove.entry(at: path) != .none else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Errno.ioError
    }
  }
}

extension DraftFolder {
  /// Creates the folder in which a store is written. Removes abandoned folders of the same store, after
  /// putting back a former store that they hold.
  package convenience init(path: String, forStoreAt store: String) throws(Errno) {
    try self.init(path: path, for: store, recovery: Self.recoverStore)
  }

  /// Removes abandoned folders of a store, after putting back a former store that they hold.
  static func removeAbandoned(forStoreAt store: String, isPlaceLocked: Bool = false) {
    removeAbandoned(for: store, isPlaceLocked: isPlaceLocked, recovery: recoverStore)
  }

  private static func recoverStore(_ store: String, in folder: String, isLocked: Bool) throws {
    try DraftCompanions(ofStoreAt: store, draftIn: folder).recover {
      isLocked ? nil : try lockPlace(of: store, timeout: FolderLock.timeout)
    }
  }
}
