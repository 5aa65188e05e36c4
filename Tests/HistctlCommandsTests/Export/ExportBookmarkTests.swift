import StoreFormat
import TestSupport
import Testing

/// Exports of what is new since a bookmark, whatever interrupts them.
@Suite(.bounded) struct ExportBookmarkTests {
  @Test
  func `each run writes new history to a file named by its range and moves the bookmark`()
    async throws
  {
    let folder = try SampleFolder()
    #expect(try await folder.run("export sample.store --output-dir logs --bookmark n").status == 0)
    let again = try await folder.run("export sample.store --output-dir logs --bookmark n")
    #expect(again.status == 0)
    #expect(again.errors == "")
    try await folder.append(13...14)
    let more = try await folder.run("export sample.store --output-dir logs --bookmark n --json")
    #expect(more.text.contains(#""transactions":2,"first":13,"last":14"#))
    #expect(
      try await folder.files() == [
        "000000000001-000000000012.jsonl.zst", "000000000013-000000000014.jsonl.zst",
      ])
    #expect(try await folder.exported() == Array(1...14))
    let check = try await folder.run("token check sample.store @n")
    #expect(check.status == 0)
    #expect(check.text.contains("14"))
  }

  @Test
  func `a run that did not move the bookmark after its file is not repeated`() async throws {
    let folder = try SampleFolder()
    _ = try await folder.run("export sample.store --output-dir logs --bookmark n --until 5")
    let bookmarks = try FileBytes.read(folder.store + "-bookmarks.json")
    _ = try await folder.run("export sample.store --output-dir logs --bookmark n --until 9")
    // As if the run had ended between its two steps; then there is more to export.
    try FileBytes.write(bookmarks, to: folder.store + "-bookmarks.json")
    try await folder.append(13...20)
    #expect(try await folder.run("export sample.store --output-dir logs --bookmark n").status == 0)
    #expect(try await folder.exported() == Array(1...20))
  }

  @Test
  func `runs killed at any moment write every transaction to exactly one file`() async throws {
    let folder = try SampleFolder()
    let shell = try #require(Tool("sh"))
    var last = 12
    let histctl = Tool.histctl.path
    for round in 0..<40 {
      // Later and later, over the whole length of a run and beyond it.
      let pause = "0.\(String(round + 1000).dropFirst())"
      _ = try await shell.run(
        [
          "-c",
          """
          '\(histctl)' export sample.store --output-dir logs --bookmark n -q & pid=$!
          sleep \(pause); kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; exit 0
          """,
        ], folder: folder.folder.path)
      try await folder.append(last + 1...last + 2)
      last += 2
    }
    #expect(try await folder.run("export sample.store --output-dir logs --bookmark n").status == 0)
    #expect(try await folder.exported() == Array(1...last))
    let check = try await folder.run("token check sample.store @n --json")
    #expect(check.text.contains("\"transaction\":\(last)"))
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func
    `a second run for a bookmark waits or is refused, and runs for others are not affected`()
    async throws
  {
    let folder = try SampleFolder()
    let python = try #require(Tool("python3"))
    let script = """
      import fcntl, os, subprocess, sys, threading
      tool, folder = sys.argv[1:]
      os.chdir(folder)
      lock = os.open("sample.store-bookmarks.json.n.lock", os.O_RDWR | os.O_CREAT, 0o600)
      fcntl.flock(lock, fcntl.LOCK_EX)
      def run(name, *options):
        return subprocess.run([tool, "export", "sample.store", "--output-dir", "logs",
          "--bookmark", name, *options], capture_output=True, text=True)
      held = run("n")
      print(held.returncode, held.stderr.splitlines()[:1], os.listdir("."))
      print(run("m", "--output-dir", "others").returncode)
      timer = threading.Timer(0.5, lambda: os.close(lock))
      timer.start()
      print(run("n", "--lock-wait", "5min").returncode)
      # What a killed run has left, which nobody holds.
      open("sample.store-bookmarks.json.n.lock", "w").close()
      print(run("n").returncode, [name for name in os.listdir(".") if name.endswith(".lock")])
      """
    let result = try await python.run(["-c", script, Tool.histctl.path, folder.folder.path])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.lines
    #expect(
      lines.first?.hasPrefix(
        "7 ['histctl: another histctl is exporting sample.store with the bookmark n']") == true,
      "\(result.text)")
    #expect(lines.first?.contains("logs") == false, "\(result.text)")
    #expect(Array(lines.dropFirst()) == ["0", "0", "0 []"], "\(result.text)")
  }

  @Test
  func `concurrent runs while an app saves write every transaction to exactly one file`()
    async throws
  {
    let folder = try SampleFolder()
    let line = "export sample.store --output-dir logs --bookmark n --lock-wait 5min"
    for round in 0..<3 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let result = try await folder.run(line)
            #expect(result.status == 0, "\(result.errors)")
          }
        }
        group.addTask { try await folder.append(13 + round * 5...17 + round * 5) }
        try await group.waitForAll()
      }
    }
    #expect(try await folder.run(line).status == 0)
    #expect(try await folder.exported() == Array(1...27))
    #expect(try await folder.run("token check sample.store @n --json").text.contains("27"))
  }

  @Test
  func `an expired or diverged bookmark ends with 4 and a hint, and writes nothing`()
    async throws
  {
    let folder = try SampleFolder()
    _ = try await folder.run("export sample.store --output-dir logs --bookmark n --until 5")
    try await folder.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 8")
    let result = try await folder.run("export sample.store --output-dir logs --bookmark n")
    #expect(result.status == 4)
    #expect(result.errors.contains("hint: "))
    #expect(try await folder.files().count == 1)
  }

  @Test
  func `a file of another copy of the store is reported, and the bookmark does not move`()
    async throws
  {
    let folder = try SampleFolder()
    _ = try await folder.run("export sample.store --output-dir logs --bookmark n")
    // The copy has no bookmarks yet, so its first one goes on where the files end.
    try await folder.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK > 10")
    try await folder.sqlite("DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 10")
    let result = try await folder.run(
      "export sample.store --output-dir logs --bookmark m --bookmark-file other.json")
    #expect(result.status == 4)
    #expect(result.errors.contains("another copy"))
  }

  @Test
  func `a new bookmark does not continue the files of another`() async throws {
    let folder = try SampleFolder()
    _ = try await folder.run("export sample.store --output-dir logs --bookmark first")
    let refused = try await folder.run("export sample.store --output-dir logs --bookmark second")
    #expect(refused.status == 9)
    #expect(refused.errors.contains("has the files of another bookmark, @first"))
    #expect(!(try await folder.run("bookmark list sample.store").text.contains("@second")))
    // What the hint says helps.
    _ = try await folder.run("bookmark set sample.store second 12")
    #expect(
      try await folder.run("export sample.store --output-dir logs --bookmark second").status == 0)
    let elsewhere = try await folder.run("export sample.store --output-dir more --bookmark third")
    #expect(elsewhere.status == 0)
  }

  @Test(arguments: [
    "", " --format changes", " --format csv --compress gzip",
    " --compress none --fields transaction",
    " --only-matching --entity Trip",
  ])
  func `diverged copies of a store do not mix in one folder`(_ options: String) async throws {
    let folder = try SampleFolder()
    try FileBytes.write(try FileBytes.read(folder.store), to: folder.folder.file("copy.store"))
    try await folder.sqlite(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK > 8")
    try await folder.sqlite("UPDATE ACHANGE SET ZENTITYPK = 99 WHERE ZTRANSACTIONID > 8")
    let line = "store --output-dir logs --bookmark n" + options
    #expect(try await folder.run("export sample." + line).status == 0)
    let name = try await folder.files()[0]
    let file = "logs/\(SampleFolder.identifier)/\(name)"
    let bytes = try FileBytes.read(folder.folder.file(file))
    let other = try await folder.run("export copy." + line)
    if options.hasSuffix("--fields transaction") {
      // Of numbers alone both have the same, so nothing is lost.
      #expect(other.status == 0 && other.errors.isEmpty == false)
    } else {
      #expect(other.status == 4, "\(other.errors)")
      #expect(other.errors.contains("\(file) already exists, with other contents"))
      #expect(try !folder.names().contains("copy.store-bookmarks.json"))
    }
    #expect(try await folder.files().count == 1)
    #expect(try FileBytes.read(folder.folder.file(file)) == bytes)
    // The one whose file it is goes on.
    try FileBytes.remove(folder.store + "-bookmarks.json")
    try await folder.append(13...14)
    #expect(try await folder.run("export sample." + line).status == 0)
    #expect(try await folder.files().count == 2)
  }

  @Test
  func `no transaction is written to two files in a folder`() async throws {
    let folder = try SampleFolder()
    let line = "export sample.store --output-dir logs"
    #expect(try await folder.run(line + " --after 3 --until 6").status == 0)
    for options in [
      "", " --until 4", " --after 5", " --after 3 --until 6 --compress none", " --compress gzip",
      " --bookmark n", " --format csv", " --format changes --after 5",
    ] {
      let result = try await folder.run(line + options)
      #expect(result.status == 9, "\(options): \(result.errors)")
      #expect(result.errors.contains("000000000004-000000000006.jsonl.zst has transactions "))
      #expect(result.errors.contains("hint: "))
    }
    #expect(try await folder.files() == ["000000000004-000000000006.jsonl.zst"])
    #expect(try !folder.names().contains("sample.store-bookmarks.json"))
    for options in [" --until 3", " --after 6 --until 8", " --format changes --after 8"] {
      let result = try await folder.run(line + options)
      #expect(result.status == 0, "\(options): \(result.errors)")
    }
    #expect(try await folder.files().count == 4)
  }

  @Test
  func `a truncated file is not mistaken for a finished run`() async throws {
    let folder = try SampleFolder()
    let line = "export sample.store --output-dir logs --bookmark n --compress "
    for (method, suffix) in [("zstd", ".zst"), ("gzip", ".gz"), ("none", "")] {
      #expect(try await folder.run(line + method).status == 0)
      try FileBytes.remove(folder.store + "-bookmarks.json")
      let path = folder.folder.file(
        "logs/\(SampleFolder.identifier)/000000000001-000000000012.jsonl" + suffix)
      let bytes = try FileBytes.read(path)
      try FileBytes.write(Array(bytes.dropLast(3)), to: path)
      let torn = try await folder.run(line + method)
      #expect(torn.status == (method == "none" ? 4 : 5), "\(torn.errors)")
      try FileBytes.write(bytes + bytes, to: path)
      #expect(try await folder.run(line + method).status == 4)
      try FileBytes.write(bytes, to: path)
      #expect(try await folder.run(line + method).status == 0)
      #expect(try FileBytes.read(path) == bytes)
      try FileBytes.remove(folder.store + "-bookmarks.json")
      try FileBytes.remove(path)
    }
  }

  @Test(arguments: ["jsonl", "changes", "cloudevents", "debezium", "timesketch"])
  func `a file without a record is taken only while it would be the same`(
    _ format: String
  ) async throws {
    let folder = try SampleFolder()
    #expect(try await folder.run("demo trips --ending 2026-11-20 -q").status == 0)
    let store = folder.folder.file("trips/trips.store")
    let line = "export \(store) --output-dir logs --bookmark n --with-current --format \(format)"
    #expect(try await folder.run(line).status == 0)
    try FileBytes.remove(store + "-bookmarks.json")
    let again = try await folder.run(line)
    #expect(again.status == 0, "\(again.errors)")
    try FileBytes.remove(store + "-bookmarks.json")
    try StoreQuery(path: store).run("UPDATE ZTRIP SET ZNAME = 'now ' || ZNAME")
    let refused = try await folder.run(line)
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(refused.errors.contains("already exists, with other contents"))
  }

  @Test
  func `unreadable bookmarks are left unchanged`() async throws {
    let folder = try SampleFolder()
    try FileBytes.write(Array("{".utf8), to: folder.store + "-bookmarks.json")
    let result = try await folder.run("export sample.store --output-dir logs --bookmark n")
    #expect(result.status == 9)
    #expect(try FileBytes.read(folder.store + "-bookmarks.json") == Array("{".utf8))
  }
}

extension SampleFolder {
  /// The names of the files in the folder.
  func names() throws -> [String] { try folder.names() }

  /// Adds transactions, by sqlite3.
  func append(_ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try await sqlite(
        """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(number), 16002, \(743_990_000 + number));
        UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, \(number)) WHERE Z_ENT = 16002
        """)
    }
  }

  /// The files of the store in `logs`, by name.
  func files() async throws -> [String] {
    guard let list = Tool("ls") else { return [] }
    return try await list.run([folder.file("logs/\(Self.identifier)")]).lines
      .filter { !$0.contains("partial") }
  }

  /// The numbers of all transactions in those files, in their order, by zstd and jq.
  func exported() async throws -> [Int] {
    guard let zstd = Tool("zstd"), let jq = Tool("jq") else { throw Missing(what: "zstd or jq") }
    var text = ""
    for file in try await files() {
      let unpacked = try await zstd.run(["-dc", folder.file("logs/\(Self.identifier)/\(file)")])
      #expect(unpacked.status == 0)
      text += unpacked.text
    }
    return try await jq.run([".transaction"], input: text).lines.compactMap { Int($0) }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `a store in an archive has no place for a bookmark but a file that is named`() async throws {
    let sample = try SampleFolder()
    let python = try #require(Tool("python3"))
    let script = "import zipfile; zipfile.ZipFile('z.zip', 'w').write('sample.store')"
    #expect(try await python.run(["-c", script], folder: sample.folder.path).status == 0)
    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.histctl.run(
        line.split(separator: " ").map(String.init), folder: sample.folder.path)
    }
    let refused = try await run("export z.zip!/sample.store --output-dir out --bookmark nightly")
    #expect(refused.status == 9, "\(refused.errors)")
    #expect(
      refused.errors.contains("z.zip!/sample.store is in z.zip, where no bookmark can be kept"),
      "\(refused.errors)")
    let several = try await run(
      "export z.zip!/sample.store sample.store --output-dir several --bookmark nightly")
    #expect(several.status == 3, "\(several.errors)")
    #expect(several.errors.contains("is in z.zip, where a store can only be read"))
    for count in [1, 0] {
      let named = try await run(
        "export z.zip!/sample.store --output-dir out --bookmark nightly --bookmark-file b.json --json"
      )
      #expect(named.status == 0, "\(named.errors)")
      #expect(named.lines.filter { $0.contains(#""first":1"#) }.count == count, "\(named.text)")
    }
  }
}
