import TestSupport
import Testing

/// `prune --max-size` leaves what `check --max-size` accepts.
@Suite struct SizeRuleTests {
  @Test("The size is reached, by the measure of check", arguments: ["100K", "200K", "333K"])
  func isReached(_ size: String) async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 3000, changesEach: 2)
    #expect(try await Tool.histctl.run(["check", store, "--max-size", size]).status == 1)
    let plan = try await Tool.histctl.run(["prune", store, "--max-size", size, "-n", "--json"])
    let act = try await Tool.histctl.run(["prune", store, "--max-size", size, "--yes", "--json"])
    #expect(act.status == 0 && act.errors == "")
    #expect(plan.lines.first == act.lines.first)
    #expect(act.lines.last?.contains(#""complete":true"#) == true)
    #expect(try await Tool.histctl.run(["check", store, "--max-size", size]).status == 0)
  }

  @Test("What cannot be reached is said with its reason")
  func cannotBeReached() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("prune sample.store --max-size 4K --yes")
    #expect(result.errors.contains("the history will not get smaller than"), "\(result.errors)")
    #expect(result.errors.contains("(limit 4.0 KiB): "))
  }
}
