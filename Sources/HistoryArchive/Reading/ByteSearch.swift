/// Looks for a word in bytes, mostly a whole word's length at a step (Horspool's way).
struct ByteSearch: Sendable {
  private let word: [UInt8]
  /// How far to go on from a place by the byte that stands under the word's last.
  private let steps: [Int]

  /// - Parameter word: What to look for; not empty.
  init(_ word: [UInt8]) {
    self.word = word
    var steps = [Int](repeating: max(word.count, 1), count: 256)
    for (index, byte) in word.dropLast().enumerated() { steps[Int(byte)] = word.count - 1 - index }
    self.steps = steps
  }

  /// Whether the word occurs.
  func occurs(in bytes: UnsafeRawBufferPointer) -> Bool {
    let last = word.count - 1
    guard last >= 0 else { return true }
    return word.withUnsafeBufferPointer { word in
      steps.withUnsafeBufferPointer { steps in
        var place = last
        while place < bytes.count {
          let byte = bytes[place]
          if byte == word[last] {
            var back = 1
            while back <= last, bytes[place &- back] == word[last &- back] { back &+= 1 }
            if back > last { return true }
          }
          place &+= steps[Int(byte)]
        }
        return false
      }
    }
  }
}
