import Foundation
import TestSupport
import Testing

@Suite(.bounded) struct UnknownCommandTests {
  @Test
  func `an unknown command is reported with the existing ones`() async throws {
    let far = try await InProcess.run(["frobnicate", "sample.store"])
    #expect(
      far.errors == """
        histctl: no command named 'frobnicate'
        hint: the commands are \(CommandNames.all.filter { !$0.contains(" ") }.joined(separator: ", "))

        """)
    let result = try await InProcess.run(["lgo", "sample.store"])
    #expect(result.status == 64)
    #expect(
      result.errors == """
        histctl: no command named 'lgo'
        hint: did you mean 'log'?

        """)
  }

  @Test(arguments: ["help lgo", "help token chek"])
  func `help for an unknown command fails`(_ line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let result = try await InProcess.run(words)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix(
        "histctl: no command named '\(words.last ?? "")'\nhint: did you mean '"))
    for line in [["help"], ["help", "token"], ["help", "token", "check"], ["help", "log"]] {
      let help = try await InProcess.run(line)
      #expect(help.status == 0 && help.text.contains("USAGE: histctl"), "\(line): \(help.errors)")
    }
  }

  @Test
  func `an argument that is not UTF-8 is an error, and no file is created`() async throws {
    let sample = try SampleFolder()
    let shell = try #require(Tool("sh"))
    for script in [
      #"cp sample.store "$name.store"; "$1" info "$name.store""#,
      #""$1" export sample.store -o "$name.jsonl""#,
    ] {
      let result = try await shell.run(
        ["-c", #"name=$(printf 'caf\351'); "# + script, "sh", Tool.histctl.path],
        folder: sample.folder.path)
      #expect(result.status == 64 && result.errors.contains("is not UTF-8"), "\(result.errors)")
    }
    #expect(try sample.folder.names().allSatisfy { !$0.hasSuffix(".jsonl") })
  }

  @Test
  func
    `an argument that is not UTF-8 is reported as JSON wherever --json stands`()
    async throws
  {
    let folder = try TemporaryFolder()
    for words in [#""$name" --json"#, #"--json "$name""#] {
      let result = try await #require(Tool("sh")).run(
        ["-c", #"name=$(printf 'caf\351'); "$1" log "# + words, "sh", Tool.histctl.path],
        folder: folder.path)
      #expect(result.status == 64 && result.output.isEmpty)
      let line = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any]
      #expect(line?["message"] as? String == #"the argument 'caf\xE9' is not UTF-8"#)
      #expect(line?["code"] as? Int == 64)
    }
  }

  @Test(arguments: [
    ("log sample.store -n -3", "give a number without a dash: -n 3"),
    ("log sample.store --after -1", "count back from the newest with last~1"),
    ("stats sample.store --top -1", "give a number without a dash: --top 1"),
    ("log sample.store --author -x", "join it to the option: --author=-x"),
  ])
  func `a value that looks like an option is reported with a hint`(
    _ line: String, _ hint: String
  ) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run(line)
    #expect(result.status == 64 && result.output.isEmpty)
    let value = line.split(separator: " ").last ?? ""
    #expect(
      result.errors.contains("'\(value)' after it begins with a dash"), "\(result.errors)")
    #expect(result.errors.contains("\(hint)\n"), "\(result.errors)")
    let other = try await sample.run("log sample.store --after")
    #expect(other.errors.contains("\nhint: usage: "))
  }

  @Test(arguments: [
    ("log sample.store --kind insert,delete", "repeat the option: --kind insert --kind delete"),
    ("log sample.store --entity Trip,Stop", "repeat it: --entity Trip --entity Stop"),
  ])
  func `several values for one option have the hint to repeat it`(
    _ line: String, _ hint: String
  ) async throws {
    let result = try await SampleFolder().run(line)
    #expect(result.status == 64 && result.errors.contains("\(hint)\n"), "\(result.errors)")
  }

  @Test
  func `an unknown subcommand is reported, as JSON with --json`() async throws {
    let result = try await InProcess.run(["token", "chek", "sample.store", "--json"])
    #expect(result.status == 64)
    #expect(result.errors.contains(#""kind":"usage""#))
    #expect(result.errors.contains(#""message":"no command named 'chek'""#))
    #expect(result.errors.contains("did you mean 'check'?"))
  }
}
