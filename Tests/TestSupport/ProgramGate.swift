/// Limits how many programs run at a time, first come, first served.
///
/// All tests begin at once. Without a limit, hundreds of programs would compete for a few cores, and
/// their output would fill the memory of the tests.
package actor ProgramGate {
  static let shared = ProgramGate(places: 12)

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

  /// Returns a place to the caller that has waited longest.
  package func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
