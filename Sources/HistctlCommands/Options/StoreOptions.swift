import ArgumentParser
import DurableFiles
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import SystemPackage

/// The store of a command, and how to open it.
struct StoreOptions: ParsableArguments, StoreAccess {
  @Argument(help: "The store file.", completion: .store)
  var store: String

  @Option(help: .bookmarkFile, completion: .file()) var bookmarkFile: String?

  @Option(help: .busyTimeout) var busyTimeout: Double = 5

  func validate() throws {
    try Self.validate(busyTimeout: busyTimeout)
    try Self.check(bookmarkFile, isNotOf: [store])
  }

  /// Rejects a store that is given as the file of bookmarks.
  static func check(_ bookmarkFile: String?, isNotOf stores: [String]) throws {
    guard let bookmarkFile else { return }
    for store in stores where store != ExportedText.standardInput {
      guard BookmarkFile.isFile(bookmarkFile, ofStoreAt: store) else { continue }
      throw ValidationError(
        "--bookmark-file names \(store) or a file that belongs to it; name another file")
    }
  }

  /// The times to wait that are allowed, in seconds.
  static let busyTimeouts = 0.0...86_400

  /// Checks a time to wait.
  static func validate(busyTimeout: Double) throws {
    guard busyTimeouts.contains(busyTimeout) else {
      throw ValidationError("--busy-timeout must be 0 to 86400 seconds")
    }
  }

  /// Returns the file with the bookmarks of the store.
  func bookmarkPath(beside location: StoreLocation) -> String {
    bookmarkFile ?? BookmarkFile.path(besideStore: location.resolvedPath)
  }
}

/// Options that say how stores are opened.
protocol StoreAccess {
  var bookmarkFile: String? { get }
  var busyTimeout: Double { get }
}

extension StoreAccess {
  /// Returns what an operation on a store needs.
  func context(
    _ path: String, _ session: Session, _ observer: @escaping OperationObserver
  ) -> StoreContext {
    StoreContext(
      path, busyTimeout: busyTimeout, bookmarkPath: bookmarkFile, now: session.now,
      observer: observer)
  }
}

/// The help of options that several groups have.
extension ArgumentHelp {
  static let bookmarkFile = ArgumentHelp(
    "Use this file of bookmarks instead of STORE-bookmarks.json.", valueName: "file")

  static let busyTimeout = ArgumentHelp("Seconds to wait for a locked store.", valueName: "seconds")
}

/// The stores of a command, and how to open them.
struct SeveralStoresOptions: ParsableArguments, StoreAccess {
  @Argument(value: .store, help: "The store files.")
  var stores: [String] = []

  @Option(
    value: .file,
    help: "Also the stores whose paths FILE lists, by lines or NUL bytes; - is standard input.")
  var storesFrom: String?

  @Option(help: .bookmarkFile, completion: .file()) var bookmarkFile: String?

  @Option(help: .busyTimeout) var busyTimeout: Double = 5

  func validate() throws {
    try StoreOptions.validate(busyTimeout: busyTimeout)
    try StoreOptions.check(bookmarkFile, isNotOf: stores)
    if stores.isEmpty, storesFrom == nil {
      throw ValidationError("give a STORE, or a list of stores with --stores-from")
    }
  }

  /// Whether several stores are on the command line.
  var areSeveral: Bool { stores.count > 1 }

  /// Divides the words of a command line into the stores and a range of tokens after them.
  ///
  /// - Throws: `ValidationError` if the last word is meant as a token and is not a range.
  func dividingRange() throws -> (stores: SeveralStoresOptions, range: TokenRange?) {
    guard let last = stores.last, stores.count > 1 || storesFrom != nil,
      last == ".." || (try? FileStatus(path: last)) == nil
    else { return (self, nil) }
    let isToken = (try? TokenExpression(last, now: .now())) != nil
    guard isToken || last.contains("..") && !last.hasPrefix("../") else { return (self, nil) }
    var stores = self
    stores.stores.removeLast()
    return (stores, try TokenRange(option: last))
  }

  /// Returns the stores that were given and those of the list, which is read, each once.
  ///
  /// - Throws: ``EndWithStatus`` if the list is empty and no store was given: then there is nothing to do.
  func paths(_ session: Session) throws -> [String] {
    let listed = try storesFrom.map(StoreList.paths) ?? []
    try StoreOptions.check(bookmarkFile, isNotOf: listed)
    session.listedStores = Set(listed.map { FilePath($0) }).subtracting(stores.map { FilePath($0) })
    // A file itself, which may have several names, and a path where nothing exists.
    var files: Set<FileStatus.Identity> = []
    var others: Set<FilePath> = []
    let paths = (stores + listed).filter { path in
      if path != ExportedText.standardInput, let status = try? FileStatus(path: path) {
        return files.insert(status.identity).inserted
      }
      let place = path == ExportedText.standardInput ? path : FileStatus.resolvedPlace(path)
      return others.insert(FilePath(place)).inserted
    }
    if paths.isEmpty {
      let list = storesFrom.map { $0 == "-" ? "standard input" : $0 } ?? "it"
      session.diagnostics.warn(
        "the list of stores is empty: nothing to do", kind: "emptyList",
        hint: "check what writes the list to \(list)")
      throw EndWithStatus(status: .success)
    }
    return paths
  }
}

/// Whether to read a private copy of each store.
struct PrivateCopyOptions: ParsableArguments {
  @Option(
    value: .folder, help: "Copy the store and its files below DIR first, and read only the copy.")
  var privateCopy: String?

  func validate() throws {
    if privateCopy == "" { throw ValidationError("--private-copy needs the name of a folder") }
  }

  /// Returns the folder for copies; `nil` to read the stores themselves.
  func folder() throws -> String? {
    guard let privateCopy else { return nil }
    guard MissingFolders.isFolder(privateCopy) else {
      throw OperationError(
        .missing, "no folder at \(privateCopy)",
        hint: "make the folder first; private copies are kept in it")
    }
    return privateCopy
  }
}

/// What may be made at a path.
enum NewPlace: String {
  case file
  case folder

  /// Refuses `-`, which is a stream for other options; a file or folder would get that name.
  func check(_ path: String?, of argument: String) throws {
    guard path == "-" else { return }
    throw ValidationError(
      "\(argument) needs a \(rawValue), and - is a stream; for a \(rawValue) of that name, "
        + "write ./-")
  }
}

/// Where to write a copy of a store.
struct CopyOptions: ParsableArguments {
  @Option(name: .output, value: .init("copy", .file()), help: "The file to write the copy to.")
  var path: String

  @Flag(help: "Replace an existing store.")
  var overwrite = false

  func validate() throws { try Self.check(path) }

  /// Refuses a name that is not that of a store.
  static func check(_ path: String) throws {
    try NewPlace.file.check(path, of: "--output")
    if let ending = FileEnding.packing(of: path) {
      throw ValidationError(
        "the name \(path) ends in .\(ending), and the copy is a store, which is not compressed; name it "
          + "otherwise, and compress it afterwards")
    }
  }
}

/// The archive of a store.
struct ArchiveOptions: ParsableArguments {
  @Option(value: .folder, help: "Read history that the store has pruned from this archive.")
  var archive: String?

  @Option(value: "identifier", help: "The store to read, if an archive of several is given.")
  var storeIdentifier: String?
}

/// A list of paths, as `find` writes it.
enum StoreList {
  /// The longest list that is read, in bytes.
  private static let longest = 64 << 20

  /// Returns the paths in a file: separated by NUL bytes where it has one, else by line ends. Empty ones are
  /// left out.
  ///
  /// - Parameter file: The path of the file; `-` is standard input.
  /// - Throws: ``OperationError``.
  static func paths(in file: String) throws -> [String] {
    let bytes: [UInt8]
    do {
      bytes = try read(file)
    } catch let error as Errno {
      throw OperationError(
        .unreadable, "cannot read the list of stores in \(file): \(error)",
        hint: "check the path; - is standard input")
    }
    let separator: UInt8 = bytes.contains(0) ? 0 : 0x0A
    // The forms in which `find` shows stores to people and programs.
    if bytes.starts(with: Array("NEWEST ".utf8)) || bytes.starts(with: Array("{\"schema\"".utf8)) {
      throw OperationError(
        .unreadable, "the list of stores in \(file) has more than paths",
        hint: "write it with: histctl find -0 PATH")
    }
    return bytes.split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func read(_ file: String) throws -> [UInt8] {
    let input = file == "-" ? nil : try ReadableFile(anyAt: FilePath(file))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try buffer.withUnsafeMutableBytes({
      try input?.read(into: $0) ?? FileDescriptor.standardInput.read(into: $0)
    }), count > 0 {
      bytes += buffer[..<count]
      guard bytes.count <= longest else {
        throw OperationError(
          .unreadable, "the list of stores in \(file) is longer than \(longest >> 20) MiB",
          hint: "give a file with one path a line")
      }
    }
    return bytes
  }
}
