import Synchronization

/// Files that are made on the way and are nobody's business, told to whoever removes them when the
/// program is ended by a signal.
package enum TemporaryFiles {
  /// Takes paths of files, and of their folder behind them, and gives what forgets them again.
  package typealias Registrar = @Sendable ([String]) -> @Sendable () -> Void

  /// Paths that somebody remembers.
  package struct Registration: Sendable {
    fileprivate let forget: (@Sendable () -> Void)?

    /// Forgets them, for they are gone.
    package func end() { forget?() }
  }

  private static let registrar = Mutex<Registrar?>(nil)

  /// Chooses who is told; nil for nobody.
  package static func tell(_ registrar: Registrar?) {
    Self.registrar.withLock { $0 = registrar }
  }

  /// Tells of files that are about to be made.
  static func register(_ paths: [String]) -> Registration {
    Registration(forget: registrar.withLock { $0 }?(paths))
  }
}
