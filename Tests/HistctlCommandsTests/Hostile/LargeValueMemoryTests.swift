#if os(Linux)
import TestSupport
import Testing

/// A command takes at most 64 MiB and twice the size of the largest value, whatever has the value.
@Suite(.bounded, .enabled(if: Tool("python3") != nil)) struct LargeValueMemoryTests {
  /// A sample store in which one value, or each of several, is large.
  enum Content: String, CaseIterable {
    case mask, text, data, controls, authors, properties, rows, generation, object

    /// The size of the largest value in bytes.
    var largest: Int {
      switch self {
      case .mask: 40 << 20
      case .text, .data, .controls, .properties, .generation, .object: 30 << 20
      case .authors: 10 << 20
      case .rows: 1_000_000
      }
    }

    /// Makes values large. `{size}` is ``largest``.
    var script: String {
      let tombstone = { (value: String) in
        """
        UPDATE ACHANGE SET ZTOMBSTONE0 = \(value)
        WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 2)
        """
      }
      switch self {
      case .mask:
        return """
          UPDATE ACHANGE SET ZCOLUMNS = CAST(printf('%.*c', {size}, 'x') AS BLOB)
          WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 1)
          """
      case .text: return tombstone("printf('%.*c', {size}, 'x')")
      case .data: return tombstone("zeroblob({size})")
      case .controls: return tombstone("printf('%.*c', {size}, char(1))")
      case .authors:
        return """
          CREATE TEMP TABLE number AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
            SELECT i, (SELECT max(Z_PK) FROM ATRANSACTIONSTRING) + 1 + i AS pk FROM n;
          INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT pk, 16003, 1, printf('%.*c', {size}, char(97 + i)) FROM number;
          UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(pk) FROM number) WHERE Z_ENT = 16003;
          UPDATE ATRANSACTION SET ZAUTHORTS = (SELECT pk FROM number WHERE i = ATRANSACTION.Z_PK % 10)
          WHERE Z_PK > (SELECT max(Z_PK) - 12 FROM ATRANSACTION)
          """
      case .rows:
        return """
          UPDATE ACHANGE SET ZCHANGETYPE = 2, ZCOLUMNS = NULL, ZTOMBSTONE0 = zeroblob({size}),
            ZTOMBSTONE1 = printf('%.*c', {size}, 'x')
          WHERE Z_PK > (SELECT max(Z_PK) - 60 FROM ACHANGE)
          """
      case .generation:
        return """
          UPDATE ATRANSACTION SET ZQUERYGEN = zeroblob({size})
          WHERE Z_PK = (SELECT max(Z_PK) - 1 FROM ATRANSACTION)
          """
      case .object:
        return """
          UPDATE ZTRIP SET ZNAME = printf('%.*c', {size}, 'x') WHERE Z_PK = (SELECT max(Z_PK) FROM ZTRIP)
          """
      case .properties:
        // A property list with one more value is made by the script in Python.
        return ""
      }
    }
  }

  struct Case: CustomTestStringConvertible {
    let content: Content
    let command: String
    var testDescription: String { "\(content): \(command)" }
  }

  /// The commands, in an order in which the files of later ones exist. `T` is the transaction of the large
  /// change and `O` its object.
  static let commands = [
    "info x.store", "log x.store", "log x.store --changes", "log x.store --json", "show x.store T",
    "show x.store T --json", "diff x.store 0", "diff x.store 0 --json", "object x.store O",
    "object x.store O --json", "blame x.store O", "stats x.store", "export x.store",
    "export x.store --format changes", "export x.store --format cloudevents",
    "export x.store --format debezium", "export x.store --format csv",
    "export x.store --format timesketch", "export x.store --format bodyfile",
    "export x.store -o e.sqlite", "export x.store -o e.jsonl.zst", "export x.store -o e.jsonl.gz",
    "export x.store --output-dir folder --bookmark nightly", "log e.jsonl.zst --json",
    "export e.jsonl.zst --format csv", "report x.store -o r.html", "find .", "verify x.store",
    "verify x.store --full", "check x.store --max-size 1G", "token show x.store last",
    "rehearse x.store last -o rehearsed.store", "scrub x.store -o scrubbed.store --yes --authors",
    "archive x.store sealed", "info sealed", "log sealed --json", "log sealed --changes",
    "diff sealed 0", "stats sealed", "object sealed O", "export sealed",
    "export sealed --format csv", "export sealed -o s.sqlite", "verify sealed",
    "verify sealed --full",
    "prune x.store --keep-last 1 --archive all --yes", "restore x.store all --yes",
    "prune x.store --keep-last 1 --yes", "compact x.store",
  ]

  /// Those that broke the limit most, in seconds.
  private static let few: [Content: [String]] = [
    .mask: ["log x.store --changes", "show x.store T", "object x.store O", "export x.store"],
    .text: [
      "export x.store", "export x.store --format csv", "export x.store -o e.sqlite",
      "log e.jsonl.zst --json",
    ],
    .rows: ["prune x.store --keep-last 1 --archive all --yes", "restore x.store all --yes"],
  ]

  /// The memory that the program itself takes more than one that is optimized, in bytes.
  private static var slack: Int {
    #if DEBUG
    28 << 20
    #else
    4 << 20
    #endif
  }

  @Test(arguments: Content.allCases)
  func `memory is bounded by the largest value`(_ content: Content) async throws {
    let commands = Campaign.isEverything ? Self.commands : Self.few[content] ?? []
    guard !commands.isEmpty else { return }
    let folder = try TemporaryFolder()
    let (transaction, object) = try await Self.write(content, to: folder)
    for command in commands {
      let line = command.split(separator: " ").map { word in
        word == "T" ? transaction : word == "O" ? object : String(word)
      }.joined(separator: " ")
      let run = try await MemoryTests.run(line, in: folder)
      let limit = 64 << 20 + 2 * content.largest + Self.slack
      #expect(
        run.kilobytes << 10 <= limit,
        "\(content), \(line): \(run.kilobytes >> 10) MiB (limit \(limit >> 20)), \(run.errors)")
    }
  }

  /// Writes the store `x.store`, and returns the transaction and the object of the large change.
  private static func write(
    _ content: Content, to folder: TemporaryFolder
  ) async throws -> (transaction: String, object: String) {
    let demo = try await Tool.histctl.run(
      ["demo", folder.path, "--ending", "2026-11-20"], folder: folder.path)
    try #require(demo.status == 0, "\(demo.errors)")
    let script = """
      import os, plistlib, sqlite3, sys
      folder, sql, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
      os.rename(folder + '/trips.store', folder + '/x.store')
      store = sqlite3.connect(folder + '/x.store')
      store.executescript(sql.replace('{size}', str(size)))
      if not sql:
        properties = plistlib.loads(store.execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()[0])
        properties['large'] = bytes(size)
        store.execute('UPDATE Z_METADATA SET Z_PLIST = ?',
                      (plistlib.dumps(properties, fmt=plistlib.FMT_BINARY),))
      store.commit()
      store.execute('PRAGMA wal_checkpoint(TRUNCATE)')
      print(*store.execute('''
        SELECT ZTRANSACTIONID, Z_NAME || '/p' || ZENTITYPK
        FROM ACHANGE JOIN Z_PRIMARYKEY ON Z_PRIMARYKEY.Z_ENT = ZENTITY
        ORDER BY length(coalesce(ZCOLUMNS, 0)) DESC, length(CAST(coalesce(ZTOMBSTONE0, 0) AS BLOB)) DESC
        LIMIT 1''').fetchone())
      """
    let made = try await #require(Tool("python3")).run(
      ["-c", script, folder.path, content.script, "\(content.largest)"])
    try #require(made.status == 0, "\(made.errors)")
    let words = made.text.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 2)
    return (words[0], words[1])
  }

  @Test
  func `a value that is too long for a format is named in the error`() async throws {
    let folder = try TemporaryFolder()
    let (transaction, _) = try await Self.write(.mask, to: folder)
    let tables = try await Tool.histctl.run(
      ["export", "x.store", "-o", "e.sqlite"], folder: folder.path)
    #expect(tables.status == 2)
    #expect(tables.errors.contains("transaction \(transaction), change "), "\(tables.errors)")
    #expect(tables.errors.contains("longer than 16 MiB"), "\(tables.errors)")
    let sealed = try await Tool.histctl.run(
      ["prune", "x.store", "--keep-last", "1", "--archive", "sealed", "--yes"], folder: folder.path)
    #expect(sealed.status == 2)
    #expect(sealed.errors.contains("cannot seal transaction \(transaction) "), "\(sealed.errors)")
    #expect(sealed.errors.contains("is longer than 32 MiB"), "\(sealed.errors)")
  }

  @Test
  func `long values are written byte for byte in every format`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.write(.text, to: folder)
    // Texts with quotes, controls and letters beyond ASCII, just longer than the pieces.
    let script = """
      import base64, csv, json, os, random, sqlite3, subprocess, sys
      folder, histctl = sys.argv[1:3]
      csv.field_size_limit(1 << 30)
      generator = random.Random(7)
      text = ''.join(generator.choice('a"\\\\\\n\\x01,é中😀') for _ in range(700000))
      data = generator.randbytes(900001)
      malformed = b'\\xff' + generator.randbytes(300000)
      store = sqlite3.connect(folder + '/x.store')
      changes = [row[0] for row in store.execute(
          "SELECT Z_PK FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZENTITY = "
          "(SELECT ZENTITY FROM ACHANGE ORDER BY length(CAST(coalesce(ZTOMBSTONE0, 0) AS BLOB)) DESC LIMIT 1) "
          "ORDER BY Z_PK DESC LIMIT 3")]
      for change, value in zip(changes, (text, data, malformed)):
        sql = 'UPDATE ACHANGE SET ZTOMBSTONE0 = %s WHERE Z_PK = ?' % (
            'CAST(? AS TEXT)' if value is malformed else '?')
        store.execute(sql, (value, change))
      store.execute('UPDATE ATRANSACTIONSTRING SET ZNAME = ? WHERE Z_PK = '
                    '(SELECT max(ZAUTHORTS) FROM ATRANSACTION)', (text,))
      author = store.execute('SELECT max(ZAUTHORTS) FROM ATRANSACTION').fetchone()[0]
      saved = [row[0] for row in store.execute(
          'SELECT Z_PK FROM ATRANSACTION WHERE ZAUTHORTS = ?', (author,))]
      store.commit()
      store.close()
      wanted = {change: value for change, value in zip(changes, (
          text, {'$blob': base64.b64encode(data).decode()},
          {'$text': base64.b64encode(malformed).decode()}))}
      def export(*arguments):
        run = subprocess.run([histctl, 'export', folder + '/x.store', *arguments], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        assert run.returncode == 0, (arguments, run.stderr)
        return run.stdout.decode()
      def first(values): return next(iter(values.values()))
      found = 0
      for line in export().splitlines():
        line = json.loads(line)
        assert (line.get('author') == text) == (line['transaction'] in saved)
        for change in line['changes']:
          if change['change'] in wanted:
            assert first(change['tombstone']) == wanted[change['change']]; found += 1
      for format in ('changes', 'timesketch'):
        for line in export('--format', format).splitlines():
          line = json.loads(line)
          assert (line.get('author') == text) == (line['transaction'] in saved)
          if format == 'timesketch': assert line['message'].endswith(text) == (line['transaction'] in saved)
          if line['change'] in wanted:
            tombstone = line['tombstone']
            if format == 'timesketch': tombstone = json.loads(tombstone)
            assert first(tombstone) == wanted[line['change']]; found += 1
      for line in export('--format', 'cloudevents').splitlines():
        line = json.loads(line)['data']
        assert (line.get('author') == text) == (line['transaction'] in saved)
        if line['change'] in wanted:
          assert first(line['tombstone']) == wanted[line['change']]; found += 1
      for line in export('--format', 'debezium').splitlines():
        line = json.loads(line)
        assert (line['source'].get('author') == text) == (int(line['transaction']['id']) in saved)
        if line['source']['change'] in wanted:
          row = line['before']; row.pop('Z_PK')
          assert first(row) == wanted[line['source']['change']]; found += 1
      import io
      for line in csv.DictReader(io.StringIO(export('--format', 'csv'), newline='')):
        assert (line['author'] == text) == (int(line['transaction']) in saved)
        if int(line['change']) in wanted:
          assert first(json.loads(line['tombstone'])) == wanted[int(line['change'])]; found += 1
      export('-o', folder + '/long.sqlite')
      tables = sqlite3.connect(folder + '/long.sqlite')
      for change, value in zip(changes, (text, data, json.dumps(wanted[changes[2]], separators=(',', ':')))):
        rows = tables.execute('SELECT value FROM tombstones WHERE changeId = ? ORDER BY length(value) DESC',
                              (change,)).fetchall()
        assert rows[0][0] == value; found += 1
      assert [row[0] for row in tables.execute(
          'SELECT t.id FROM transactions AS t JOIN authors AS a ON a.id = t.authorId '
          'WHERE a.name = ? ORDER BY t.id', (text,))] == sorted(saved)
      assert found == 3 * 7, found
      """
    let run = try await #require(Tool("python3")).run(
      ["-c", script, folder.path, Tool.histctl.path])
    #expect(run.status == 0, "\(run.errors)")
  }
}
#endif
