import StoreFormat
import TestSupport
import Testing

/// `export`, against what `log` says and what zstd, gzip and sqlite3 find in its files.
@Suite(.bounded) struct ExportTests {
  @Test
  func `export writes the lines of log, oldest first, with the same selections`()
    async throws
  {
    let folder = try SampleFolder()
    for options in ["", "--author widget", "--after 4 --until 6", "--entity Trip --only-matching"] {
      let log = try await folder.run("log sample.store --reverse --json \(options)")
      let export = try await folder.run("export sample.store \(options)")
      #expect(export.status == 0)
      #expect(export.output == log.output)
      #expect(export.errors == "")
    }
  }

  @Test(arguments: [
    "UPDATE ACHANGE SET ZTRANSACTIONID = 13 - ZTRANSACTIONID",
    "UPDATE ACHANGE SET Z_PK = 1000 - Z_PK",
    "UPDATE ACHANGE SET Z_PK = Z_PK + 100 WHERE Z_PK % 5 = 0",
    "UPDATE ACHANGE SET ZTRANSACTIONID = 7 WHERE Z_PK IN (1, 25)",
    "UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE Z_PK IN (3, 14)",
    "DELETE FROM ATRANSACTION WHERE Z_PK IN (1, 6, 12)",
    "UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 9",
    "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", "DELETE FROM ACHANGE",
    "UPDATE ACHANGE SET Z_PK = -Z_PK",
    "UPDATE ACHANGE SET Z_PK = 9223372036854775807 WHERE Z_PK = 27",
    "UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 12",
  ])
  func `rows stored in another order are exported in the order of their transactions`(
    sql: String
  ) async throws {
    let folder = try SampleFolder()
    try await folder.sqlite(sql)
    let log = try await folder.run("log sample.store --reverse --json")
    let export = try await folder.run("export sample.store")
    #expect(export.status == log.status)
    #expect(export.output == log.output)
  }

  @Test(arguments: 1...12)
  func `lines of random stores agree with log on any number of threads`(seed: Int) async throws {
    let folder = try TemporaryFolder()
    try RandomStore.write(to: folder.file("x.store"), seed: UInt64(seed))
    if let sqlite = Tool("sqlite3"), seed % 3 == 0 {
      let shuffled = "UPDATE ACHANGE SET Z_PK = (Z_PK * 7919 + 13) % 100003 + 200000"
      _ = try await sqlite.run([folder.file("x.store"), shuffled])
    }
    let log = try await InProcess.run(["log", folder.file("x.store"), "--reverse", "--json"])
    let export = try await InProcess.run(["export", folder.file("x.store")])
    #expect(export.status == log.status)
    #expect(export.output == log.output)
  }

  @Test
  func `lines written by several threads are in order`() async throws {
    let folder = try SampleFolder()
    try await folder.sqlite(
      """
      WITH RECURSIVE n(i) AS (SELECT 13 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, 743906500.5 + i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 160000)
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
      SELECT i, 16001, 0, 1, i, CASE WHEN i > 80000 THEN 8000 ELSE 13 + i / 20 END FROM n;
      """)
    let log = try await folder.run("log sample.store --reverse --json")
    let export = try await folder.run("export sample.store")
    #expect(export.output == log.output)
    #expect(export.output.count > 4_000_000)
  }

  @Test(arguments: [("zstd", "x.jsonl.zst"), ("gzip", "x.jsonl.gz")])
  func `zstd and gzip unpack a packed file to the plain one`(
    program: String, name: String
  ) async throws {
    let folder = try SampleFolder()
    let unpack = try #require(Tool(program))
    let plain = try await folder.run("export sample.store")
    #expect(try await folder.run("export sample.store -o \(name)").status == 0)
    let unpacked = try await unpack.run(["-dc", folder.folder.file(name)])
    #expect(unpacked.output == plain.output)
    let piped = try await folder.run("export sample.store --compress \(program)")
    #expect(piped.output == (try FileBytes.read(folder.folder.file(name))))
  }

  @Test(
    arguments: [("zstd", "x.jsonl.zst"), ("gzip", "x.jsonl.gz")],
    ["--author nobody", "--format changes"])
  func `a packed file without lines is complete to zstd and gzip`(
    packing: (program: String, name: String), options: String
  ) async throws {
    let folder = try SampleFolder()
    let unpack = try #require(Tool(packing.program))
    try await folder.sqlite("DELETE FROM ACHANGE")
    let export = try await folder.run("export sample.store \(options) -o \(packing.name)")
    #expect(export.status == 0)
    let unpacked = try await unpack.run(["-dc", folder.folder.file(packing.name)])
    #expect(unpacked.status == 0)
    #expect(unpacked.output == [])
    #expect(try await folder.run("export sample.store \(options)").output == [])
  }

  @Test
  func `an existing file stays unless --overwrite is given`() async throws {
    let folder = try SampleFolder()
    try FileBytes.write(Array("mine".utf8), to: folder.folder.file("x.jsonl"))
    let refused = try await folder.run("export sample.store -o x.jsonl")
    #expect(refused.status == 9)
    #expect(refused.errors.contains("x.jsonl already exists"))
    #expect(try FileBytes.read(folder.folder.file("x.jsonl")) == Array("mine".utf8))
    #expect(try await folder.run("export sample.store -o x.jsonl --overwrite").status == 0)
    let plain = try await folder.run("export sample.store")
    #expect(try FileBytes.read(folder.folder.file("x.jsonl")) == plain.output)
    #expect(try folder.names().allSatisfy { !$0.contains("partial") })
  }

  @Test
  func `a failed write leaves no file and ends with 9`() async throws {
    let folder = try SampleFolder()
    #expect(try await folder.run("export sample.store -o nowhere/x.jsonl").status == 9)
    let shell = try #require(Tool("sh"))
    let histctl = Tool.histctl.path
    let piped = try await shell.run(
      ["-c", "'\(histctl)' export '\(folder.store)' > /dev/full"])
    #expect(piped.status == 9)
    // A limit on the size of files is a full disk that a test can have.
    let limited = try await shell.run(
      ["-c", "ulimit -f 1; trap '' XFSZ; '\(histctl)' export '\(folder.store)' -o out.jsonl"],
      folder: folder.folder.path)
    #expect(limited.status == 9)
    #expect(try folder.names().allSatisfy { !$0.hasPrefix("out") })
  }

  @Test
  func `an exported file is not more widely readable than the store`() async throws {
    let folder = try SampleFolder()
    let shell = try #require(Tool("sh"))
    let stat = try #require(Tool("stat"))
    _ = try await shell.run(["-c", "chmod 640 '\(folder.store)'"])
    #expect(try await folder.run("export sample.store -o x.jsonl").status == 0)
    let mode = try await stat.run(["-c", "%a", folder.folder.file("x.jsonl")])
    #expect(mode.text == "640\n")
  }

  @Test(arguments: [
    "jsonl", "changes", "cloudevents", "debezium", "csv", "timesketch", "bodyfile",
  ])
  func `each format works with each option or is refused`(format: String) async throws {
    let folder = try SampleFolder()
    let current = format == "csv" || format == "bodyfile" ? 64 : 0
    let fields = format == "cloudevents" || format == "bodyfile" ? 64 : 0
    let lines = [
      ("", 0), ("--compress gzip", 0), ("--compress zstd -o \(format).out", 0),
      ("--fields nonsense", 64), ("--fields store,transaction", fields),
      ("--author widget --only-matching --entity Trip", 0), ("--output-dir out", 0),
      ("--output-dir out2 --bookmark nightly", 0), ("--bookmark nightly", 64),
      ("-o a --output-dir b", 64), ("--overwrite", 64), ("--compress rar", 64),
      ("--output-dir out3 --bookmark no/name", 64), ("--after 1 --output-dir d --bookmark b", 64),
      ("--after 999", 4), ("--with-current", current),
      ("--with-current --compress zstd --author app --only-matching", current),
      ("--with-current -o \(format).now --after 2 --until 8", current),
      ("--with-current --output-dir out4 --bookmark now", current),
      ("--with-current --fields nonsense", 64),
    ]
    for (options, status) in lines {
      if options.contains("--fields store"), format == "debezium" { continue }
      let result = try await folder.run("export sample.store --format \(format) \(options)")
      #expect(result.status == status, "\(options): \(result.errors)")
    }
  }
}
