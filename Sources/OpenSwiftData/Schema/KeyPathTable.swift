import Synchronization

/// Remembers which property a key path leads to, by the key path's identity.
///
/// To hash and compare key paths takes longer than all else about reading a property. But each literal
/// of a program is one object from its first use on, and a class is used through few of them. There is
/// room for a fixed number; what finds none is looked up as before.
final class KeyPathTable: @unchecked Sendable {
  /// How many literals of one property there is room for, on average.
  private static let literalsPerProperty = 16
  /// How many places are looked at before a key path counts as unknown.
  private static let longestProbe = 8
  /// An entry holds an address in its upper bits and the number of a property in its lower ones.
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

  /// The number of the property that a key path leads to; nil where it was not remembered.
  func number(of keyPath: AnyKeyPath) -> Int? {
    let address = Self.address(of: keyPath)
    var place = Self.firstPlace(address)
    for _ in 0..<Self.longestProbe {
      // An entry is complete in itself and never changes, so that no order has to be kept.
      let entry = entries[place & (entries.count - 1)].load(ordering: .relaxed)
      if entry == 0 { return nil }
      if entry >> Self.numberBits == address { return Int(entry & ((1 << Self.numberBits) - 1)) }
      place += 1
    }
    return nil
  }

  /// Remembers the number of the property that a key path leads to, and keeps the key path, so that
  /// no other one gets its address.
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

  /// Objects stand at multiples of 16.
  private static func firstPlace(_ address: UInt64) -> Int {
    Int(truncatingIfNeeded: (address >> 4) ^ (address >> 12))
  }
}
