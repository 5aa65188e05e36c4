#if os(Linux)
import TestSupport
import Testing

/// A command takes at most 64 MiB and twice the size of the largest value, whatever has the value.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("python3") != nil))
struct LargeValueMemoryTests {
  /// Sample stores in which one value, or each of several, is large; `Tests/Tools/large_values.py` makes them, and has
  /// the limits and the commands.
  enum Content: String, CaseIterable {
    case mask, masks, text, data, controls, authors, stores, properties, rows, generation, object
  }

  /// Commands that once broke the limit most, in seconds.
  private static let few: [Content: [String]] = [
    .mask: ["log x.store --changes", "show x.store T", "object x.store O", "export x.store"],
    .masks: ["log x.store --changes", "show x.store T", "export x.store"],
    .stores: ["log ALL", "stats ALL"],
    .text: [
      "recover x.store --transaction T", "export x.store", "export x.store --format csv",
      "export x.store -o e.sqlite", "export x.store -o e.jsonl.zst", "log e.jsonl.zst --json",
    ],
    .data: ["object x.store O --json", "recover x.store O --json", "archive x.store sealed"],
    .authors: [
      "prune x.store --keep-last 1 --archive all --yes", "restore x.store all --yes",
    ],
    .properties: ["recover x.store O -o recovered.store", "find ."],
    .object: [
      "snapshot x.store last -o snapshot.store", "diff x.store --with snapshot.store --values",
      "scrub x.store -o scrubbed.store --yes",
    ],
    .generation: ["export x.store -o e.sqlite"],
    .rows: ["prune x.store --keep-last 1 --archive all --yes", "restore x.store all --yes"],
  ]

  /// The memory that the program itself takes more than one that is optimized and has the Swift runtime in it, in MB.
  private static var slack: Int {
    #if DEBUG
    28
    #else
    24
    #endif
  }

  /// Runs `large_values.py`.
  private static func run(_ arguments: [String]) async throws -> Tool.Result {
    try await #require(Tool("python3")).run(
      [Manual.path("Tests/Tools/large_values.py"), Tool.histctl.path] + arguments)
  }

  @Test(arguments: Content.allCases)
  func `memory is bounded by the largest value`(_ content: Content) async throws {
    let commands = Campaign.isEverything ? [] : Self.few[content] ?? []
    guard Campaign.isEverything || !commands.isEmpty else { return }
    let result = try await Self.run(
      ["--content", content.rawValue, "--slack", "\(Self.slack)"]
        + commands.flatMap { ["--command", $0] })
    if Campaign.isEverything { print(result.text) }
    #expect(result.status == 0, "\(result.text)\n\(result.errors)")
  }

  /// Writes the store `x.store`, and returns the transaction and the object of the large change.
  private static func write(
    _ content: Content, to folder: TemporaryFolder
  ) async throws -> (transaction: String, object: String) {
    let made = try await run(["--content", content.rawValue, "--write", folder.path])
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
