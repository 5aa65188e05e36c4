import StoreFormat
import Synchronization

/// Tells a program when a batch changes a store, so that a signal can wait until the caller knows what
/// the batch has done.
///
/// A batch takes some hundredths of a second. A program that ends in the middle of one cannot say
/// whether SQLite had committed it.
package enum BatchHold {
  /// Is called with `true` when a batch has taken the write lock, and with `false` when the caller
  /// knows how the batch ended.
  package typealias Observer = @Sendable (_ isHeld: Bool) -> Void

  private static let observer = Mutex<Observer?>(nil)

  /// Chooses the observer; `nil` for none.
  package static func observe(_ observer: Observer?) {
    Self.observer.withLock { $0 = observer }
  }

  static func begin() { observer.withLock { $0 }?(true) }

  static func end() { observer.withLock { $0 }?(false) }
}
