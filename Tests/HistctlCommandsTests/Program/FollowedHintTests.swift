import Foundation
import TestSupport
import Testing

/// Hints, followed: what a hint says to run or to write must not fail for the reason that it was to cure.
@Suite(
  .bounded, .needsOptimization,
  .enabled(if: Tool("python3") != nil && Tool("gzip") != nil && Tool("sh") != nil))
struct FollowedHintTests {
  /// A command line that ends with a hint, and what a person does who reads it.
  struct Situation: Sendable, CustomTestStringConvertible {
    let line: String
    /// The part of the hint that is followed.
    let words: String
    /// The command lines that follow from it, beside each `histctl …` of the hint, which is run as it is;
    /// one that begins with `!` is one of the shell.
    let then: [String]

    init(_ line: String, _ words: String, _ then: String...) {
      (self.line, self.words, self.then) = (line, words, then)
    }

    var testDescription: String { line }
  }

  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let script = """
      set -e
      gzip -k sample.store
      python3 - <<'END'
      import shutil, sqlite3, tarfile, zipfile
      shutil.copy('other.store', 'third.store')
      third = sqlite3.connect('third.store')
      third.execute("UPDATE Z_METADATA SET Z_UUID = '0A52A9D4-6B3E-4C1F-8E0B-3D1C5F7A9B21'")
      third.commit()
      with zipfile.ZipFile('z.zip', 'w') as file: file.write('other.store')
      with tarfile.open('t.tar', 'w') as file: file.add('other.store')
      END
      echo 7 > token
      '\(Tool.histctl.path)' export sample.store > lines
      '\(Tool.histctl.path)' export sample.store -o lines.jsonl
      '\(Tool.histctl.path)' archive sample.store sealed --quiet
      '\(Tool.histctl.path)' archive sample.store both --quiet
      '\(Tool.histctl.path)' archive third.store both --quiet
      mkdir packed
      gzip -c lines > packed/lines
      """
    let shell = try #require(Tool("sh"))
    let result = try await shell.run(["-c", script], folder: sample.folder.path)
    try #require(result.status == 0, "\(result.errors)")
    return sample
  }

  private static let situations: [Situation] = [
    Situation(
      "info sample.store.gz", "gunzip -k sample.store.gz",
      "!rm sample.store && gunzip -k sample.store.gz", "info sample.store"),
    Situation("info z.zip", "histctl find z.zip"),
    Situation("verify t.tar", "histctl find t.tar"),
    Situation("info lines", "histctl log - < lines"),
    Situation(
      "log both", "--store-identifier: ",
      "log both --store-identifier 0A52A9D4-6B3E-4C1F-8E0B-3D1C5F7A9B21"),
    Situation("prune packed/lines --keep-last 1", "histctl log - < packed/lines"),
    Situation(
      "prune lines.jsonl --keep-last 1",
      "log, show, diff, object, blame, export, stats, report and token check",
      "log lines.jsonl", "show lines.jsonl last", "diff lines.jsonl first", "stats lines.jsonl",
      "object lines.jsonl Trip/p9", "blame lines.jsonl Trip/p9", "export lines.jsonl",
      "report lines.jsonl -o r.html", "token check lines.jsonl last"),
    Situation(
      "prune sealed --keep-last 1",
      "info, log, show, diff, object, blame, export, stats, report, verify and token check",
      "info sealed", "log sealed", "show sealed last", "diff sealed first", "stats sealed",
      "object sealed Trip/p9", "blame sealed Trip/p9", "export sealed", "token check sealed last",
      "report sealed -o r.html", "verify sealed"),
    Situation("info smaple.store", "did you mean sample.store?", "info sample.store"),
    Situation(
      "verify nothing", "verify reads a store, or the folder of an archive", "verify sealed"),
    Situation("log sample.store 9..5", "first: 5..9", "log sample.store 5..9"),
    Situation("diff sample.store other.store", "histctl diff sample.store --with other.store"),
    Situation("info sample.store other.store", "histctl diff sample.store --with other.store"),
    Situation("show sample.store other.store", "histctl diff STORE --with COPY"),
    Situation("show sample.store token", "@./token", "show sample.store @./token"),
    Situation("token check sample.store 5x", "for example 30d", "token check sample.store 30d"),
    Situation("log sample.store -3", "write -n 3", "log sample.store -n 3"),
    Situation("log sample.store --limit 3", "'-n COUNT'", "log sample.store -n 3"),
    Situation("log sample.store --max-count=3", "'-n COUNT'", "log sample.store -n 3"),
    Situation("log sample.store --oneline", "leave it out", "log sample.store"),
    Situation(
      "log sample.store --grep Rome", "--value 'ATTRIBUTE~TEXT'",
      "log sample.store --value name~Rome"),
    Situation("log sample.store --patch", "'--changes'", "log sample.store --changes"),
    Situation("log sample.store --from 3", "'--after'", "log sample.store --after 3"),
    Situation("stats sample.store --limit 3", "'--top'", "stats sample.store --top 3"),
    Situation("log sample.store --utc", "'--date utc'", "log sample.store --date utc"),
    Situation("log sample.store --no-color", "'--color never'", "log sample.store --color never"),
    Situation("stats --sessions sample.store", "histctl stats sample.store --sessions"),
    Situation("token check sample.store -5", "last~5", "token check sample.store last~5"),
    Situation("show sample.store -5", "last~5", "show sample.store last~5"),
    Situation("log sample.store -n -3", "-n 3", "log sample.store -n 3"),
    Situation("log sample.store --after -3", "last~3", "log sample.store --after last~3"),
    Situation(
      "rehearse sample.store 5 -o missing/copy", "create its folder first",
      "!mkdir missing", "rehearse sample.store 5 -o missing/copy"),
    Situation(
      "scrub sample.store -o missing/copy --yes", "create its folder first",
      "!mkdir missing", "scrub sample.store -o missing/copy --yes"),
    Situation(
      "export sample.store -o missing/lines", "create its folder first",
      "!mkdir missing", "export sample.store -o missing/lines"),
    Situation(
      "rehearse sample.store 5 -o other.store", "--overwrite",
      "rehearse sample.store 5 -o other.store --overwrite"),
    Situation(
      "rehearse sample.store 5 -o token", "choose another path",
      "rehearse sample.store 5 -o copy.store"),
    Situation(
      "export sample.store -o token", "--overwrite", "export sample.store -o token --overwrite"),
    Situation(
      "prune sample.store --keep-last 3", "--yes", "prune sample.store --keep-last 3 --yes"),
    Situation("token check sample.store @widget", "histctl bookmark set STORE widget TOKEN"),
    Situation(
      "log sample.store --entity Tripp", "did you mean Trip?", "log sample.store --entity Trip"),
    Situation("log sample.store --entity Zebra", "histctl info STORE --model"),
    Situation("log sample.store --attribute zebra", "histctl info STORE --model"),
    Situation("log lines.jsonl --entity Zebra", "exported lines with: histctl stats LINES"),
    Situation("log lines.jsonl --attribute zebra", "exported lines with: histctl stats LINES"),
    Situation("blame sealed Zebra/p1", "an archive with: histctl info STORE --model"),
    Situation(
      "log lines.jsonl --after @widget", "name the file that has this one with --bookmark-file",
      "bookmark set sample.store widget 5 --bookmark-file b.json",
      "log lines.jsonl --after @widget --bookmark-file b.json"),
    Situation(
      "object sample.store Trip/p99", "the highest primary key ever given",
      "object sample.store Trip/p9"),
  ]

  @Test(arguments: situations)
  func `following a hint succeeds`(_ situation: Situation) async throws {
    let sample = try await Self.sample()
    let first = try await sample.run(situation.line)
    let hint = try #require(
      first.errors.split(separator: "\n").first { $0.hasPrefix("hint: ") }?.dropFirst(6),
      "\(first.errors)")
    #expect(first.status != 0 && hint.contains(situation.words), "\(first.errors)")
    let named = hint.matches(of: #/histctl ([^;,]+)/#).map { match in
      [
        "STORE": "sample.store", "COPY": "other.store", "TOKEN": "last", "ARCHIVE": "sealed",
        "LINES": "lines.jsonl",
      ]
      .reduce(String(match.1)) { $0.replacing($1.key, with: $1.value) }
    }
    let shell = try #require(Tool("sh"))
    for line in situation.then + named {
      let script =
        line.hasPrefix("!") ? String(line.dropFirst()) : "'\(Tool.histctl.path)' \(line)"
      let result = try await shell.run(["-c", script], folder: sample.folder.path)
      #expect([0, 1].contains(result.status), "\(line): \(result.errors)")
      #expect(Self.message(result) != Self.message(first), "\(line): \(result.errors)")
    }
  }

  /// A hint names no command that cannot read what was given.
  @Test(arguments: ["lines.jsonl", "-", "sealed"])
  func `hints fit what was read`(_ input: String) async throws {
    let sample = try await Self.sample()
    let lines = try String(contentsOfFile: sample.folder.file("lines"), encoding: .utf8)
    func hint(_ line: String) async throws -> String {
      let result = try await sample.run(
        line.replacing("INPUT", with: input), input: input == "-" ? lines : "")
      return result.errors
    }
    let bookmark = try await hint("log INPUT --after @widget")
    #expect(bookmark.contains("bookmarks are set for stores"), "\(bookmark)")
    let entity = try await hint("stats INPUT --entity Zebra")
    #expect(entity.contains("histctl stats LINES"), "\(entity)")
    let inherited = try await hint("report INPUT --entity Trip -o page.html")
    #expect(
      inherited.contains(
        input == "sealed" ? "STORE --archive sealed; " : "each with --entity; "), "\(inherited)")
    // What is refused is refused without a remark on the entity.
    let unknown = try await hint("report INPUT --entity Zebra -o page2.html")
    #expect(unknown.hasPrefix("histctl: no entity is named 'Zebra'\n"), "\(unknown)")
  }

  /// The first line of an error; an empty text without one.
  private static func message(_ result: Tool.Result) -> String {
    result.status == 0 ? "" : result.errors.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// In a folder that cannot be written, the store itself is the obstacle, and not what would be kept beside it.
  @Test(.enabled(if: OtherUser.isAvailable))
  func `the hint for an unwritable folder names the store`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("sample.store"), shape: shape)
    try OtherUser.letRead(folder)
    for line in [
      ["prune", store, "--keep-last", "3", "--yes"],
      ["prune", store, "--keep-last", "3", "--yes", "--no-values"],
      ["compact", store, "--full"], ["compact", store, "--full", "--no-values"],
    ] {
      let result = try await OtherUser.run(line)
      #expect(result.status == 9, "\(result.errors)")
      #expect(
        result.errors.contains("cannot write \(store): Permission denied"), "\(result.errors)")
      #expect(result.errors.contains("hint: check the permissions of the folder"))
      #expect(!result.errors.contains("recorded") && !result.errors.contains("--no-values"))
    }
  }
}
