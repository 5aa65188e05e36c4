import TestSupport
import Testing

@testable import histctl

/// The quick reading of a command line says what the argument parser says, or nothing.
@Suite struct QuickStartTests {
  @Test("On thousands of lines, right and wrong ones, it agrees with the argument parser")
  func agreement() throws {
    var generator = SeededGenerator(seed: 20_261_121)
    var understood = 0
    for _ in 0..<4000 {
      let line = Self.line(&generator)
      guard let quick = QuickStart.command(line) else { continue }
      understood += 1
      let parsed = try CommandLineParser.parse(line)
      #expect(String(describing: quick) == String(describing: parsed), "\(line)")
    }
    #expect(understood > 250)
  }

  @Test(
    "Every option that a command has is understood, each form of it",
    arguments: [
      "log s -n 20", "log s --after 1 --until=2 --author a --author b --not-author=c --no-author",
      "log --bundle b --process p --entity E --kind delete --object E/p1 --attribute x s",
      "log s --reverse --changes --only-matching --follow --bookmark-file f --busy-timeout 0.5",
      "log s --json --qualified --date utc --color never --no-pager -q", "show s last --quiet",
      "log s --archive d --store-identifier=x", "show s 1 --archive=d",
      "token check s 1 --archive d",
      "show s -- 1", "token check s 1 2 @a", "complete token --store s --bookmark-file f",
    ])
  func understood(line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let quick = QuickStart.command(words)
    // What stands behind `--` is the parser's.
    #expect((quick == nil) == words.contains("--"))
    if let quick {
      #expect(try String(describing: quick) == String(describing: CommandLineParser.parse(words)))
    }
  }

  @Test(
    "What is not plain is left to the argument parser",
    arguments: [
      "", "log", "log --help", "log s -n", "log s -n x", "log s -n -1", "log s --author",
      "log s --author --json", "log s --nonsense", "log s extra", "log s --kind rename",
      "log s --date soon", "log s --busy-timeout -1", "log s --busy-timeout 1e9",
      "log s --follow --until 3", "log s --json=yes", "show s", "show s 1 2", "token check s",
      "token", "token show s 1", "info s", "lgo s", "complete rename --store s", "complete token",
    ])
  func left(line: String) {
    #expect(QuickStart.command(line.split(separator: " ").map(String.init)) == nil)
  }

  /// A line of one of the commands with any words of all of them, now and then cut or disturbed.
  private static func line(_ generator: inout SeededGenerator) -> [String] {
    let commands = [["log"], ["show"], ["token", "check"], ["complete"]]
    let options = [
      "--after", "--until", "--author", "--not-author", "--bundle", "--process", "--entity",
      "--object", "--attribute", "--bookmark-file", "--store", "--archive", "--store-identifier",
    ]
    let flags = [
      "--no-author", "--reverse", "--changes", "--only-matching", "--follow", "--json",
      "--qualified", "--no-pager", "--quiet", "-q",
    ]
    let chosen: [(String, [String])] = [
      ("--kind", ["insert", "update", "delete", "other"]), ("-n", ["0", "7", "20", "x", "-1"]),
      ("--date", ["utc", "local", "raw", "never"]), ("--color", ["auto", "always", "red"]),
      ("--busy-timeout", ["0", "1.5", "nan", "5s", "90000"]),
    ]
    let values = ["a", "Trip/p1", "@name", "2w", "", "two words", "x=y", "-", "--", "é"]
    var words: [[String]] = []
    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: words.append([flags.randomElement(using: &generator) ?? ""])
      case 1:
        let (name, choices) = chosen.randomElement(using: &generator) ?? ("", [])
        words.append([name, choices.randomElement(using: &generator) ?? ""])
      default:
        let name = options.randomElement(using: &generator) ?? ""
        let value = values.randomElement(using: &generator) ?? ""
        words.append(Bool.random(using: &generator) ? [name, value] : ["\(name)=\(value)"])
      }
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      words.insert(
        [["s.store", "12", "last~3", "token"].randomElement(using: &generator) ?? ""],
        at: Int.random(in: 0...words.count, using: &generator))
    }
    var line = (commands.randomElement(using: &generator) ?? []) + words.flatMap { $0 }
    if Int.random(in: 0..<10, using: &generator) == 0 { line.removeLast() }
    return line
  }
}
