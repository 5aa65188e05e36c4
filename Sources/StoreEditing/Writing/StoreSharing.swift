import DurableFiles
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Tells whether other processes have a store open, also those that do nothing with it just now; other
/// connections of this one are noticed when they save.
///
/// Every connection to a store with a write-ahead log keeps a shared lock on one byte of the `-shm`
/// for as long as it lives (byte 128, `UNIX_SHM_DMS` in SQLite's `os_unix.c`). To ask for that lock
/// through a descriptor would drop this process's own when the descriptor is closed, so the kernel's
/// list of all locks is read instead. Only Linux has one.
struct StoreSharing {
  private static let list: FilePath = "/proc/locks"
  /// A list that is longer is not read to its end.
  private static let longestList = 1 << 20
  private static let lockedByte: Int64 = 128
  /// The outermost of the spaces in which processes see each other, by the file number that the
  /// kernel gives it (`PROC_PID_INIT_INO`). Within others the list leaves out the locks of processes
  /// that are not seen, such as those of an app in another container.
  private static let processSpace = (path: "/proc/self/ns/pid", outermost: 0xEFFF_FFFC as UInt64)

  private let location: StoreLocation

  init(_ location: StoreLocation) { self.location = location }

  /// Whether somebody else has the store open; nil where that cannot be told.
  ///
  /// This process must have the store open itself: only where its own lock is found in the list is the
  /// list one to trust.
  var isOpenElsewhere: Bool? {
    guard (try? FileStatus(path: Self.processSpace.path))?.inode == Self.processSpace.outermost,
      let shared = try? FileStatus(path: location.sharedMemoryPath), let text = Self.locks()
    else { return nil }
    return Self.isHeldElsewhere(inode: shared.inode, process: getpid(), in: text)
  }

  /// Looks through the kernel's list, in which a line is
  /// `1: POSIX  ADVISORY  READ 5433 08:01:7864448 128 128`.
  ///
  /// Locks of one process on bytes beside each other are one line.
  static func isHeldElsewhere(inode: UInt64, process: Int32, in list: String) -> Bool? {
    let ending = ":\(inode)"
    var holders: [Substring: Set<Substring>] = [:]
    for line in list.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 8, words[1] == "POSIX", words[5].hasSuffix(ending),
        let first = Int64(words[6]), first <= lockedByte,
        Int64(words[7]) ?? .max >= lockedByte
      else { continue }
      holders[words[5], default: []].insert(words[4])
    }
    // Files of several file systems may have the same number.
    let own = "\(process)"
    let files = holders.values.filter { $0.contains { $0 == own } }
    return files.isEmpty ? nil : files.contains { $0.count > 1 }
  }

  private static func locks() -> String? {
    guard let file = try? FileDescriptor.open(list, .readOnly, options: .closeOnExec),
      let bytes = try? file.closeAfter({ try read(file) })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func read(_ file: FileDescriptor) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 1)
    defer { part.deallocate() }
    while bytes.count < longestList {
      let count = try file.read(into: part)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: part.prefix(count))
    }
    throw Errno.fileTooLarge
  }
}
