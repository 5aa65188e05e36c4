import Foundation
import OpenSwiftData

/// Measures models beside GRDB's records, in turns, and says where a bar is not met.
///
/// ```
/// ModelBenchmark [COUNT] [RUNS]       COUNT objects, 100,000 unless told otherwise; RUNS of each
/// ModelBenchmark enumerate STORE      goes through a store and prints the peak of its memory
/// ModelBenchmark fetch STORE          fetches all models at once and prints the peak of its memory
/// ModelBenchmark task NAME STORE [N]  does one thing once, for a profiler: save, fetch, find
/// ```
@main
enum ModelBenchmark {
  private static let perTransaction = 100
  private static let historyLength = 10_000
  private static let keyCount = 1_000

  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "enumerate" where words.count == 2:
      _ = try ModelTasks(path: words[1]).enumerate()
      print(peakMemory())
    case "fetch" where words.count == 2:
      _ = try ModelTasks(path: words[1]).fetch(rating: 0)
      print(peakMemory())
    case "task" where words.count >= 3:
      try runTask(words[1], words[2], count: words.count > 3 ? Int(words[3]) ?? 1000 : 1000)
    default:
      try measure(
        count: words.first.flatMap { Int($0) } ?? 100_000,
        runs: words.dropFirst().first.flatMap { Int($0) } ?? 5)
    }
  }

  private static func runTask(_ name: String, _ path: String, count: Int) throws {
    let models = ModelTasks(path: path)
    switch name {
    case "save": try models.save(count, perTransaction: perTransaction)
    case "save-records", "save-history-records":
      try RecordTasks(path: path, keepsHistory: name == "save-history-records")
        .save(count, perTransaction: perTransaction)
    case "fetch": print(try models.fetch(rating: 0))
    case "fetch-records": print(try RecordTasks(path: path).fetch(rating: 0))
    case "find": print(try models.find(models.keys(count)))
    case "find-records":
      let records = RecordTasks(path: path)
      print(try records.find(records.keys(count)))
    case "change": try models.change(transactions: count)
    case "change-history-records":
      try RecordTasks(path: path, keepsHistory: true).change(transactions: count)
    case "history", "stream":
      guard let token = try models.token(before: count) else { return }
      print(
        name == "history"
          ? try models.fetchHistory(after: token) : try models.streamHistory(after: token))
    default: fail("no task \(name)")
    }
  }

  private static func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("ModelBenchmark: \(text)\n".utf8))
    exit(1)
  }

  // MARK: - In turns

  private static func measure(count: Int, runs: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("model-benchmark-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let models = ModelTasks(path: folder + "/models.store")
    let records = RecordTasks(path: folder + "/records.sqlite")
    let recorded = RecordTasks(path: folder + "/history.sqlite", keepsHistory: true)

    func remove(_ path: String) {
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + ending)
      }
    }
    print("| | median | fastest to slowest | ratio | bar |")
    print("|---|---:|---:|---:|---:|")
    var isMet = true
    func report(
      _ title: String, _ base: (name: String, Measurement), _ own: (name: String, Measurement),
      bar: Double
    ) {
      let ratio = own.1.median / base.1.median
      isMet = isMet && ratio <= bar
      print("| \(title): \(base.name) | \(base.1.text) | | |")
      print(
        "| \(title): \(own.name) | \(own.1.text) | \((ratio * 100).rounded() / 100) × | \(bar) × |")
    }
    func checkHistory() throws {
      let count = try recorded.differences(from: models.path)
      guard count == 0 else { fail("\(count) rows of the history differ") }
    }

    var (saved, savedRecords, savedHistory) = (Measurement(), Measurement(), Measurement())
    for _ in 0..<runs {
      remove(records.path)
      try savedRecords.add { try records.save(count, perTransaction: perTransaction) }
      remove(recorded.path)
      try savedHistory.add { try recorded.save(count, perTransaction: perTransaction) }
      remove(models.path)
      try saved.add { try models.save(count, perTransaction: perTransaction) }
    }
    print("| save \(count): GRDB, no history | \(savedRecords.text) | | |")
    report(
      "save \(count)", ("GRDB, the same history", savedHistory), ("OpenSwiftData", saved),
      bar: 1.25)
    try checkHistory()

    var (fetched, fetchedRecords) = (Measurement(), Measurement())
    for _ in 0..<runs {
      let expected = try fetchedRecords.add { try records.fetch(rating: 0) }
      let found = try fetched.add { try models.fetch(rating: 0) }
      guard found == expected else { fail("the fetches give \(found) and \(expected)") }
    }
    report("fetch \(count)", ("GRDB", fetchedRecords), ("OpenSwiftData", fetched), bar: 1.35)

    let (keys, recordKeys) = (try models.keys(keyCount), try records.keys(keyCount))
    var (located, locatedRecords) = (Measurement(), Measurement())
    for _ in 0..<runs {
      let expected = try locatedRecords.add { try records.find(recordKeys) }
      let found = try located.add { try models.find(keys) }
      guard found == expected else { fail("the keys give \(found) and \(expected)") }
    }
    report(
      "by key \(keyCount)", ("GRDB", locatedRecords), ("OpenSwiftData", located), bar: 0.8)
    try isMet = reportPeak(of: "fetch", count, models, bar: 120) && isMet

    var (changed, changedRecords) = (Measurement(), Measurement())
    for _ in 0..<runs {
      try changedRecords.add { try recorded.change(transactions: historyLength / runs) }
      try changed.add { try models.change(transactions: historyLength / runs) }
    }
    report(
      "save changes \(historyLength / runs) times", ("GRDB, the same history", changedRecords),
      ("OpenSwiftData", changed), bar: 1.25)
    try checkHistory()

    guard let token = try models.token(before: historyLength) else { fail("there is no history") }
    var (history, streamed) = (Measurement(), Measurement())
    for _ in 0..<runs {
      let expected = try streamed.add { try models.streamHistory(after: token) }
      let found = try history.add { try models.fetchHistory(after: token) }
      guard found == expected else { fail("the histories have \(found) and \(expected) changes") }
    }
    report(
      "history of \(historyLength)", ("HistoryReader", streamed), ("fetchHistory", history),
      bar: 2)

    let large = ModelTasks(path: folder + "/large.store")
    try large.save(count * 4, perTransaction: 10_000)
    try isMet = reportPeak(of: "enumerate", count, models) && isMet
    try isMet = reportPeak(of: "enumerate", count * 4, large) && isMet
    if !isMet { fail("a bar is not met") }
  }

  /// Prints the peak memory of a task in a program of its own, and returns whether it is within a
  /// bar in megabytes.
  private static func reportPeak(
    of task: String, _ count: Int, _ models: ModelTasks, bar: Double = .infinity
  ) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [task, models.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      fail("\(task) prints no figure")
    }
    let peak = (Double(bytes) / 1e5).rounded() / 10
    print("| \(task) \(count): peak memory | \(peak) MB | | | \(bar.isFinite ? "\(bar) MB" : "") |")
    return peak <= bar
  }
}
