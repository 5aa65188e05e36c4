import Synchronization

/// A table of the properties of key paths, by the identity of the key path.
///
/// Hashing and comparing key paths takes longer than everything else about reading a property. But
/// each literal in a program is one object from its first use on, and a class is used through few
/// of them. The table has a fixed size; a key path that does not fit is looked up by hash.
final class KeyPathTable: @unchecked Sendable {
  private static let literalsPerProperty = 16
  private static let longestProbe = 8
  private static let numberBits = 16

  private let entries: UnsafeMutableBufferPointer<Atomic<UInt64>>

  init(propertyCount: Int) {
    var capacity = 64
    while capacity < propertyCount * Self.literalsPerProperty { capacity *= 2 }
    entries = .allocate(capacity: capacity)
    for place in 0..<capacity { entries.initializeElement(at: place, to: Atomic(0)) }
  }

  deinit {
    for place in entries.indices {
      let entry = entries[place].load(ordering: .relaxed)
      if entry != 0, let address = UnsafeRawPointer(bitPattern: UInt(entry >> Self.numberBits)) {
        Unmanaged<AnyKeyPath>.fromOpaque(address).release()
      }
    }
    entries.deinitialize()
    entries.deallocate()
  }

  func number(of keyPath: AnyKeyPath) -> Int? {
    let address = Self.address(of: keyPath)
    var place = Self.firstPlace(address)
    for _ in 0..<Self.longestProbe {
      // Entries are complete and never change, so memory order is irrelevant.
      let entry = entries[place & (entries.count - 1)].load(ordering: .relaxed)
      if entry == 0 { return nil }
      if entry >> Self.numberBits == address { return Int(entry & ((1 << Self.numberBits) - 1)) }
      place += 1
    }
    return nil
  }

  /// Adds a key path, and retains it so that its address stays its own.
  func remember(_ keyPath: AnyKeyPath, number: Int) {
    let address = Self.address(of: keyPath)
    guard number < 1 << Self.numberBits, address >> (64 - Self.numberBits) == 0 else { return }
    var place = Self.firstPlace(address)
    for _ in 0..<Self.longestProbe {
      let kept = Unmanaged.passRetained(keyPath)
      let (isNew, present) = entries[place & (entries.count - 1)].compareExchange(
        expected: 0, desired: address << Self.numberBits | UInt64(number), ordering: .relaxed)
      if isNew { return }
      kept.release()
      if present >> Self.numberBits == address { return }
      place += 1
    }
  }

  private static func address(of keyPath: AnyKeyPath) -> UInt64 {
    UInt64(UInt(bitPattern: ObjectIdentifier(keyPath)))
  }

  private static func firstPlace(_ address: UInt64) -> Int {
    Int(truncatingIfNeeded: (address >> 4) ^ (address >> 12))
  }
}
