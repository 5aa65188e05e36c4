import Testing

extension Trait where Self == TimeLimitTrait {
  /// The time limit of every suite: a test that waits for something that does not happen fails, and is named.
  ///
  /// All tests begin at once and share few cores, so that a test of milliseconds may take as long as the whole run.
  /// The limit is several times that, and does not measure speed.
  package static var bounded: Self { .timeLimit(.minutes(30)) }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test that measures memory, needs much data or repeats commands a hundred times where nothing is
  /// optimized: `make quick-test`.
  package static var needsOptimization: Self {
    .disabled(if: Campaign.isQuick, "it takes long without optimization")
  }

  /// Skips a test where there are no ``RealStores``.
  package static var needsRealStores: Self {
    .enabled(if: !RealStores.paths.isEmpty, "there are no real stores here")
  }
}
