import Foundation
import TestSupport
import Testing

/// Stores that `find --extract` copies, beside what Python unpacks.
@Suite(.bounded) struct ExtractionTests {
  /// Makes a zip file, a tar file and a backup with the sample store, whose last save is in its log, and `plain.store`.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("sample.store"))
    try await python(
      """
      import hashlib, os, shutil, sqlite3, tarfile, zipfile
      c = sqlite3.connect('sample.store'); c.execute('pragma journal_mode=wal')
      c.execute("insert into ATRANSACTION(Z_PK, ZTIMESTAMP) values (1000, 8e8)")
      c.execute("update Z_PRIMARYKEY set Z_MAX = 1000 where Z_ENT = 16002"); c.commit()
      os.makedirs('tree/backup'); open('large', 'wb').write(b'x' * 200_000)
      # The end of this program empties the log.
      for e in ['', '-wal']: shutil.copy('sample.store' + e, 'part' + e)
      parts = [('part', ''), ('part-wal', '-wal')]
      with zipfile.ZipFile('tree/a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
          for f, e in parts: z.write(f, 'in/s' + e)
          z.write('large', 'in/.s_SUPPORT/_EXTERNAL_DATA/L')
          z.write('large', 'in/other')
          for n in ['../../up', '/root', '100%/\\x1b[31m']: z.write('part', n)
      with tarfile.open('tree/b.tgz', 'w:gz') as t:
          t.add('large', 'in/s')
          for f, e in parts: t.add(f, 'in/s' + e)
          for n in ['a//b', 'a/b']:
              i = t.gettarinfo('part'); i.name = n
              with open('part', 'rb') as f: t.addfile(i, f)
      m = sqlite3.connect('tree/backup/Manifest.db')
      m.execute('create table Files(fileID text primary key, domain, relativePath, flags, file)')
      for f, e in parts:
          d, p = 'AppDomain-com.example.app', 'Library/App.store' + e
          h = hashlib.sha1((d + '-' + p).encode()).hexdigest()
          os.mkdir('tree/backup/' + h[:2]); shutil.copy(f, 'tree/backup/' + h[:2] + '/' + h)
          m.execute('insert into Files values (?, ?, ?, 1, null)', (h, d, p))
      m.commit()
      shutil.copy('part', 'tree/plain.store')
      """, in: folder)
    return folder
  }

  @discardableResult
  private static func python(
    _ program: String, in folder: TemporaryFolder
  ) async throws -> [String] {
    let result = try await #require(Tool("python3")).run(["-c", program], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines
  }

  private static func find(
    _ arguments: [String], in folder: TemporaryFolder
  ) async throws -> Tool.Result {
    try await Tool.histctl.run(["find"] + arguments, folder: folder.path)
  }

  @Test func `stores come out of archives and backups with all their files`() async throws {
    let folder = try await Self.folder()
    let result = try await Self.find(["tree", "--extract", "new/out", "--json"], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let differences = try await Self.python(
      #"""
      import hashlib, json, os
      sample, log, large = (open(n, 'rb').read() for n in ['part', 'part-wal', 'large'])
      expected = {
          'tree/a.zip/in/s': sample, 'tree/a.zip/in/s-wal': log,
          'tree/a.zip/in/.s_SUPPORT/_EXTERNAL_DATA/L': large,
          'tree/a.zip/%2E%2E/%2E%2E/up': sample, 'tree/a.zip/root': sample,
          'tree/b.tgz/a/b': sample, 'tree/b.tgz/a/b%': sample,
          'tree/a.zip/100%25/%1B[31m': sample,
          'tree/b.tgz/in/s': sample, 'tree/b.tgz/in/s-wal': log,
          'tree/backup/AppDomain-com.example.app/Library/App.store': sample,
          'tree/backup/AppDomain-com.example.app/Library/App.store-wal': log}
      found = {os.path.relpath(os.path.join(d, n), 'new/out') for d, _, names in os.walk('new/out') for n in names}
      print(*sorted(found ^ (set(expected) | {'extracted.jsonl'})))
      for name, content in expected.items():
          if open('new/out/' + name, 'rb').read() != content: print(name)
      lines = [json.loads(l) for l in open('new/out/extracted.jsonl')]
      for line in lines:
          content = expected.pop(line['path'])
          if (line['bytes'], line['sha256']) != (len(content), hashlib.sha256(content).hexdigest()): print(line)
      print(*expected)
      print(*[l['from'] for l in lines if l['path'].endswith('up') or 'backup' in l['path']], sep='\n')
      """#, in: folder)
    #expect(
      differences == [
        "tree/a.zip!/../../up",
        "tree/backup!/AppDomain-com.example.app/Library/App.store",
        "tree/backup!/AppDomain-com.example.app/Library/App.store-wal",
      ])
    let last = try #require(result.lines.last)
    let record = try #require(
      try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(record["type"] as? String == "extraction")
    #expect(record["stores"] as? Int == 8 && record["files"] as? Int == 12)
    try await SchemaCheck.expectFits(result.text)
    let list = try String(contentsOfFile: folder.file("new/out/extracted.jsonl"), encoding: .utf8)
    try await SchemaCheck.expectFits(list)
    for store in ["a.zip/in/s", "backup/AppDomain-com.example.app/Library/App.store"] {
      let count = try await Tool.histctl.run(
        ["log", "new/out/tree/" + store, "--count"], folder: folder.path)
      #expect(count.lines == ["13"], "\(count.errors)")
    }
  }

  @Test func `a store whose file cannot be copied is left out`() async throws {
    let folder = try await Self.folder()
    try await Self.python(
      """
      import zipfile
      b = bytearray(open('tree/a.zip', 'rb').read())
      with zipfile.ZipFile('tree/a.zip') as z: i = z.getinfo('in/.s_SUPPORT/_EXTERNAL_DATA/L')
      b[i.header_offset + 30 + len(i.filename) + 20] ^= 255
      open('tree/a.zip', 'wb').write(b)
      """, in: folder)
    let result = try await Self.find(["tree/a.zip", "--extract", "out", "-q"], in: folder)
    #expect(result.status == 3)
    #expect(result.errors.contains("in/.s_SUPPORT/_EXTERNAL_DATA/L"), "\(result.errors)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.file("out"))
    #expect(names.contains("tree/a.zip/root"))
    let files = try names.filter {
      try FileManager.default.attributesOfItem(atPath: folder.file("out/" + $0))[.type]
        as? FileAttributeType == .typeRegular
    }
    #expect(!files.contains { $0.hasPrefix("tree/a.zip/in/") }, "\(files)")
  }

  @Test func `commands that change a store refuse one in an archive by that, not as missing`()
    async throws
  {
    let folder = try await Self.folder()
    for arguments in [["prune", "--keep-last", "2"], ["scrub", "-o", "copy.store"]] {
      let result = try await Tool.histctl.run(
        [arguments[0], "tree/a.zip!/in/s"] + arguments.dropFirst(), folder: folder.path)
      #expect(result.status != 0 && !result.errors.contains("no file at"), "\(result.errors)")
    }
    let cut = try FileBytes.read(folder.file("tree/a.zip")).prefix(3000)
    try FileBytes.write(Array(cut), to: folder.file("cut.zip"))
    let log = try await Tool.histctl.run(["log", "cut.zip!/in/s"], folder: folder.path)
    #expect(log.status == 9 && log.errors.contains("hint: unpack the archive"), "\(log.errors)")
  }

  @Test func `only listed stores are extracted, and only into a new folder`() async throws {
    let folder = try await Self.folder()
    let plain = try await Self.find(["tree/plain.store", "--extract", "out"], in: folder)
    #expect(plain.status == 0 && plain.errors.contains("out was not made"), "\(plain.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
    let newer = try await Self.find(
      ["tree", "--changed-after", "2026-11-01", "--extract", "out"], in: folder)
    #expect(newer.errors.contains("out was not made"), "\(newer.errors)")
    try FileManager.default.createDirectory(
      atPath: folder.file("out"), withIntermediateDirectories: false)
    let first = try await Self.find(["tree/b.tgz", "--extract", "out"], in: folder)
    #expect(first.status == 0 && first.errors.contains("copied 3 stores to out"), "\(first.errors)")
    let second = try await Self.find(["tree/b.tgz", "--extract", "out"], in: folder)
    #expect(second.status == 9 && second.errors.contains("out already exists"), "\(second.errors)")
    #expect(second.output.isEmpty)
    let stream = try await Self.find(["tree", "--extract", "-"], in: folder)
    #expect(stream.status == 64)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.contains(".partial-")
      }.isEmpty)
  }
}
