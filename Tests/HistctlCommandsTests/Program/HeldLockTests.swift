import Foundation
import StoreFormat
import TestSupport
import Testing

/// Locks of a connection while other jobs of the same process work on its store.
@Suite(.bounded, .needsOptimization, .serialized, .enabled(if: Tool("python3") != nil))
struct HeldLockTests {
  /// Asks from another process whether the locks of a connection to a store in WAL mode are held.
  private static func areHeld(_ path: String) async throws -> Bool {
    let result = try await #require(Tool("python3")).run([
      "-c",
      """
      import fcntl, sys
      def held(path, start, length):
          with open(path, 'r+b') as file:
              try:
                  fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
                  return False
              except OSError:
                  return True
      path = sys.argv[1]
      print(held(path, 0x40000002, 510), held(path + '-shm', 128, 1))
      """, path,
    ])
    #expect(result.status == 0, "\(result.errors)")
    return result.lines == ["True True"]
  }

  /// What is done while a connection has the store open: `STORE` is its path, `LINK` a second name, `COPY` an older
  /// copy, `NEW` something that does not exist.
  private static let jobs = [
    "info STORE", "info --hashes STORE", "info --model STORE", "info --private-copy NEW STORE",
    "log STORE", "log --private-copy NEW STORE", "log LINK", "show STORE last", "diff STORE 3 7",
    "diff STORE --with COPY", "diff STORE --with LINK", "object STORE Trip/p1",
    "blame STORE Trip/p1", "stats STORE", "report STORE -o NEW", "find FOLDER", "find LINK",
    "export STORE -o NEW", "export STORE -o LINK", "export STORE --output-dir FOLDER --bookmark a",
    "archive STORE NEW", "prune STORE --keep-last 10 --dry-run",
    "prune STORE --keep-last 10 --yes", "prune STORE --keep-last 8 --yes --archive NEW",
    "prune STORE --keep-last 6 --yes --archive NEW --ignore-guard damage",
    "prune STORE --keep-last 6 --yes --archive LINK",
    "compact STORE", "compact STORE --full", "check STORE --max-age 1d", "verify STORE",
    "verify LINK", "token show STORE 3", "token check STORE @LINK", "bookmark list STORE",
    "bookmark list STORE --bookmark-file LINK", "bookmark set STORE b last",
    "snapshot STORE last -o NEW", "scrub STORE -o NEW --yes",
    "scrub STORE -o NEW --yes --key LINK",
    "rehearse STORE last -o NEW", "restore STORE ARCHIVE --yes", "maintain --config CONFIG",
    "maintain --config LINK", "record STORE --once", "record STORE --once --values-file LINK",
    "check --stores-from LINK --max-age 1d",
  ]

  @Test(arguments: jobs)
  func `no job drops the locks of a connection in the same process`(_ job: String) async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("link"))
    try SampleStore.write(to: folder.file("copy.store"))
    let sealed = try await Tool.histctl.run(["archive", path, folder.file("archive")])
    #expect(sealed.status == 0, "\(sealed.errors)")
    let config =
      "[a]\nstore = \(path)\nprune.keep-last = 5\nprune.archive = \(folder.file("new"))\n"
    try FileBytes.write(Array(config.utf8), to: folder.file("config"))
    let file = try StoreFile(path: path)
    #expect(try file.read { try $0.transactionCount() } == 12)
    #expect(try await Self.areHeld(path))

    let places = [
      "STORE": path, "LINK": folder.file("link"), "COPY": folder.file("copy.store"),
      "NEW": folder.file("new"), "FOLDER": folder.path, "ARCHIVE": folder.file("archive"),
      "CONFIG": folder.file("config"),
    ]
    let arguments = job.split(separator: " ").map { word in
      places[String(word)] ?? (word == "@LINK" ? "@" + folder.file("link") : String(word))
    }
    let result = try await InProcess.run(arguments, always: true)
    // A job whose command line is refused tests nothing, but for one that is refused because of the link.
    #expect(result.status != 64 || job.contains("LINK"), "\(result.errors)")
    #expect(try await Self.areHeld(path), "\(result.errors)")
    try withExtendedLifetime(file) { _ = try file.read { try $0.transactionCount() } }
  }
}
