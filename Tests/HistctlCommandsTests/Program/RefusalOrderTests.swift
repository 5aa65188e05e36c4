import TestSupport
import Testing

/// What is refused in any case is refused before a confirmation is asked for or missed.
@Suite(.bounded) struct RefusalOrderTests {
  @Test(arguments: [
    ("restore sample.store nowhere", 8, "nowhere is not an archive"),
    ("restore nowhere.store sealed", 9, "no file at nowhere.store"),
    ("restore sample.store sealed --from 99", 4, "99"),
    ("prune nowhere.store --keep-last 3", 9, "no file at nowhere.store"),
    ("prune sample.store --before 99", 4, "99"),
    ("prune sample.store --keep-last 3 --archive sample.store", 64, "would overwrite sample.store"),
    ("prune sample.store --keep-last 3 --bookmark-file nowhere.json", 9, "nowhere.json"),
    ("forget nowhere --keep-last 3", 8, "nowhere is not an archive"),
    ("forget sealed --before 99", 4, "99"),
    ("forget sealed --keep-last 3 --bookmark-file nowhere.json", 9, "nowhere.json"),
    ("scrub nowhere.store -o copy.store", 9, "no file at nowhere.store"),
    ("scrub sample.store -o sample.store", 64, "would take the place of sample.store"),
    ("scrub sample.store -o nowhere/copy.store", 9, "cannot write nowhere/copy.store"),
    ("scrub sample.store -o copy.store --key sample.store", 9, "sample.store"),
  ])
  func `a mistake that a confirmation would not mend comes first`(
    _ line: String, _ status: Int, _ words: String
  ) async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store sealed")
    for options in ["", " --json"] {
      let result = try await sample.run(line + options)
      #expect(Int(result.status) == status, "\(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(!result.errors.contains("cannot ask for confirmation"), "\(result.errors)")
      #expect(result.lines.isEmpty)
    }
  }

  @Test(arguments: [
    ("--entity Zebra", "no entity is named 'Zebra'"),
    ("-o lines.jsonl", "lines.jsonl already exists"),
    ("-o sample.store", "a file at sample.store would overwrite sample.store"),
    ("-o missing/lines.jsonl", "cannot write missing/lines.jsonl"),
    ("--output-dir lines.jsonl", "cannot make the folder lines.jsonl"),
  ])
  func `an export that is refused says nothing of the history`(
    _ options: String, _ words: String
  ) async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("export sample.store -o lines.jsonl")
    try await sample.sqlite(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 4; DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    let result = try await sample.run("export sample.store " + options)
    #expect(result.status != 0)
    #expect(result.errors.hasPrefix("histctl: " + words), "\(result.errors)")
    #expect(!result.errors.contains("history begins"), "\(result.errors)")
    let allowed = try await sample.run("export sample.store -o lines.jsonl --overwrite")
    #expect(allowed.status == 0 && allowed.errors.contains("history begins at 4"))
  }

  @Test
  func `a refusal of a guard comes before a missing confirmation`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 4")
    let result = try await sample.run(
      "prune sample.store nowhere.store --keep-last 3 --ignore-guard damage")
    #expect(result.status == 64 && result.lines.isEmpty, "\(result.errors)")
    #expect(result.errors.contains("no file at nowhere.store"), "\(result.errors)")
    #expect(result.errors.contains("cannot ask for confirmation"), "\(result.errors)")
    let none = try await sample.run("prune nowhere.store nothing.store --keep-last 3")
    #expect(none.status == 9 && !none.errors.contains("cannot ask"), "\(none.errors)")
  }

  @Test(arguments: [
    "prune sample.store --keep-last 99", "forget sealed --keep-last 99",
    "restore sample.store sealed",
  ])
  func `a confirmation is missed also where nothing would change`(_ line: String) async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store sealed")
    let result = try await sample.run(line)
    #expect(result.status == 64 && result.lines.isEmpty, "\(result.text)")
    #expect(result.errors.contains("cannot ask for confirmation"), "\(result.errors)")
  }
}
