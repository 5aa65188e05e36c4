import Dispatch
import Foundation

/// The main queue, which is that of the main actor.
enum MainQueue {
  private static let mark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the code that asks runs there.
  ///
  /// On Linux the queue may be served by other threads than the main one, once an asynchronous
  /// program has begun.
  static var isCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil
  }
}
