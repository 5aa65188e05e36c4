import ArgumentParser

/// A choice among a few words on the command line.
///
/// The argument parser would find out the words by reflection, in every run and for every choice.
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable, Sendable
where RawValue == String {}

extension WordArgument {
  /// The words, in the order of declaration.
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }

  /// The word, as help shows a default.
  package var defaultValueDescription: String { rawValue }
}
