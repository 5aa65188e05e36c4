import DurableFiles
import StoreFormat
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

/// What stands beside a store and goes with it: the folder of its large values, and the values that
/// were recorded of its saves.
///
/// They are written in the folder of the draft and go to their places right before the store does. Names
/// cannot be given to several files in one step. So a store that is replaced goes away first, with its
/// log and then with what belongs to it, and waits in that folder: between the first and the last step
/// there is no store, and never one beside what is another's. Where the program is killed there, whoever
/// clears the folder away puts the former store back.
struct DraftCompanions {
  /// The store.
  let path: String
  /// The folder of the draft.
  let folder: String

  private let place: String
  private let name: String

  /// - Parameters:
  ///   - path: Where the store will be.
  ///   - folder: The folder in which it is written under its name.
  init(ofStoreAt path: String, draftIn folder: String) {
    self.path = path
    self.folder = folder
    let file = FilePath(path)
    place = file.folder.string
    name = file.lastComponent?.string ?? "store"
  }

  /// Where the finished store waits from the moment at which anything beside it is moved: while it is
  /// there, the former one has not been replaced.
  var finishedStore: String { folder + "/" + name + "-finished" }
  /// Where the former store waits while there is none in its place.
  var formerStore: String { formerFolder + "/" + name }
  /// The values that were recorded of the former store's saves.
  var formerValues: String { RecordedValuesFile.path(besideStore: path) }
  private var formerFolder: String { StoreLocation.formerFolder(ofStoreAt: path, in: folder) }

  private var names: [String] {
    let largeValues = FilePath(ExternalData(besideStoreAt: path).path).lastComponent?.string
    return [largeValues, RecordedValuesFile.path(besideStore: name)].compactMap(\.self)
  }

  /// Puts what was written and what was there in their places, except for the finished store itself.
  ///
  /// - Parameter overwrites: Whether what is there goes, also where nothing takes its place.
  /// - Returns: Whether the place of the store is free now. Otherwise there is nothing beside the
  ///   former store or the new one, which replaces it in one step.
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` where a place is taken that is to be free.
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

  /// What there is beside the former store.
  private var besideFormer: [String] {
    let files = Self.withLog(path).dropFirst() + names.flatMap { Self.withLog(place + "/" + $0) }
    return files.filter { FileMove.entry(at: $0) != .none }
  }

  private func putAside(_ name: String) throws(Errno) {
    for name in Self.withLog(name) where FileMove.entry(at: place + "/" + name) != .none {
      try FileMove.move(place + "/" + name, replacing: formerFolder + "/" + name)
    }
  }

  /// Makes everything as it was before ``putInPlace(overwrites:)``, while nobody else is at work there.
  func putBack() throws(Errno) { try putBack(isAlone: true) }

  /// Puts back a former store in whose place the new one has not come, because the program was killed
  /// before, with what belongs to it.
  ///
  /// - Parameter lock: Keeps others from giving files their places there; the descriptor ends it.
  /// - Throws: `Errno.notPermitted` where somebody else has made the folder, who could give what he
  ///   likes to a store; `Errno.fileExists` where another store has come to the place since then.
  func recover(_ lock: () throws -> FileDescriptor?) throws {
    guard FileMove.entry(at: finishedStore) != .none, !FileMove.isSameFile(finishedStore, path)
    else { return }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid == geteuid() else { throw Errno.notPermitted }
    let held = try lock()
    defer { try? held?.close() }
    // What belongs to it would stand beside that other store.
    if FileMove.entry(at: path) != .none, FileMove.entry(at: formerStore) != .none,
      !FileMove.isSameFile(formerStore, path)
    {
      throw Errno.fileExists
    }
    try putBack(isAlone: false)
  }

  /// Puts things back so that it can be done again from any step on.
  private func putBack(isAlone: Bool) throws(Errno) {
    guard FileMove.entry(at: formerFolder) == .folder else { return }
    // Beside a store that has come meanwhile it may have become that store's own.
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
    // With it everything is there again.
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

  /// A file, and behind it what SQLite keeps beside it, which would be taken for that of the next one.
  private static func withLog(_ file: String) -> [String] {
    [file] + StoreDraft.companions.map { file + $0 }
  }

  /// Says that something was put in the place of a name, or was about to be.
  private func mark(of name: String) -> String { formerFolder + "/" + name + ".placed" }

  /// Lets no later step be on the disk before the earlier ones.
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
  /// Makes the folder in which a store is written, and removes others for the same store that nobody
  /// uses any more, after what they hold of a former store was put back.
  package convenience init(path: String, forStoreAt store: String) throws(Errno) {
    try self.init(path: path, for: store, recovery: Self.recoverStore)
  }

  /// Removes folders for a store that nobody uses any more, after what they hold of a former store was
  /// put back.
  static func removeAbandoned(forStoreAt store: String, isPlaceLocked: Bool = false) {
    removeAbandoned(for: store, isPlaceLocked: isPlaceLocked, recovery: recoverStore)
  }

  private static func recoverStore(_ store: String, in folder: String, isLocked: Bool) throws {
    try DraftCompanions(ofStoreAt: store, draftIn: folder).recover {
      isLocked ? nil : try lockPlace(of: store, patience: FolderLock.patience)
    }
  }
}
