import TestSupport
import Testing

/// Checks lines of JSON against a published schema, with Python's jsonschema.
enum SchemaCheck {
  /// Whether Python has the package, which takes a quarter of a second to find out.
  private static let isPossible = Task {
    try await Tool("python3")?.run(["-c", "import jsonschema"]).status == 0
  }

  /// Expects that lines fit the schema of reports; where this machine cannot tell, that is no failure.
  static func expectFits(
    _ lines: String, schema: String = "man/histctl-reports.schema.json",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    guard let python = Tool("python3"), try await isPossible.value else { return }
    let check = try await python.run(
      [Manual.path("Tests/Tools/validate_lines.py"), "--schema", Manual.path(schema)], input: lines)
    #expect(check.status == 0, "\(check.errors)", sourceLocation: sourceLocation)
  }
}
