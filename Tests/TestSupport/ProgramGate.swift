/// Lets so many programs run at a time, in the order in which they come.
///
/// All tests begin at once, and each run has memory of its own for what the program writes: without a
/// gate there would be so much of it that the process could not be forked any more.
package actor ProgramGate {
  static let shared = ProgramGate(places: 40)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(places: Int) { free = places }

  /// Waits for a place.
  package func enter() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives a place back, to who has waited longest.
  package func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
