import Foundation
import StoreFormat
import TestSupport
import Testing

/// Stores that `find` lists, beside what Python finds with its own SQLite.
@Suite(.bounded) struct FindTests {
  private static func find(
    _ arguments: [String], in folder: TemporaryFolder
  ) async throws
    -> Tool.Result
  {
    try await Tool.histctl.run(["find"] + arguments, folder: folder.path)
  }

  private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func paths(_ result: Tool.Result) throws -> [String] {
    try objects(result).map { try #require($0["path"] as? String) }
  }

  /// Runs a program of Python in a folder, with the paths of a sample store as its first argument.
  private static func python(_ program: String, in folder: TemporaryFolder) async throws {
    try SampleStore.write(to: folder.file("sample.store"))
    let result = try await #require(Tool("python3")).run(["-c", program], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `stores are found by content, and links are not followed`() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try SampleStore.write(to: outside.file("outside.store"))
    try await Self.python(
      """
      import os, shutil, sqlite3
      os.makedirs('tree/a/b'); os.makedirs('tree/a-c')
      for p in ['tree/a/b/photo.jpg', 'tree/a-c/x', 'tree/z.sqlite', 'tree/a.db']:
          shutil.copy('sample.store', p)
      sqlite3.connect('tree/other.db').execute('create table t(x)')
      open('tree/short', 'wb').write(open('sample.store', 'rb').read(600))
      open('tree/text', 'w').write('Z_METADATA' * 100)
      os.symlink('\(outside.path)', 'tree/folder-link')
      os.symlink('\(outside.path)/outside.store', 'tree/link')
      os.mkfifo('tree/pipe')
      """, in: folder)
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let result = try await Self.find(["tree", "--json"], in: folder)
    #expect(
      try Self.paths(result)
        == ["tree/a-c/x", "tree/a.db", "tree/a/b/photo.jpg", "tree/z.sqlite"])
    #expect(try Self.objects(result).allSatisfy { $0["transactions"] as? Int == 12 })
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
    let null = try await Self.find(["tree/a", "tree", "tree/a.db", "-0"], in: folder)
    #expect(
      String(decoding: null.output, as: UTF8.self)
        == "tree/a-c/x\0tree/a.db\0tree/a/b/photo.jpg\0tree/z.sqlite\0")
    let missing = try await Self.find(["none"], in: folder)
    #expect(missing.status == 9)
    let partly = try await Self.find(["none", "tree"], in: folder)
    #expect(partly.status == 3)
  }

  @Test func `find reads logs and leaves no file`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil, sqlite3
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)")
      c.execute("update Z_PRIMARYKEY set Z_MAX = 1000 where Z_ENT = 16002"); c.commit()
      os.mkdir('tree')
      for s in ['', '-wal']: shutil.copy('sample.store' + s, 'tree/s' + s)
      """, in: folder)
    let result = try await Self.find(["tree", "--json"], in: folder)
    let found = try #require(try Self.objects(result).first)
    #expect(found["transactions"] as? Int == 13)
    #expect(found["logBytes"] as? Int ?? 0 > 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("tree")).count == 2)
  }

  @Test func `archives are searched within limits`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil, sqlite3, subprocess, tarfile, zipfile
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)")
      c.execute("update Z_PRIMARYKEY set Z_MAX = 1000 where Z_ENT = 16002"); c.commit()
      os.mkdir('tree')
      parts = [('sample.store-wal', 'in/s-wal'), ('sample.store', 'in/s'), ('sample.store', 'alone')]
      with zipfile.ZipFile('tree/a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
          for f, n in parts: z.write(f, n)
      for name, mode in [('tree/b.tar', 'w'), ('tree/c.tgz', 'w:gz')]:
          with tarfile.open(name, mode) as t:
              for f, n in parts: t.add(f, n)
      subprocess.run(['zstd', '-q', 'tree/b.tar', '-o', 'tree/d.tar.zst'], check=True)
      with zipfile.ZipFile('tree/bomb.zip', 'w', zipfile.ZIP_DEFLATED) as z:
          z.writestr('bomb', open('sample.store', 'rb').read() + bytes(60_000_000))
      with tarfile.open('tree/bomb.tgz', 'w:gz') as t:
          open('zeros', 'wb').truncate(60_000_000); t.add('zeros')
      open('tree/cut.zip', 'wb').write(open('tree/a.zip', 'rb').read()[:2000])
      """, in: folder)
    let result = try await Self.find(
      ["tree", "--json", "--max-member", "50M", "--max-unpacked", "50M"], in: folder)
    let names = ["a.zip", "b.tar", "c.tgz", "d.tar.zst"]
    #expect(
      try Self.paths(result) == names.flatMap { ["tree/\($0)!/alone", "tree/\($0)!/in/s"] })
    let counts = try Self.objects(result).map { $0["transactions"] as? Int }
    #expect(counts == names.flatMap { _ in [12, 13] })
    #expect(result.status == 3)
    for name in ["bomb.zip", "bomb.tgz", "cut.zip"] { #expect(result.errors.contains(name)) }
    let null = try await Self.find(["tree/a.zip", "-0"], in: folder)
    #expect(
      String(decoding: null.output, as: UTF8.self) == "tree/a.zip!/alone\0tree/a.zip!/in/s\0")
    let temporary = try TemporaryFolder()
    let environment = ["TMPDIR": temporary.path]
    for (name, count) in names.flatMap({ [("\($0)!/alone", 12), ("\($0)!/in/s", 13)] }) {
      let log = try await Tool.histctl.run(
        ["log", "tree/\(name)", "--json", "--no-values"], environment: environment,
        folder: folder.path)
      #expect(log.status == 0 && log.lines.count == count, "\(name): \(log.errors)")
    }
    let log = try await Tool.histctl.run(["log", "tree/a.zip!/in/s-wal"], folder: folder.path)
    #expect(
      log.status == 8 && log.errors.contains("it is the -wal file of tree/a.zip!/in/s"),
      "\(log.errors)")
    let missing = try await Tool.histctl.run(["log", "tree/a.zip!/none"], folder: folder.path)
    #expect(missing.status == 9 && missing.errors.contains("no file at tree/a.zip!/none"))
    let cut = try await Tool.histctl.run(["log", "tree/cut.zip!/alone"], folder: folder.path)
    #expect(cut.status == 9, "\(cut.errors)")
    #expect(try temporary.names().isEmpty)
  }

  @Test func `stores in backups are found`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import hashlib, os, shutil, sqlite3
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)")
      c.execute("update Z_PRIMARYKEY set Z_MAX = 1000 where Z_ENT = 16002"); c.commit()
      os.mkdir('backup')
      m = sqlite3.connect('backup/Manifest.db')
      m.execute('create table Files(fileID text primary key, domain, relativePath, flags, file)')
      for s in ['', '-wal']:
          d, p = 'AppDomain-com.example.app', 'Library/App.store' + s
          h = hashlib.sha1((d + '-' + p).encode()).hexdigest()
          os.mkdir('backup/' + h[:2]); shutil.copy('sample.store' + s, 'backup/' + h[:2] + '/' + h)
          m.execute('insert into Files values (?, ?, ?, 1, null)', (h, d, p))
      m.execute("insert into Files values ('../../../etc/passwd', 'x', 'y', 1, null)"); m.commit()
      os.mkdir('locked'); open('locked/Manifest.db', 'wb').write(os.urandom(4096))
      open('locked/Manifest.plist', 'w').write('x')
      """, in: folder)
    let result = try await Self.find(["backup", "locked", "--json"], in: folder)
    let found = try #require(try Self.objects(result).first)
    #expect(found["transactions"] as? Int == 13)
    #expect(found["app"] as? String == "com.example.app")
    let place = found["backup"] as? [String: String]
    #expect(place?["relativePath"] == "Library/App.store")
    #expect(result.errors.contains("encryptedBackup"))
    #expect(result.status == 3)
    let path = "backup!/AppDomain-com.example.app/Library/App.store"
    #expect(found["path"] as? String == path)
    let null = try await Self.find(["backup", "-0"], in: folder)
    #expect(String(decoding: null.output, as: UTF8.self) == path + "\0")
    let file = try #require(place?["file"])
    try await Self.everyCommand(path, file, in: folder)
  }

  /// Commands that read open the store with its log, and those that write refuse it.
  private static func everyCommand(
    _ path: String, _ file: String, in folder: TemporaryFolder
  ) async throws {
    let bytes = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    func run(_ words: [String]) async throws -> Tool.Result {
      try await Tool.histctl.run(words, folder: folder.path)
    }
    for words in [
      ["log", path, "--json"], ["export", path],
      ["log", path, "--reverse", "--json", "--no-values"],
    ] {
      let result = try await run(words)
      #expect(result.status == 0 && result.lines.count == 13, "\(words): \(result.errors)")
    }
    for words in [
      ["info", path], ["stats", path], ["show", path, "1000"], ["token", "check", path, "1000"],
      ["check", path, "--max-size", "50M"], ["bookmark", "list", path], ["diff", path, "3", "7"],
    ] {
      let result = try await run(words)
      #expect(result.status == 0, "\(words): \(result.errors)")
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == bytes)
    for words in [
      ["prune", path, "--keep-last", "2", "--yes"], ["compact", path], ["record", path],
      ["bookmark", "set", path, "name", "5"],
    ] {
      let result = try await run(words)
      #expect(
        result.status == 9 && result.errors.contains("where a store can only be read"),
        "\(words): \(result.errors)")
    }
    for words in [
      ["log", file], ["export", file], ["verify", file], ["prune", file, "--all", "--yes"],
    ] {
      let result = try await run(words)
      #expect([9, 2, 5].contains(result.status), "\(words): \(result.status)")
      #expect((result.errors + result.text).contains(path), "\(words): \(result.errors)")
    }
    let log = try #require(
      bytes.first { $0.utf8.count == 50 && !file.hasSuffix($0) && $0.hasPrefix("backup/") })
    for words in [["log", log], ["info", log], ["export", log]] {
      let result = try await run(words)
      #expect(
        result.status == 8 && result.errors.contains("it is a file that belongs to /")
          && result.errors.contains("\(path), with which it is read"),
        "\(words): \(result.errors)")
    }
    let sealed = try await run(["archive", path, "sealed"])
    #expect(sealed.status == 0 && sealed.text.contains("sealed 12 transactions"), "\(sealed)")
    let there = try await run(["archive", path, "backup/sealed"])
    #expect(there.status == 64, "\(there.errors)")
    let onto = try await run(["export", path, "-o", "backup/Manifest.db", "--overwrite"])
    #expect(onto.status == 64, "\(onto.errors)")
    let copy = try await run(["scrub", path, "-o", "copy.store", "--yes"])
    #expect(copy.status == 0, "\(copy.errors)")
  }

  @Test
  func `a file of a format that is not searched is named, or counted below a folder`() async throws
  {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import bz2, gzip, lzma, os, tarfile
      whole = open('sample.store', 'rb').read()
      os.mkdir('tree')
      for name, pack in [('a.store.gz', gzip), ('b.tar.xz', lzma), ('c.bz2', bz2), ('d.gz', gzip)]:
          with pack.open('tree/' + name, 'wb') as f: f.write(whole)
      with gzip.open('tree/e.jsonl.gz', 'wb') as f: f.write(whole)
      open('image.dmg', 'wb').write(bytes(2000))
      """, in: folder)
    for (name, format) in [
      ("tree/a.store.gz", "compressed with gzip"), ("tree/b.tar.xz", "compressed with xz"),
      ("image.dmg", "a disk image"),
    ] {
      let result = try await Self.find([name], in: folder)
      #expect(result.status == 9 && result.output.isEmpty)
      #expect(result.errors.contains("\(name) was not searched: it is \(format)"))
      let json = try await Self.find([name, "--json"], in: folder)
      #expect(json.errors.contains(#""kind":"notSearched""#))
    }
    let tree = try await Self.find(["tree"], in: folder)
    #expect(tree.status == 0)
    #expect(tree.errors.contains("not searched: 2 gzip files, 1 xz file, 1 bzip2 file"))
    let json = try await Self.find(["tree", "--json"], in: folder)
    #expect(json.errors.contains(#""type":"warning","kind":"notSearched""#))
  }

  @Test func `stores in containers and simulators are found with their app`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, plistlib, shutil
      def put(p):
          os.makedirs(os.path.dirname(p), exist_ok=True); shutil.copy('sample.store', p)
      put('Library/Containers/com.example.mac/Data/Library/Application Support/default.store')
      d = 'Library/Developer/CoreSimulator/Devices/D1/'
      a = d + 'data/Containers/Data/Application/A1/'
      put(a + 'Library/Application Support/default.store')
      n = '.com.apple.mobile_container_manager.metadata.plist'
      plistlib.dump({'MCMMetadataIdentifier': 'com.example.sim'}, open(a + n, 'wb'), fmt=plistlib.FMT_BINARY)
      plistlib.dump({'name': 'iPhone 17'}, open(d + 'device.plist', 'wb'))
      """, in: folder)
    let result = try await Tool.histctl.run(
      ["find", "--apps", "--json"], environment: ["HOME": folder.path])
    let found = try Self.objects(result)
    #expect(found.map { $0["app"] as? String } == ["com.example.mac", "com.example.sim"])
    #expect(found.map { $0["device"] as? String } == [nil, "iPhone 17"])
  }

  @Test func `damaged files do not stop the search`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, random
      random.seed(20); os.mkdir('tree'); whole = open('sample.store', 'rb').read()
      for i in range(1000):
          b = bytearray(whole)
          for _ in range(random.choice([1, 10, 1000])): b[random.randrange(16, len(b))] = random.randrange(256)
          if i % 10 == 0: b = b[:random.randrange(len(b))]
          open('tree/%04d' % i, 'wb').write(b)
      """, in: folder)
    let result = try await Self.find(["tree", "--json"], in: folder)
    #expect([0, 3].contains(result.status))
    #expect(try Self.paths(result).count > 100)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("tree")).count == 1000)
  }

  @Test func `the list of find is input for other commands`() async throws {
    let folder = try TemporaryFolder()
    for name in ["a.store", "b c.store"] { try SampleStore.write(to: folder.file(name)) }
    let list = try await Self.find([".", "-0"], in: folder)
    let checked = try await Tool.histctl.run(
      ["check", "--max-size", "50M", "--stores-from", "-"],
      input: String(decoding: list.output, as: UTF8.self), folder: folder.path)
    #expect(checked.lines.map { $0.prefix { $0 != ":" } } == ["./a.store", "./b c.store"])
    let after = try await Self.find([".", "--changed-after", "2100-01-01"], in: folder)
    #expect(after.output.isEmpty && after.status == 0)
  }

  private static let commandsOfSeveral = [
    "check --json", "prune --keep-last 3 --yes --json", "report -o page.html --json",
    "export --output-dir lake --json",
  ]

  @Test(arguments: commandsOfSeveral)
  func `a store given twice counts once, also by another path or a link`(
    _ command: String
  ) async throws {
    func lines(_ stores: String, _ list: String) async throws -> [String] {
      let folder = try TemporaryFolder()
      try SampleStore.write(to: folder.file("a.store"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("link"), withDestinationPath: "a.store")
      let result = try await Tool.histctl.run(
        (command + " " + stores).split(separator: " ").map(String.init) + ["--stores-from", "-"],
        input: list, folder: folder.path)
      #expect(result.status == 0, "\(result.errors)")
      return result.lines.map {
        $0.replacing(#/"(longestLock|bytes|path|manifest)":[^,}]*/#, with: "")
      }
    }
    #expect(try await lines("a.store ./a.store", "link\na.store\n") == lines("", "a.store\n"))
  }

  @Test(arguments: ["", "--json"])
  func `a list that find shows to people or programs is refused with the option for paths`(
    _ option: String
  ) async throws {
    let folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("a.store"))
    let shown = try await Tool.histctl.run(
      ["find", "."] + option.split(separator: " ").map(String.init), folder: folder.path)
    let result = try await Tool.histctl.run(
      ["log", "--stores-from", "-"], input: shown.text, folder: folder.path)
    #expect(result.status == 9 && result.output.isEmpty)
    #expect(
      result.errors.hasSuffix("has more than paths\nhint: write it with: histctl find -0 PATH\n"),
      "\(result.errors)")
  }

  @Test(arguments: commandsOfSeveral)
  func `an empty list does nothing, with a warning`(_ command: String) async throws {
    let folder = try TemporaryFolder()
    for input in ["", "\n\n"] {
      let result = try await Tool.histctl.run(
        command.split(separator: " ").map(String.init) + ["--stores-from", "-"], input: input,
        folder: folder.path)
      #expect(result.status == 0 && result.output.isEmpty)
      #expect(result.errors.contains(#""kind":"emptyList""#), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(try folder.names().isEmpty)
    }
  }
}
