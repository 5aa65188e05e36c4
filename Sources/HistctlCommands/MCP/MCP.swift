import ArgumentParser
import HistoryOperations
import Terminal

/// `histctl mcp`: serves histories to assistants.
struct MCP: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Let assistants read histories, with the Model Context Protocol.",
    discussion: """
      Reads messages of the protocol from standard input and answers on standard output, until the \
      input ends. An assistant's program starts it; nobody types the messages. Each tool runs the \
      command of its name with --json: find, info, log, show, diff, object, blame, recover, stats, \
      token_check, bookmark_check and verify. Stores are resources as well. They only read, and only the given files and what is in the given folders.

      Examples:
        histctl mcp default.store
        histctl mcp ~/stores history-archive
      """)

  @Argument(
    value: .init("path", .store), help: "The stores, archives and folders that may be read.")
  var paths: [String]

  @Option(help: "Cut the text of an answer after SIZE (default 64K, at most 64M).")
  var maxText: ByteSize?

  /// Standard output belongs to the protocol.
  var output: OutputOptions { .usual }

  func validate() throws {
    if let maxText, maxText.bytes > 64 << 20 {
      throw ValidationError("--max-text must be 64M or less")
    }
  }

  func run(_ session: Session) throws {
    let console = session.console
    let server = MCPServer(
      tools: MCPTools(paths: try ServedPaths(paths)), textLimit: Int(maxText?.bytes ?? 1 << 20),
      input: console.input)
    if console.terminal.isInputTerminal {
      session.diagnostics.note(
        "waiting for messages of the Model Context Protocol, one a line")
    }
    try console.write { writer in
      writer.flushesEachLine = true
      if console.terminal.isOutputTerminal { writer.guardedForm = .json }
      try server.run(writer)
    }
  }
}
