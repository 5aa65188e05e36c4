#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Which pager to start, and how.
package struct PagerCommand: Equatable, Sendable {
  /// Words that a shell knows without a program of that name.
  private static let shellWords: Set<String> = ["exec", "command", "eval", "test"]

  /// The program and its arguments.
  package var arguments: [String]

  /// Variables that the pager gets besides the inherited ones.
  package var variables: [String: String]

  /// Whether the user named this pager, and wants to hear of it where it cannot be started.
  package var isChosenByUser: Bool

  /// What to call it in a message.
  package var name: String

  /// Chooses the pager; nil where output is not a terminal or the user wants none.
  ///
  /// A program with more rights than its caller starts no program that the caller names.
  package init?(environment: TerminalEnvironment) {
    guard environment.isOutputTerminal, !environment.isDumb else { return nil }
    let chosen = environment.isPrivileged ? nil : environment.pagerCommand
    let command = (chosen ?? "less").trimmingSpaces
    guard !command.isEmpty, command != "cat" else { return nil }

    name = command
    isChosenByUser = chosen != nil
    if environment.isPrivileged {
      arguments = ["/usr/bin/less"]
    } else if command.utf8.allSatisfy(Self.isPlain) {
      arguments = [command]
    } else {
      arguments = ["/bin/sh", "-c", command]
    }

    variables = [:]
    // F: leave when all fits on the screen. R: show colours. X: leave the text on the screen.
    if !environment.hasLessOptions || environment.isPrivileged { variables["LESS"] = "FRX" }
    if !environment.hasLessCharacterSet { variables["LESSCHARSET"] = "utf-8" }
    // Without it `less` starts shells and editors, with rights that the user does not have.
    if environment.isPrivileged { variables["LESSSECURE"] = "1" }
  }

  /// Whether a command that goes through the shell begins with a program that is not there.
  ///
  /// The shell would find out too late: by then the output has gone into its pipe.
  package func lacksProgram(searchPath: String?) -> Bool {
    guard arguments.first == "/bin/sh", let command = arguments.last else { return false }
    let word = String(command.prefix { $0 != " " })
    // Anything quoted or expanded is the shell's business.
    guard word.utf8.allSatisfy(Self.isPlain), !Self.shellWords.contains(word) else { return false }
    if word.utf8.contains(UInt8(ascii: "/")) { return access(word, X_OK) != 0 }
    let folders = (searchPath ?? "/usr/bin:/bin").split(separator: ":")
    return !folders.contains { access("\($0)/\(word)", X_OK) == 0 }
  }

  /// Whether a byte means itself to a shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
    case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ","): true
    default: false
    }
  }
}

extension String {
  /// The text without spaces, tabs and newlines at its ends.
  fileprivate var trimmingSpaces: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
