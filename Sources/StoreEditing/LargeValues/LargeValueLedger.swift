import StoreFormat
import Synchronization

/// The files that saves have written and made superfluous, as long as it is not settled that they are.
///
/// Such saves are part of a migration, or of a store that waits for the disk only when it is closed: a
/// loss of power may bring back the rows that named the files.
final class LargeValueLedger: Sendable {
  private struct Names {
    var written: Set<LargeValueName> = []
    var replaced: Set<LargeValueName> = []
  }

  private let names = Mutex(Names())

  /// Notes the files of a save.
  ///
  /// - Parameter written: What is superfluous where none of the saves has happened.
  func note(written: Set<LargeValueName> = [], replaced: Set<LargeValueName>) {
    names.withLock {
      $0.written.formUnion(written)
      $0.replaced.formUnion(replaced)
    }
  }

  /// Removes what was made superfluous: all of it is settled.
  func settle(in folder: LargeValueFolder) { folder.remove(take().replaced) }

  /// Removes what was written: none of it has happened.
  func discard(in folder: LargeValueFolder) { folder.remove(take().written) }

  /// Forgets everything: it is not known what has happened.
  func forget() { _ = take() }

  private func take() -> Names {
    names.withLock { names in
      defer { names = Names() }
      return names
    }
  }
}
