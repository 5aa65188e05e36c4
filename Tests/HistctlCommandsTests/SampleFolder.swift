import TestSupport

/// A folder with a copy of the sample store, in which histctl runs as a person would run it there.
struct SampleFolder {
  static let name = "sample.store"
  static let identifier = StoreWriter.identifier

  private static let bytes = Result { () throws -> [UInt8] in
    let folder = try TemporaryFolder()
    return try FileBytes.read(SampleStore.write(to: folder.file(name)))
  }

  let folder: TemporaryFolder
  var store: String { folder.file(Self.name) }

  init() throws {
    folder = try TemporaryFolder()
    try FileBytes.write(try Self.bytes.get(), to: folder.file(Self.name))
  }

  /// Runs a command line in which blanks separate the arguments.
  func run(
    _ line: String, input: String = "", environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    try await run(
      line.split(separator: " ").map(String.init), input: input, environment: environment)
  }

  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    try await InProcess.run(
      arguments, input: input, environment: environment, folder: folder.path)
  }

  /// Runs SQL on the store with the sqlite3 program, which knows nothing of our code.
  func sqlite(_ sql: String) async throws {
    guard let sqlite = Tool("sqlite3") else { throw Missing(what: "sqlite3") }
    let result = try await sqlite.run([store, sql])
    if result.status != 0 { throw Missing(what: result.errors) }
  }

  struct Missing: Error { let what: String }
}
