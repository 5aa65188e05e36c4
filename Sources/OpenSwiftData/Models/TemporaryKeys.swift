import Foundation
import Synchronization

/// Hands out the keys of models that are not saved yet.
///
/// They are unique like random ones, and ask the system for random bits only once.
enum TemporaryKeys {
  private static let process = UInt64.random(in: .min ... .max)
  private static let count = Atomic<UInt64>(0)

  /// A key that no other model has, of this program or another one.
  static func next() -> UUID {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return withUnsafeBytes(of: (process.bigEndian, number.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
