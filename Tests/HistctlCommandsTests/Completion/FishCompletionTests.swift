import Foundation
import TestSupport
import Testing

/// The completion of fish, asked through fish itself.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("fish") != nil))
struct FishCompletionTests {
  /// What fish offers for a line, with its notes.
  private static func complete(
    _ line: String, in folder: TemporaryFolder
  ) async throws -> [String] {
    let fish = try #require(Tool("fish"))
    let result = try await fish.run(
      [
        "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
        Manual.path("completions/histctl.fish"), line,
      ],
      environment: [
        "PATH": Manual.searchPath, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
      ],
      folder: folder.path)
    #expect(result.errors == "")
    #expect(try !folder.names().contains("pwned"))
    return result.lines
  }

  private static func values(_ lines: [String]) -> [String] {
    lines.map { line in line.prefix { $0 != "\t" } }.map(String.init)
  }

  @Test(arguments: [
    ("histctl token ", ["check", "show"]),
    ("histctl bookmark ", ["check", "list", "remove", "set"]),
    ("histctl token check --d", ["--date"]),
    ("histctl log --date ", ["local", "raw", "relative", "utc"]),
    ("histctl log --date=u", ["--date=utc"]),
    ("histctl log x.store --kind ", ["delete", "insert", "update"]),
    ("histctl log --busy-timeout ", []),
    ("histctl info x.store ", []),
    ("histctl help sna", ["snapshot"]), ("histctl completion ", ["bash", "fish", "zsh"]),
  ])
  func `options and their values are completed`(_ line: String, _ words: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(Self.values(try await Self.complete(line, in: folder)).sorted() == words)
  }

  @Test func `only folders are completed for a folder`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    try FileManager.default.createDirectory(
      atPath: folder.file("my folder"), withIntermediateDirectories: false)
    #expect(
      Self.values(try await Self.complete("histctl demo my", in: folder)) == ["my folder/"])
  }

  /// Types a line and a tab in an interactive fish: `complete -C` has no cursor, which the parser's
  /// script asks for.
  private static let driver = #"""
    import os, pty, re, select, sys, time
    pid, terminal = pty.fork()
    if pid == 0:
        prompt = "function fish_prompt; printf 'fish> '; end"
        os.execvp(sys.argv[1], [sys.argv[1], "--no-config", "-C", prompt])
    def read(seconds, words=None):
        data, end = b"", time.time() + seconds
        while time.time() < end and (words is None or words not in data):
            if select.select([terminal], [], [], 0.1)[0]:
                try: data += os.read(terminal, 65536)
                except OSError: break
        return data
    read(20, b"fish> ")
    os.write(terminal, b"source %s; echo REA''DY\r" % sys.argv[2].encode())
    read(20, b"READY")
    os.write(terminal, sys.argv[3].encode() + b"\t")
    shown = read(20, sys.argv[4].encode())
    os.write(terminal, b"\x03exit\r")
    print(re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown).decode(errors="replace"))
    """#

  @Test(
    .enabled(if: Tool("python3") != nil),
    arguments: [
      (#"histctl log my\ store.store --author "#, "semi;touch pwned"),
      (#"histctl show my\ store.store @w"#, "@widget"),
      (#"histctl log my\ store.store --after fi"#, "first "),
    ])
  func `values of the store are completed`(_ line: String, _ value: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let python = try #require(Tool("python3"))
    let fish = try #require(Tool("fish"))
    let result = try await python.run(
      [
        "-c", Self.driver, fish.path, Manual.path("completions/histctl.fish"), line, value,
      ],
      environment: [
        "PATH": Manual.searchPath, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
        "TERM": "xterm", "COLUMNS": "200",
      ], folder: folder.path)
    #expect(result.text.contains(value), "\(result.text)")
    #expect(try !folder.names().contains("pwned"))
  }

  @Test func `a line is completed without a terminal`() async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    let found = try await Self.complete(#"histctl log my\ store.store --entity T"#, in: folder)
    #expect(Self.values(found).contains("Trip"), "\(found)")
    for ending in ["", "-wal", "-shm", "-values.db"] {
      try FileBytes.write([], to: folder.file("x.store" + ending))
    }
    #expect(Self.values(try await Self.complete("histctl info x", in: folder)) == ["x.store"])
  }

  @Test(arguments: ["histctl log my", "histctl log --bookmark-file my"])
  func `files are completed`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    try CompletionStore.write(in: folder)
    #expect(Self.values(try await Self.complete(line, in: folder)).contains("my store.store"))
  }
}
