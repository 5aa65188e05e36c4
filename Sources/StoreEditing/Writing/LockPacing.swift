import DurableFiles
import Libc
import StoreFormat
import SystemPackage

/// Decides when to leave the write lock to other programs while work takes it again and again.
///
/// A program that waits for SQLite's lock sleeps and polls: in the first eighth of a second at least
/// every 25 ms, later more and more rarely. It hardly ever notices a lock that is free for a moment
/// only, and a waiting program leaves no trace, so it is not enough to look at recent saves. If no other
/// program has the store open, there is nobody to wait for.
struct LockPacing {
  /// How long a batch holds the write lock at most if nobody else writes, and if somebody does, in seconds.
  static let hold = (alone: 0.028, shared: 0.022)
  /// The first batch is small because the speed of the disk is not known yet.
  static let firstHold = 0.008
  /// A commit that readers delay is given up after this time, so that others get their turn.
  static let longestHold = 0.045
  /// How often a locked store is tried again: often, because a program that saves without a pause
  /// releases the lock for an instant only.
  static let pollInterval = 0.000_5
  /// Longer than the longest sleep of a program that began to wait a moment ago, in seconds.
  private static let rest = 0.030
  /// How long a program that has saved is expected to save again, in seconds.
  private static let memory = 1.0
  /// How long to take the lock again and again while no other program was seen, in seconds.
  private static let longestRun = 0.4
  /// The first turns leave the lock to others in any case, to find out whether there are any.
  private static let cautiousTurns = 1...2

  private let sharing: StoreSharing
  /// Whether to rest after every hold because the lock keeps readers out too, as with a rollback
  /// journal.
  private let keepsReadersOut: Bool
  private var version: Int64?
  private var turns = 0
  private var lastSeen: ContinuousClock.Instant?
  private var lastRest = ContinuousClock.now

  init(_ location: StoreLocation, keepsReadersOut: Bool) {
    sharing = StoreSharing(location)
    self.keepsReadersOut = keepsReadersOut
  }

  /// Whether another program is saving.
  var isShared: Bool { lastSeen.map { $0.secondsAgo < Self.memory } ?? false }

  /// Remembers that another program held the lock.
  mutating func noticeLock() { lastSeen = .now }

  /// Waits, before the lock is taken, if it is time to leave it to others.
  ///
  /// - Parameter version: SQLite's present count of what others have saved.
  mutating func yield(version: Int64) {
    if let before = self.version, before != version { lastSeen = .now }
    self.version = version
    defer { turns += 1 }
    guard
      isShared || keepsReadersOut || Self.cautiousTurns.contains(turns)
        || lastRest.secondsAgo > Self.longestRun
    else { return }
    if isShared || sharing.isOpenElsewhere ?? true { Pause.take(seconds: Self.rest) }
    lastRest = .now
  }
}

/// Detects whether other processes have a store open, idle ones too; other connections of this process
/// are noticed when they save.
///
/// Every connection to a store with a write-ahead log keeps a shared lock on one byte of the `-shm`
/// for as long as it lives (byte 128, `UNIX_SHM_DMS` in SQLite's `os_unix.c`). Asking for that lock
/// through a descriptor would drop this process's own when the descriptor is closed, so this reads the
/// kernel's list of all locks. Only Linux has one.
struct StoreSharing {
  private static let list: FilePath = "/proc/locks"
  /// The maximum length of a list, in bytes; a longer one is ignored.
  private static let longestList = 1 << 20
  private static let lockedByte: Int64 = 128
  /// The outermost process namespace, by the inode number that the kernel gives it
  /// (`PROC_PID_INIT_INO`). In other namespaces the list omits the locks of processes that are not
  /// visible, such as those of an app in another container.
  private static let processSpace = (path: "/proc/self/ns/pid", outermost: 0xEFFF_FFFC as UInt64)

  private let location: StoreLocation

  init(_ location: StoreLocation) { self.location = location }

  /// Whether another process has the store open; `nil` if that cannot be determined.
  ///
  /// This process must have the store open itself: the list is trusted only if its own lock is in it.
  /// If the list cannot be read, the caller assumes that the store is shared.
  var isOpenElsewhere: Bool? {
    guard
      (try? FileStatus(path: Self.processSpace.path))?.identity.inode
        == Self.processSpace.outermost,
      let shared = try? FileStatus(path: location.sharedMemoryPath), let text = Self.locks()
    else { return nil }
    return Self.isHeldElsewhere(inode: shared.identity.inode, process: getpid(), in: text)
  }

  /// Searches the kernel's list, whose lines look like
  /// `1: POSIX  ADVISORY  READ 5433 08:01:7864448 128 128`.
  ///
  /// Locks of one process on adjacent bytes are one line.
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
    // Files on several file systems may have the same inode number.
    let own = "\(process)"
    let files = holders.values.filter { $0.contains { $0 == own } }
    return files.isEmpty ? nil : files.contains { $0.count > 1 }
  }

  private static func locks() -> String? {
    guard let bytes = try? ReadableFile(list).readPrefix(longestList),
      bytes.count < longestList
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
