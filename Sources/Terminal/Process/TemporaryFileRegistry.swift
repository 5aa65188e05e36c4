#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Temporary files that a signal's handler removes before the program ends, and folders that are empty
/// by then.
///
/// A handler may neither allocate nor lock, so this is a table of fixed size with room for each
/// path, made once and never freed. Entries change under a lock that only ordinary code takes.
package enum TemporaryFileRegistry {
  /// A file's place in the table.
  package struct Registration: Sendable, Equatable {
    fileprivate let slot: Int
  }

  /// Files that can be registered at a time.
  package static let capacity = 32

  /// Bytes of a path with its final NUL; a longer path could not be opened either.
  private static let pathCapacity = 4096

  private static let free: UInt8 = 0
  private static let reserved: UInt8 = 1
  private static let active: UInt8 = 2

  /// One byte for each slot: free, reserved while its path is being written, or active.
  nonisolated(unsafe) private static let states: UnsafeMutablePointer<UInt8> = {
    let states = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    states.initialize(repeating: free, count: capacity)
    return states
  }()

  nonisolated(unsafe) private static let paths: UnsafeMutablePointer<CChar> = {
    let paths = UnsafeMutablePointer<CChar>.allocate(capacity: capacity * pathCapacity)
    paths.initialize(repeating: 0, count: capacity * pathCapacity)
    return paths
  }()

  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
    return lock
  }()

  /// Registers a file that is about to be made; a signal from now on removes it.
  ///
  /// The path must be absolute or the working directory stay the same. Returns nil where the
  /// table is full or the path too long: the file is then merely left behind by a signal.
  package static func register(_ path: String) -> Registration? {
    let length = path.utf8.count
    guard length > 0, length < pathCapacity, !path.utf8.contains(0) else { return nil }
    pthread_mutex_lock(lock)
    var slot = 0
    while slot < capacity && states[slot] != free { slot += 1 }
    if slot < capacity { states[slot] = reserved }
    pthread_mutex_unlock(lock)
    guard slot < capacity else { return nil }

    _ = path.withCString { strcpy(paths + slot * pathCapacity, $0) }
    // Taking the lock orders the path's bytes before the state, for a handler on another thread.
    setState(slot, active)
    return Registration(slot: slot)
  }

  /// Forgets a file that was renamed to its final name, or removed.
  package static func unregister(_ registration: Registration) {
    setState(registration.slot, free)
  }

  /// Removes all registered files that are there, in the order of their registration as long as the
  /// table has had room, so that a folder comes behind what is in it. Safe in a signal's handler.
  package static func removeAll() {
    var slot = 0
    while slot < capacity {
      if states[slot] == active {
        let path = paths + slot * pathCapacity
        if unlink(path) != 0 { rmdir(path) }
      }
      slot += 1
    }
  }

  private static func setState(_ slot: Int, _ state: UInt8) {
    pthread_mutex_lock(lock)
    states[slot] = state
    pthread_mutex_unlock(lock)
  }
}
