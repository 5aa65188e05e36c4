#if os(Linux)
import TestSupport
import Testing

/// Reading a manifest or a catalog takes at most 64 MB and twice the largest single value, whatever the
/// file has. The archives are made by a script that computes every digest correctly.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("python3") != nil))
struct HostileArchiveMemoryTests {
  private static let script = """
    import glob, hashlib, json, sys
    folder, kind = sys.argv[1:3]
    size = 23 << 19
    path = glob.glob(folder + '/*/*.json')[0]
    text = open(path).read()
    def insert(place, value):
        global text
        text = text.replace(place, place + value, 1)
    def frames(count):
        return ''.join('{"transaction":%d,"transactions":1,"offset":%d,"bytes":1,"textBytes":1},'
                       % (i + 1, i) for i in range(count))
    def entities(count, properties, value):
        return ''.join('{"number":%d,"slots":[],"tombstone":[%s]},'
                       % (i - 100000, ','.join([value] * properties)) for i in range(count))
    if kind == 'frames': insert('"frames":[', frames(131000))
    if kind == 'too many frames': insert('"frames":[', frames(200000))
    if kind == 'counts': insert('"counts":[', '{"inserts":0,"updates":0,"deletes":0},' * (size // 38))
    if kind == 'properties': insert('"entities":[', entities(15, 4096, '["%s",100]' % ('x' * 170)))
    if kind == 'short properties': insert('"entities":[', entities(400, 4096, '["",0]'))
    if kind == 'entities': insert('"entities":[', entities(400000, 0, ''))
    if kind == 'strings': insert('"modelVersions":[', '"",' * (size // 3))
    if kind == 'values': insert('{', '"values":[%s0],' % ('{"a":0},' * (size // 8)))
    if kind == 'members': insert('{', ''.join('"%d":0,' % i for i in range(size // 10)))
    if kind == 'text': insert('{', '"text":"%s",' % ('x' * size))
    open(path, 'w').write(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    first = json.loads(open(folder + '/catalog.jsonl').readline())
    limit = {'catalog': 32 << 20, 'too long catalog': 40 << 20}.get(kind, 1)
    lines, length, previous, number = [], 0, '0' * 64, first['last']
    while length < limit:
        low = first['first'] if not lines else number
        line = '{"schema":1,"type":"segment","store":"%s","first":%d,"last":%d' % (
            first['store'], low, number)
        line += ',"manifestSHA256":"%s","previousSHA256":"%s"' % (digest, previous)
        line += ',"lineSHA256":"%s"}\\n' % hashlib.sha256(line.encode()).hexdigest()
        length += len(line)
        if limit > 1 and length > limit: break
        lines.append(line)
        previous, number = hashlib.sha256(line.encode()).hexdigest(), number + 2
    open(folder + '/catalog.jsonl', 'w').write(''.join(lines))
    """

  @Test(arguments: [
    "frames", "too many frames", "counts", "properties", "short properties", "entities",
    "strings", "values", "members", "text", "catalog", "too long catalog",
  ])
  func `memory for manifests and catalogs is bounded`(_ kind: String) async throws {
    let sample = try SampleFolder()
    let sealed = try await sample.run("archive sample.store sealed -q")
    try #require(sealed.status == 0)
    let archive = sample.folder.file("sealed")
    let forged = try await #require(Tool("python3")).run(["-c", Self.script, archive, kind])
    try #require(forged.status == 0, "\(forged.errors)")
    let largest = kind == "text" ? 23 << 9 : 0
    for command in [
      "info sealed", "log sealed -n 1", "verify sealed", "restore sample.store sealed -n",
    ] {
      let run = try await MemoryTests.run(command, in: sample.folder)
      // The libraries that find reads archives with take 4 MB, which are not counted. Restoring checks a
      // manifest of 12 MB as verify does while it has read it for its plan.
      let limit = command.hasPrefix("restore") ? 112 : 68
      #expect(
        run.kilobytes < limit << 10 + 2 * largest, "\(command): \(run.kilobytes) KB, \(run.errors)")
    }
  }
}
#endif
