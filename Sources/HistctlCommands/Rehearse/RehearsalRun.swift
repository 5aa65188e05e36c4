import Terminal

/// Copies while a person watches, and ends in good order when a signal says so.
struct RehearsalRun {
  let session: Session

  /// Runs a body that tells how many bytes it has copied.
  func run<Result>(_ body: (_ progress: (Int64) throws -> Void) throws -> Result) throws -> Result {
    let progress = session.diagnostics.wordWriter.map {
      Progress(label: "copying", unit: "MiB", environment: session.environment, diagnostics: $0)
    }
    defer { progress?.finish() }
    return try DeferredSignals.run {
      try body { bytes in
        try DeferredSignals.check()
        progress?.update(bytes >> 20)
      }
    }
  }
}
