import StoreFormat

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct DemoRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// The 16 bytes of a UUID of version 4.
  mutating func uuid() -> [UInt8] {
    var bytes = [next(), next()].flatMap { word in
      withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
    StoreIdentifier.markRandom(&bytes)
    return bytes
  }
}
