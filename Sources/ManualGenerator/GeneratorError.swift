/// What keeps pages and completions from being made, and what to do about it.
struct GeneratorError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
