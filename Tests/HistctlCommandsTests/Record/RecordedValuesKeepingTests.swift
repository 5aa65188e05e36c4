import Foundation
import TestSupport
import Testing

/// Recorded values go with their transactions: into archives and back, and away.
@Suite(.bounded) struct RecordedValuesKeepingTests {
  private let trips: RecordedTrips

  init() throws { trips = try RecordedTrips() }

  private func run(_ line: String) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), folder: trips.folder.path)
  }

  private func expectSound() async throws {
    let result = try await run("verify Trips.store")
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    #expect(try StoreQuery(path: trips.valuesPath).lines("PRAGMA integrity_check") == ["ok"])
  }

  // MARK: - Pruning

  @Test func `pruning deletes the values of its transactions`() async throws {
    let plan = try await run("prune Trips.store --before 5 --dry-run --json")
    #expect(plan.text.contains(#""values":12"#))
    try await SchemaCheck.expectFits(plan.text, schema: "man/histctl-json.schema.json")
    let page = try await run("prune Trips.store --before 5 --dry-run")
    #expect(page.text.contains("12 recorded values"))
    #expect(try trips.rows().count == 15)
    let done = try await run("prune Trips.store --before 5 --yes")
    #expect(done.status == 0)
    #expect(done.text.contains("4 transactions, 9 changes, 12 recorded values"))
    #expect(try trips.rows().map { $0.prefix(2) } == ["6|", "6|", "6|"])
    try await expectSound()
    #expect(try await run("prune Trips.store --before 5 --yes").text.contains("nothing to delete"))
  }

  /// The archive is not asked for: what it would have to hold is gone already.
  @Test(arguments: ["", " --archive arch"])
  func `an interrupted prune is finished by the next`(_ options: String) async throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath))
    #expect(try await run("prune Trips.store --before 5 --yes").status == 0)
    for name in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: trips.valuesPath + name)
    }
    try before.write(to: URL(fileURLWithPath: trips.valuesPath))
    #expect(!(try await run("log Trips.store --json")).text.contains("Rome"))
    let verified = try await run("verify Trips.store")
    #expect(verified.status == 0)
    #expect(verified.text.contains("recorded values of 2 transactions that the history does not"))
    let json = try await run("prune Trips.store --before 5 --yes --json" + options)
    #expect(json.text.contains(#""transactions":0,"changes":0,"values":12,"complete":true"#))
    #expect(try trips.rows().count == 3)
    #expect(!FileManager.default.fileExists(atPath: trips.folder.file("arch")))
  }

  @Test func `an unusable file of values stays and is reported`() async throws {
    try Data("no database".utf8).write(to: URL(fileURLWithPath: trips.valuesPath))
    let plan = try await run("prune Trips.store --before 4 --dry-run")
    #expect(plan.status == 0 && plan.errors.contains("cannot be used"))
    let result = try await run("prune Trips.store --before 4 --yes")
    #expect(result.status == 3)
    #expect(result.errors.contains("Trips.store-values.db cannot be used"))
    #expect(!result.errors.contains("--values-file"))
    // Nothing is left undone.
    #expect(try await run("prune Trips.store --before 4 --yes").status == 0)
    try FileBytes.write(
      Array("[trips]\nstore = Trips.store\nprune.keep-last = 2\n".utf8),
      to: trips.folder.file("m.conf"))
    let plans = try await run("maintain --config m.conf --dry-run")
    #expect(plans.status == 0 && plans.errors.contains("cannot be used"))
    let maintained = try await run("maintain --config m.conf")
    #expect(maintained.status == 3)
    #expect(maintained.errors.contains("Trips.store-values.db cannot be used"))
    #expect(
      try StoreQuery(path: trips.path).lines("SELECT min(Z_PK) FROM ATRANSACTION") == ["5"])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath)) == Data("no database".utf8))
  }

  @Test func `pruning all deletes all values`() async throws {
    // As when a run was ended between the rows and their values.
    let before = try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath))
    #expect(try await run("prune Trips.store --all --yes").status == 0)
    #expect(try trips.rows() == [])
    for name in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: trips.valuesPath + name)
    }
    try before.write(to: URL(fileURLWithPath: trips.valuesPath))
    let again = try await run("prune Trips.store --all --yes")
    #expect(again.text == "Trips.store: deleted 15 recorded values\n", "\(again.errors)")
    #expect(try trips.rows() == [])
    try await expectSound()
  }

  @Test func `maintain exports recorded values`() async throws {
    let lines = try await run("export Trips.store").output
    #expect(String(decoding: lines, as: UTF8.self).contains(#""values":"#))
    try FileBytes.write(
      Array(
        """
        [trips]
        store = Trips.store
        export.output-dir = logs
        export.bookmark = nightly
        export.compress = none
        prune.keep-last = 1

        """.utf8), to: trips.folder.file("m.conf"))
    #expect(try await run("maintain --config m.conf").status == 0)
    let folder = trips.folder.file("logs")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".jsonl") }
    #expect(try files.map { try FileBytes.read(folder + "/" + $0) } == [lines])
    #expect(try trips.rows().count == 3)
  }

  @Test func `maintain keeps history it cannot export`() async throws {
    try FileBytes.write(
      Array(
        """
        [trips]
        store = Trips.store
        export.output-dir = logs
        export.bookmark = nightly
        prune.keep-last = 1

        """.utf8), to: trips.folder.file("m.conf"))
    try Data("no database".utf8).write(to: URL(fileURLWithPath: trips.valuesPath))
    let result = try await run("maintain --config m.conf")
    #expect(result.status == 5 && result.errors.contains("Trips.store-values.db"))
    #expect(
      try StoreQuery(path: trips.path).lines("SELECT count(*) FROM ATRANSACTION") == ["6"])
  }

  // MARK: - Archives

  @Test func `an archive keeps and restores recorded values`() async throws {
    let rows = try trips.rows()
    let lines = try await run("export Trips.store").output
    let net = try await run("diff Trips.store 1 --json").text
    #expect(try await run("archive Trips.store sealed").status == 0)
    #expect(try await run("verify sealed").status == 0)
    let pruned = try await run("prune Trips.store --before 5 --archive sealed --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try trips.rows().count == 3)
    // Store and archive are one history, with all values.
    #expect(try await run("export Trips.store --archive sealed").output == lines)
    #expect(try await run("diff Trips.store 1 --json --archive sealed").text == net)
    let show = try await run("show Trips.store 4 --archive sealed")
    #expect(show.lines.contains(#"      name: "Roma" -> "Rom""#))
    let object = try await run("object Trips.store Trip/p1 --archive sealed")
    #expect(object.text.contains(#"name: "Rome" -> "Roma""#))
    #expect(
      !(try await run("log Trips.store --json --archive sealed --no-values")).text
        .contains("values"))
    let verified = try await run("verify Trips.store --archive sealed")
    #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
    // And back.
    let restored = try await run("restore Trips.store sealed --yes")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try trips.rows() == rows)
    #expect(try await run("export Trips.store").output == lines)
    try await expectSound()
  }

  @Test func `restoring creates a missing file of values`() async throws {
    let rows = try trips.rows().filter { !$0.hasPrefix("6|") }
    #expect(try await run("prune Trips.store --before 5 --archive sealed --yes").status == 0)
    for name in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: trips.valuesPath + name)
    }
    #expect(try await run("restore Trips.store sealed --yes --no-values").status == 0)
    #expect(!FileManager.default.fileExists(atPath: trips.valuesPath))
    #expect(try await run("prune Trips.store --before 5 --yes").status == 0)
    #expect(try await run("restore Trips.store sealed --yes").status == 0)
    #expect(try trips.rows() == rows)
  }

  @Test(.enabled(if: geteuid() == 0, "only an administrator can give files away"))
  func `values restored by an administrator belong to the owner of the store`() async throws {
    #expect(try await run("prune Trips.store --before 5 --archive sealed --yes").status == 0)
    for name in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: trips.valuesPath + name)
    }
    try FileManager.default.setAttributes(
      [.ownerAccountID: 12_345, .groupOwnerAccountID: 12_346], ofItemAtPath: trips.path)
    #expect(try await run("restore Trips.store sealed --yes").status == 0)
    let found = try FileManager.default.attributesOfItem(atPath: trips.valuesPath)
    #expect(found[.ownerAccountID] as? Int == 12_345)
    #expect(found[.groupOwnerAccountID] as? Int == 12_346)
  }

  @Test func `--no-values seals an archive without values`() async throws {
    #expect(try await run("archive Trips.store sealed --no-values").status == 0)
    #expect(!(try await run("export sealed")).text.contains("values"))
    try Data("no database".utf8).write(to: URL(fileURLWithPath: trips.valuesPath))
    // What cannot be read would be missing for ever.
    let result = try await run("archive Trips.store other")
    #expect(result.status == 5)
    #expect(result.errors.contains("Trips.store-values.db"))
  }

  @Test func `verify finds values that differ from sealed ones`() async throws {
    #expect(try await run("archive Trips.store sealed").status == 0)
    #expect(try await run("verify Trips.store --archive sealed").status == 0)
    try StoreQuery(path: trips.valuesPath).run(
      "UPDATE recorded_value SET new = 'Roam' WHERE transaction_number = 4 AND name = 'name'")
    let found = try await run("verify Trips.store --archive sealed")
    #expect(found.text.contains("its recorded values differ from those beside the store"))
    #expect(found.status != 0)
    // What is known on one side only is no difference: a checkpoint may have overwritten old values
    // in between.
    try StoreQuery(path: trips.valuesPath).run(
      "UPDATE recorded_value SET old = NULL, old_length = -1, new = 'Rom' "
        + "WHERE transaction_number = 4 AND name = 'name'")
    let lacking = try await run("verify Trips.store --archive sealed")
    #expect(lacking.status == 0, "\(lacking.text)")
    // Where there are none, the rows are the same all the same.
    try FileManager.default.removeItem(atPath: trips.valuesPath)
    #expect(try await run("verify Trips.store --archive sealed").status == 0)
  }

  // MARK: - Copies

  @Test func `a rehearsal has the values of its transactions`() async throws {
    let result = try await run("rehearse Trips.store 5 -o copy.store")
    #expect(result.status == 0, "\(result.errors)")
    let copy = try StoreQuery(path: trips.folder.file("copy.store-values.db"))
    #expect(
      try copy.lines("SELECT DISTINCT transaction_number FROM recorded_value") == ["6"])
    let show = try await run("show copy.store last")
    #expect(show.lines.contains("      score: 9 -> nil"))
    #expect(try await run("verify copy.store").status == 0)
    #expect(try trips.rows().count == 15)
  }

  @Test func `a rehearsal removes the former values`() async throws {
    #expect(try await run("rehearse Trips.store 3 -o copy.store").status == 0)
    let taken = try await run("rehearse Trips.store 5 -o copy.store")
    #expect(taken.status == 9)
    let values = trips.folder.file("copy.store-values.db")
    #expect(try await run("rehearse Trips.store 5 -o copy.store --overwrite").status == 0)
    #expect(
      try StoreQuery(path: values).lines("SELECT DISTINCT transaction_number FROM recorded_value")
        == ["6"])
    // Values without a store are somebody's.
    try trips.folder.remove("copy.store")
    let refused = try await run("rehearse Trips.store 5 -o copy.store")
    #expect(refused.status == 9 && refused.errors.contains("copy.store-values.db"))
    #expect(try await run("rehearse Trips.store 5 -o copy.store --overwrite").status == 0)
    #expect(
      try await run("rehearse Trips.store 5 -o copy.store --overwrite --no-values").status == 0)
    #expect(
      !(try trips.folder.names()).contains { $0.hasPrefix("copy") && $0 != "copy.store" })
  }

  // MARK: - Verifying

  @Test func `verify finds values that do not match the history`() async throws {
    try await expectSound()
    let query = try StoreQuery(path: trips.valuesPath)
    try query.run(
      "UPDATE recorded_value SET timestamp = timestamp + 1 WHERE transaction_number = 2")
    try query.run("UPDATE recorded_value SET primary_key = 77 WHERE transaction_number = 4")
    let found = try await run("verify Trips.store --json")
    #expect(found.status == 1)
    #expect(found.text.contains(#""foreignValues""#))
    #expect(found.text.contains(#""misfittingValues""#))
    try await SchemaCheck.expectFits(found.text)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: trips.valuesPath))
    let broken = try await run("verify Trips.store")
    #expect(broken.status == 1)
    #expect(broken.text.contains("Trips.store-values.db"))
  }

  @Test func `verify accepts values that a crash left`() async throws {
    try StoreQuery(path: trips.valuesPath).run(
      """
      INSERT INTO recorded_value SELECT 7, timestamp, 40, entity, primary_key, name, kind, 'x',
        NULL, 'y', NULL, NULL FROM recorded_value WHERE transaction_number = 4
      """)
    let result = try await run("verify Trips.store")
    #expect(result.status == 0)
    #expect(result.text.contains("recorded values of 1 transaction that the history does not have"))
  }
}
