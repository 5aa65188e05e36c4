import ArgumentParser

/// What a shell can ask a store for.
///
/// An option or argument whose value is named like one of these is completed with it.
enum SuggestionKind: String, WordArgument {
  case attribute, author, bookmark, bundle, entity, object, process, token
}
