import Foundation
import TestSupport
import Testing

/// `find` beside files that cannot be read, change meanwhile, or are made to harm it.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("python3") != nil)) struct HostileFindTests {
  /// Runs a program of Python in a folder that has a sample store.
  private static func python(_ program: String, in folder: TemporaryFolder) async throws {
    try SampleStore.write(to: folder.file("sample.store"))
    let result = try await #require(Tool("python3")).run(["-c", program], folder: folder.path)
    try #require(result.status == 0, "\(result.errors)")
  }

  private static func paths(_ result: Tool.Result) throws -> [String] {
    try result.lines.map {
      let line = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return try #require(line?["path"] as? String)
    }
  }

  /// Every command ends, and names what is in the place of a file of SQLite; `find` goes on.
  @Test(arguments: ["-wal", "-shm", "-journal"], ["pipe", "socket", "directory", "link"])
  func `a pipe, socket, folder or link beside a store is reported without waiting`(
    _ suffix: String, _ kind: String
  ) async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil, socket
      os.mkdir('tree')
      for name in 'ab': shutil.copy('sample.store', 'tree/' + name)
      path = 'tree/a\(suffix)'
      if '\(kind)' == 'pipe': os.mkfifo(path)
      if '\(kind)' == 'socket': socket.socket(socket.AF_UNIX).bind(path)
      if '\(kind)' == 'directory': os.mkdir(path)
      if '\(kind)' == 'link': os.mkfifo('pipe'); os.symlink('../pipe', path)
      """, in: folder)
    let found = try await Tool.histctl.run(["find", "tree"], folder: folder.path)
    #expect(found.status == 3 && found.text.contains("tree/b"))
    #expect(found.errors.contains("tree/a\(suffix) is a \(kind)"), "\(found.errors)")
    for line in [
      "log", "info", "verify", "export", "stats", "check --max-size 1G", "scrub -o copy --yes",
      "prune --keep-last 3 --yes", "bookmark list", "bookmark set name 5", "compact", "record",
    ] {
      let words = line.split(separator: " ").map(String.init)
      let isBookmark = words[0] == "bookmark"
      let result = try await Tool.histctl.run(
        words.prefix(isBookmark ? 2 : 1) + ["tree/a"] + words.dropFirst(isBookmark ? 2 : 1),
        folder: folder.path)
      #expect([9, 5].contains(result.status), "\(line): \(result.status)")
      #expect(
        (result.text + result.errors).contains("a\(suffix) is a \(kind)"),
        "\(line): \(result.text)\(result.errors)")
    }
  }

  /// SQLite would wait for ten seconds for each, because the log never becomes one of the index.
  @Test
  func `an unusable log beside an unwritable index is damage at once`()
    async throws
  {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil, sqlite3
      os.mkdir('tree')
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)"); c.commit()
      for i in range(3):
          for s in ['', '-shm']: shutil.copy('sample.store' + s, 'tree/%02d.store%s' % (i, s))
          open('tree/%02d.store-wal' % i, 'wb').write(os.urandom(100_000))
      """, in: folder)
    let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
    #expect(try Self.paths(result).count == 3)
    #expect(result.status == 3)
    #expect(result.errors.split(separator: "\n").count == 3)
  }

  #if os(Linux)
  @Test
  func `folders whose names differ only in their Unicode form are both searched`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil
      for name in ['caf\\u00e9', 'cafe\\u0301']:
          os.mkdir(name); shutil.copy('sample.store', name + '/a.store')
      """, in: folder)
    let names = ["cafe\u{301}", "caf\u{e9}"]
    let found = try await Tool.histctl.run(["find"] + names + ["-0"], folder: folder.path)
    let paths = found.output.split(separator: 0).map(Array.init)
    #expect(paths == names.map { Array("\($0)/a.store".utf8) })
    let report = try await Tool.histctl.run(
      ["check", "--json", "--max-size", "1G"] + names.map { $0 + "/a.store" }, folder: folder.path)
    #expect(report.lines.count == 2)
    // A link into a folder that only looks like the pattern's own leads out of it.
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("cafe\u{301}/b.store"),
      withDestinationPath: folder.file("caf\u{e9}/a.store"))
    try FileBytes.write(
      Array("[one]\nstore = cafe\u{301}/*.store\nprune.keep-last = 3\n".utf8),
      to: folder.file("histctl.conf"))
    let kept = try await Tool.histctl.run(
      ["maintain", "--config", "histctl.conf", "--dry-run", "--json"], folder: folder.path)
    #expect(kept.text.utf8.count { $0 == 0x0a } > 0, "\(kept.errors)")
    #expect(!kept.lines.contains { $0.contains(#""path":"cafe\u{301}/b.store""#) })
  }
  #endif

  @Test(.enabled(if: OtherUser.isAvailable)) func `unreadable files are reported`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil, zipfile
      os.makedirs('tree/closed'); os.makedirs('tree/unlistable')
      for name in ['a.store', 'b.store', 'c.store', 'closed/x.store', 'unlistable/y.store']:
          shutil.copy('sample.store', 'tree/' + name); os.chmod('tree/' + name, 0o644)
      with zipfile.ZipFile('tree/d.zip', 'w') as z: z.write('sample.store')
      for name in ['b.store', 'd.zip', 'closed']: os.chmod('tree/' + name, 0)
      os.chmod('tree/unlistable', 0o311); os.chmod('tree', 0o755); os.chmod('.', 0o755)
      """, in: folder)
    let result = try await OtherUser.run(["find", folder.file("tree"), "--json"])
    #expect(
      try Self.paths(result) == ["a.store", "c.store"].map { folder.file("tree/" + $0) })
    #expect(result.status == 3)
    let problems = result.errors.split(separator: "\n")
    #expect(problems.count == 4 && problems.allSatisfy { $0.contains("Permission denied") })
    for name in ["b.store", "closed", "d.zip", "unlistable"] {
      #expect(problems.count { $0.contains("tree/\(name)") } == 1, "\(name)")
    }
  }

  /// Stores, folders and archives come and go, files grow, and a writer saves.
  @Test func `a tree may change during the search`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, shutil
      os.mkdir('tree')
      for i in range(300): shutil.copy('sample.store', 'tree/%04d.store' % i)
      """, in: folder)
    let writer = """
      import os, shutil, sqlite3, tarfile, time
      live = sqlite3.connect('tree/live.store', isolation_level=None)
      end = time.time() + 60
      number = 0
      while not os.path.exists('stop') and time.time() < end:
          number += 1
          with open('tree/0007.store', 'ab') as file: file.write(b'x' * 777)
          live.execute('INSERT INTO ATRANSACTION(Z_PK, ZTIMESTAMP) VALUES (?, 8e8)', (1000 + number,))
          name = 'tree/9%03d' % (number % 7)
          os.mkdir(name); shutil.copy('sample.store', name + '/x.store')
          with tarfile.open(name + '/y.tgz', 'w:gz') as archive: archive.add('sample.store')
          with open('tree/growing.tar', 'ab') as file: file.write(open('sample.store', 'rb').read(5000))
          shutil.rmtree(name)
      """
    try FileBytes.write(
      try FileBytes.read(folder.file("sample.store")), to: folder.file("tree/live.store"))
    _ = try await #require(Tool("sqlite3")).run([
      folder.file("tree/live.store"), "PRAGMA journal_mode = wal",
    ])
    let python = try #require(Tool("python3"))
    async let writing = python.run(["-c", writer], folder: folder.path)
    for _ in 0..<8 {
      let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
      #expect([0, 3].contains(result.status), "\(result.errors)")
      let found = Set(try Self.paths(result))
      let stable = (0..<300).map { "tree/\(String($0 + 10_000).dropFirst()).store" }
      #expect(found.isSuperset(of: stable.filter { $0 != "tree/0007.store" }))
      #expect(found.contains("tree/live.store"))
    }
    try FileBytes.write([], to: folder.file("stop"))
    let written = try await writing
    #expect(written.status == 0, "\(written.errors)")
  }

  @Test func `hundreds of damaged archives are reported`() async throws {
    let folder = try TemporaryFolder()
    let count = Campaign.count(200, 1000)
    try await Self.python(
      """
      import gzip, io, os, random, subprocess, tarfile, zipfile
      random.seed(20); os.mkdir('tree')
      tar = io.BytesIO()
      with tarfile.open(fileobj=tar, mode='w') as t:
          for n in ['a', 'b/c']: t.add('sample.store', n)
      zipped = io.BytesIO()
      with zipfile.ZipFile(zipped, 'w', zipfile.ZIP_DEFLATED) as z:
          for n in ['a', 'b/c']: z.write('sample.store', n)
      zstd = subprocess.run(['zstd', '-c'], input=tar.getvalue(), stdout=subprocess.PIPE).stdout
      kinds = [('.tar', tar.getvalue()), ('.zip', zipped.getvalue()),
          ('.tgz', gzip.compress(tar.getvalue())), ('.tar.zst', zstd)]
      for i in range(\(count)):
          suffix, whole = kinds[i % 4]; b = bytearray(whole)
          for _ in range(random.choice([1, 10, 200])): b[random.randrange(len(b))] = random.randrange(256)
          if i % 3 == 0: b = b[:random.randrange(len(b))]
          if i % 50 == 0: b = bytearray(random.randbytes(5000))
          open('tree/%04d%s' % (i, suffix), 'wb').write(b)
      for suffix, whole in kinds: open('tree/whole' + suffix, 'wb').write(whole)
      """, in: folder)
    let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
    #expect(result.status == 3)
    let found = try Self.paths(result)
    for suffix in [".tar", ".zip", ".tgz", ".tar.zst"] {
      #expect(
        found.contains("tree/whole\(suffix)!/a") && found.contains("tree/whole\(suffix)!/b/c"))
    }
    let problems = result.errors.split(separator: "\n")
    #expect(problems.count > count * 3 / 10 && problems.allSatisfy { $0.contains("tree/") })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("tree")).count == count + 4)
  }

  @Test func `archives may nest and have hostile names`() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try SampleStore.write(to: outside.file("outside.store"))
    try await Self.python(
      """
      import io, os, shutil, tarfile, zipfile
      os.makedirs('tree/deep')
      with zipfile.ZipFile('tree/inner.zip', 'w') as z: z.write('sample.store', 'in.store')
      with zipfile.ZipFile('tree/outer.zip', 'w') as z:
          z.write('tree/inner.zip', 'inner.zip'); z.write('sample.store', '../../up.store')
      with tarfile.open('tree/links.tar', 'w') as t:
          t.add('sample.store', '/etc/absolute.store')
          for kind, name, target in [(tarfile.SYMTYPE, 'soft', '\(outside.path)/outside.store'),
              (tarfile.LNKTYPE, 'hard', '/etc/passwd'), (tarfile.FIFOTYPE, 'pipe', ''),
              (tarfile.CHRTYPE, 'device', ''), (tarfile.DIRTYPE, 'folder', '')]:
              info = tarfile.TarInfo(name); info.type = kind; info.linkname = target; t.addfile(info)
      os.symlink('..', 'tree/deep/loop'); os.symlink('self', 'tree/deep/self')
      os.symlink('inner.zip', 'tree/link.zip'); os.link('sample.store', 'tree/hard.store')
      path = 'tree'
      for i in range(5): path += '/' + 'd' * 50; os.mkdir(path)
      shutil.copy('sample.store', path + '/s')
      """, in: folder)
    let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
    let deep = "tree" + String(repeating: "/" + String(repeating: "d", count: 50), count: 5) + "/s"
    #expect(result.errors == "" && result.status == 0)
    #expect(
      try Self.paths(result) == [
        deep, "tree/hard.store", "tree/inner.zip!/in.store", "tree/links.tar!/etc/absolute.store",
        "tree/outer.zip!/../../up.store",
      ])
    let link = try await Tool.histctl.run(
      ["find", "tree/link.zip", "tree/deep/loop", "--json"], folder: folder.path)
    #expect(link.status == 0 && link.lines.count > 1)
  }

  #if os(Linux)
  /// Linux allows any bytes in names.
  @Test func `names need not be UTF-8`() async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      #"""
      import os, shutil, sqlite3, zipfile
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)"); c.commit()
      os.makedirs(b'tree/\xff\xfe/\xc3\xa9'); os.mkdir('tree/plain')
      for name in [b'tree/caf\xe9.store', b'tree/\xff\xfe/\xc3\xa9/x', b'tree/plain/y']:
          for suffix in [b'', b'-wal']: shutil.copy(b'sample.store' + suffix, name + suffix)
      with zipfile.ZipFile(b'tree/z\x80.zip'.decode('utf-8', 'surrogateescape'), 'w') as z:
          z.write('sample.store', 'in')
      open(b'tree/\xf0\x9f.txt', 'w').write('x' * 1000)
      """#, in: folder)
    let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
    #expect(result.status == 0 && result.errors == "")
    #expect(
      try Self.paths(result) == [
        #"tree/caf\xE9.store"#, "tree/plain/y", #"tree/z\x80.zip!/in"#, #"tree/\xFF\xFE/é/x"#,
      ])
    let bytes = try result.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect((object?["transactions"] as? Int == 13) == (object?["archive"] == nil))
      return (object?["pathBytes"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
    let expected = [
      Array("tree/caf".utf8) + [0xE9] + Array(".store".utf8), nil,
      Array("tree/z".utf8) + [0x80] + Array(".zip!/in".utf8),
      Array("tree/".utf8) + [0xFF, 0xFE] + Array("/é/x".utf8),
    ]
    #expect(bytes == expected)
    let null = try await Tool.histctl.run(["find", "tree", "-0"], folder: folder.path)
    let paths = null.output.split(separator: 0).map { Array($0) }
    #expect(paths == expected.map { $0 ?? Array("tree/plain/y".utf8) })
    let table = try await Tool.histctl.run(["find", "tree"], folder: folder.path)
    #expect(table.text.contains(#"tree/caf\xE9.store"#))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("tree/plain")).count == 2)
  }

  /// A frame says how much memory it needs; neither the first nor a later one gets it.
  @Test(.enabled(if: Tool("zstd") != nil), arguments: ["--long=31", "--long=27"])
  func `a compressed frame gets no more memory than the limit`(_ option: String) async throws {
    let folder = try TemporaryFolder()
    try await Self.python(
      """
      import os, random, subprocess, tarfile
      os.mkdir('tree')
      open('noise', 'wb').write(random.Random(20).randbytes(150_000_000))
      with tarfile.open('all.tar', 'w') as t: t.add('noise'); t.add('sample.store')
      whole = open('all.tar', 'rb')
      # Without a size in advance, the header has the window that was asked for.
      hostile = subprocess.run(
          ['zstd', '-1', '\(option)', '-c'], stdin=subprocess.Popen(
              ['cat', 'all.tar'], stdout=subprocess.PIPE).stdout, stdout=subprocess.PIPE).stdout
      open('tree/first.tar.zst', 'wb').write(hostile)
      small = subprocess.run(['zstd', '-c'], input=whole.read(1024), stdout=subprocess.PIPE).stdout
      rest = subprocess.run(['zstd', '-1', '\(option)', '-c'], stdin=subprocess.Popen(
          ['tail', '-c', '+1025', 'all.tar'], stdout=subprocess.PIPE).stdout,
          stdout=subprocess.PIPE).stdout
      open('tree/second.tar.zst', 'wb').write(small + rest)
      subprocess.run(['zstd', '-q', '-19', 'sample.store', '-o', 'x.zst'], check=True)
      with tarfile.open('s.tar', 'w') as t: t.add('sample.store')
      subprocess.run(['zstd', '-q', '-19', 's.tar', '-o', 'tree/z.tar.zst'], check=True)
      """, in: folder)
    let run = try await MemoryTests.run("find tree", in: folder)
    #expect(run.status == 3)
    #expect(run.kilobytes < 64_000, "\(run.kilobytes) KB")
    for name in ["first", "second"] {
      #expect(run.errors.contains("tree/\(name).tar.zst"), "\(run.errors)")
    }
    #expect(run.errors.contains("too much memory"))
    let result = try await Tool.histctl.run(["find", "tree", "--json"], folder: folder.path)
    #expect(try Self.paths(result) == ["tree/z.tar.zst!/sample.store"])
  }
  #endif
}
