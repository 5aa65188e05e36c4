import Foundation
import TestSupport
import Testing

/// What is written never takes the place of the data that it is made of.
@Suite(.bounded) struct OutputPathTests {
  @Test(arguments: [
    "sample.store", "./sample.store", "sample.store-wal", "sample.store-shm",
    "sample.store-journal", "sample.store-bookmarks.json", "sample.store-unfinished-save",
    "soft.store", "hard.store", ".sample_SUPPORT/x",
  ])
  func `an export does not overwrite the store or its files`(_ place: String) async throws {
    let folder = try SampleFolder()
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: folder.folder.file("soft.store"), withDestinationPath: "sample.store")
    try manager.linkItem(atPath: folder.store, toPath: folder.folder.file("hard.store"))
    try manager.createDirectory(
      atPath: folder.folder.file(".sample_SUPPORT"), withIntermediateDirectories: true)
    _ = try await folder.run("bookmark set sample.store me 3")
    let before = try FileBytes.read(folder.store)
    let bookmarks = try FileBytes.read(folder.store + "-bookmarks.json")
    for source in ["sample.store", "soft.store"] {
      let result = try await folder.run("export \(source) -o \(place) --overwrite --format jsonl")
      #expect(result.status == 64, "\(result.errors)")
      #expect(result.errors.contains("would overwrite \(source)"))
    }
    #expect(try FileBytes.read(folder.store) == before)
    #expect(try FileBytes.read(folder.store + "-bookmarks.json") == bookmarks)
    #expect(!manager.fileExists(atPath: folder.store + "-journal"))
    #expect(!manager.fileExists(atPath: folder.folder.file(".sample_SUPPORT/x")))
  }

  @Test
  func `an option that contradicts the extension of a file is refused`() async throws {
    let folder = try SampleFolder()
    for line in [
      "--compress none -o a.jsonl.zst", "--compress gzip -o a.jsonl.zst",
      "--compress zstd -o a.csv.GZ",
    ] {
      let result = try await folder.run("export sample.store " + line)
      #expect(result.status == 64 && result.errors.contains("contradicts"), "\(result.errors)")
    }
    #expect(try folder.folder.names().allSatisfy { !$0.hasPrefix("a.") })
    for line in ["--compress zstd -o b.jsonl.zst", "--compress gzip -o b.jsonl", "-o b.jsonl.gz"] {
      #expect(try await folder.run("export sample.store " + line).status == 0)
    }
  }

  @Test
  func `folders of exports are no more widely readable than the store`() async throws {
    let folder = try SampleFolder()
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.folder.file(name))[.posixPermissions]
        as? Int
    }
    for (store, made) in [(0o600, 0o700), (0o640, 0o750)] {
      try FileManager.default.setAttributes([.posixPermissions: store], ofItemAtPath: folder.store)
      #expect(try await folder.run("export sample.store --output-dir d\(store)").status == 0)
      #expect(try mode("d\(store)") == made)
      #expect(try mode("d\(store)/\(SampleFolder.identifier)") == made)
    }
  }

  @Test(arguments: [
    ("archive sample.store -", "<dir>"), ("demo -", "<dir>"),
    ("export sample.store --output-dir -", "--output-dir"),
    ("prune sample.store --keep-last 5 --archive - --yes", "--archive"),
  ])
  func `a dash is refused as the name of a folder`(
    _ line: String, _ argument: String
  ) async throws {
    let folder = try SampleFolder()
    let result = try await folder.run(line)
    #expect(result.status == 64)
    #expect(
      result.errors.contains("\(argument) needs a folder, and - is a stream"),
      "\(result.errors)")
    #expect(try !folder.folder.names().contains("-"))
    #expect(try await folder.run("archive sample.store ./-").status == 0)
  }

  @Test
  func `a failed export leaves no folder`() async throws {
    let folder = try SampleFolder()
    _ = try await folder.run("bookmark set sample.store late 12")
    let nothing = try await folder.run("export sample.store --output-dir d --bookmark late")
    #expect(nothing.status == 0)
    let bookmarks = try await folder.run(
      "export sample.store --output-dir d --bookmark n --bookmark-file missing/b.json")
    #expect(bookmarks.status == 9 && bookmarks.errors.contains("missing/b.json"))
    #expect(try !folder.folder.names().contains("d"))
  }

  @Test
  func `an export does not overwrite the lines or the archive it reads`() async throws {
    let folder = try SampleFolder()
    #expect(try await folder.run("export sample.store -o lines.jsonl").status == 0)
    #expect(try await folder.run("archive sample.store sealed").status == 0)
    for command in [
      "export lines.jsonl -o lines.jsonl", "export sealed -o sealed/catalog.jsonl",
      "export sample.store --archive sealed -o sealed/catalog.jsonl",
      "export sealed --output-dir sealed", "export sample.store --output-dir sealed",
    ] {
      let overwrite = command.contains("-o ") ? " --overwrite" : ""
      #expect(try await folder.run(command + overwrite).status == 64, "\(command)")
    }
    #expect(try await folder.run("verify sealed").status == 0)
  }

  @Test
  func `only files are replaced, through a link too`() async throws {
    let folder = try SampleFolder()
    let manager = FileManager.default
    #expect(mkfifo(folder.folder.file("pipe"), 0o600) == 0)
    try manager.createDirectory(
      atPath: folder.folder.file("folder"), withIntermediateDirectories: true)
    let copy = try await folder.run("snapshot sample.store last -o folder")
    #expect(
      copy.status == 9
        && copy.errors
          == "histctl: folder already exists\nhint: choose another path; only a store is replaced\n",
      "\(copy.errors)")
    for place in ["pipe", "folder", "/dev/full"] {
      for option in ["", " --overwrite"] {
        let result = try await folder.run("export sample.store -o \(place)" + option)
        #expect(result.status == 9)
        #expect(result.errors.contains("it exists and is not a file"), "\(result.errors)")
      }
    }
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.folder.file("target.jsonl")))
    try manager.createSymbolicLink(
      atPath: folder.folder.file("link.jsonl"), withDestinationPath: "target.jsonl")
    #expect(
      try await folder.run("export sample.store -o link.jsonl --overwrite").status == 0)
    #expect(
      try manager.destinationOfSymbolicLink(atPath: folder.folder.file("link.jsonl"))
        == "target.jsonl")
    let lines = try await folder.run("export sample.store")
    #expect(try FileBytes.read(folder.folder.file("target.jsonl")) == lines.output)
  }

  @Test(arguments: [
    "rehearse sample.store last -o -", "snapshot sample.store last -o -",
    "scrub sample.store -o - --yes", "scrub sample.store -o copy.store --key - --yes",
    "record sample.store --once --values-file -",
  ])
  func `a copy, values or a key cannot be written to a stream`(_ line: String) async throws {
    let folder = try SampleFolder()
    let result = try await folder.run(line)
    #expect(result.status == 64)
    #expect(result.errors.contains("for a file of that name, write ./-"))
    #expect(try folder.folder.names() == ["sample.store"])
  }

  @Test
  func `a path to a file named by a dash is not a stream`() async throws {
    let folder = try SampleFolder()
    #expect(try await folder.run("rehearse sample.store last -o ./-").status == 0)
    #expect(try folder.folder.names().contains("-"))
  }

  @Test
  func `a copy replaces stores only`() async throws {
    let folder = try SampleFolder()
    #expect(mkfifo(folder.folder.file("pipe"), 0o600) == 0)
    let note = Array(
      "my notes, which are longer than the header of a file of SQLite's, and dear to me".utf8)
    try FileBytes.write(note + note, to: folder.folder.file("note.txt"))
    for place in ["pipe", "note.txt"] {
      let result = try await folder.run("rehearse sample.store 5 -o \(place) --overwrite")
      #expect(result.status == 9, "\(result.errors)")
      #expect(result.errors.contains("only a store is replaced"))
    }
    #expect(try FileBytes.read(folder.folder.file("note.txt")) == note + note)
  }

  @Test
  func `a dash is standard output, and --json keeps it to JSON`() async throws {
    let folder = try SampleFolder()
    let lines = try await folder.run("export sample.store")
    let dash = try await folder.run("export sample.store -o -")
    #expect(dash.output == lines.output)
    #expect(!FileManager.default.fileExists(atPath: folder.folder.file("-")))
    #expect(try await folder.run("export sample.store --format csv --json").status == 64)
    #expect(try await folder.run("export sample.store --format csv -o a.csv --json").status == 0)
    #expect(try await folder.run("export sample.store --format bodyfile --json").status == 64)
  }

  @Test(arguments: [
    ("-o a.csv --format jsonl", "give --format csv"),
    ("-o a.CSV.gz --format changes", "give --format csv"),
    ("-o a.changes.jsonl --format jsonl", "give --format changes"),
    ("-o a.debezium.jsonl.zst --format cloudevents", "give --format debezium"),
    ("-o a.jsonl --format csv", "leave out --format csv"),
    ("-o a.json.zst --format csv", "leave out --format csv"),
    ("-o a.changes.jsonl --format csv", "give --format changes"),
    ("-o a.body --format csv", "give --format bodyfile"),
    ("-o a.db --format jsonl", "give --format sqlite"),
    ("-o a.jsonl --format sqlite", "leave out --format sqlite"),
    ("-o a.sqlite.gz", "is not compressed"), ("--format sqlite", "must be a file"),
    ("--format sqlite -o -", "must be a file"),
    ("--format sqlite --compress zstd -o a.out", "is not compressed"),
    ("--format sqlite --compress zstd --output-dir a.dir", "is not compressed"),
    ("--format sqlite --fields kind -o a.out", "has fixed fields"),
  ])
  func `an extension of another format is refused with a hint`(
    _ options: String, _ words: String
  ) async throws {
    let folder = try SampleFolder()
    let result = try await folder.run("export sample.store " + options)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(try folder.folder.names().allSatisfy { !$0.hasPrefix("a.") })
  }

  @Test(arguments: [
    ("export sample.store -o a.parquet", "ends in .parquet, and export has no such format"),
    ("export sample.store -o a.xlsx", "jsonl, changes, cloudevents, debezium, csv"),
    ("export sample.store -o a.json", "give --format with one of"),
    ("export sample.store -o a.JSON.gz", "ends in .json"),
    ("export sample.store -o a.jsonl.xz", "end it in .zst or .gz"),
    ("export sample.store -o a.zip --format csv", "give --compress"),
    ("report sample.store -o a.pdf", "end it in .html"),
    ("report sample.store -o a.html.gz", "end it in .html"),
    ("report sample.store -o a.csv", "end it in .html"),
    ("report sample.store -o a.txt", "ends in .txt, and report writes a page of HTML"),
    ("report sample.store -o a.log", "end it in .html"),
    ("report sample.store -o a.sqlite3", "end it in .html"),
    ("report sample.store -o a.store", "end it in .html"),
    ("report sample.store -o a.PNG", "end it in .html"),
    ("export sample.store -o a.png", "ends in .png, and export has no such format"),
    ("rehearse sample.store 5 -o a.store.gz", "compress it afterwards"),
  ])
  func `an unknown format or compression is refused with the known ones`(
    _ line: String, _ words: String
  ) async throws {
    let folder = try SampleFolder()
    let result = try await folder.run(line)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(try folder.folder.names().allSatisfy { !$0.hasPrefix("a.") })
  }

  @Test(arguments: [
    (
      "export sample.store --format parquet", "--format has no value 'parquet'",
      "the values are jsonl, changes, cloudevents"
    ),
    (
      "export sample.store --format jsnol", "--format has no value 'jsnol'",
      "did you mean 'jsonl'? the values are jsonl"
    ),
    (
      "export sample.store --compress xz", "--compress has no value 'xz'",
      "the values are none, zstd, gzip"
    ),
    (
      "log sample.store --kind updates", "--kind has no value 'updates'",
      "did you mean 'update'? the values are insert, update, delete"
    ),
    (
      "stats sample.store --by year", "--by has no value 'year'",
      "the values are hour, day, week, month"
    ),
    (
      "token show sample.store 5 --as xml", "--as has no value 'xml'",
      "the values are number, portable"
    ),
    ("log sample.store --date rel", "--date has no value 'rel'", "did you mean 'relative'?"),
  ])
  func `an unknown value of an option is reported in one line with the known ones`(
    _ line: String, _ problem: String, _ hint: String
  ) async throws {
    let folder = try SampleFolder()
    let text = try await folder.run(line)
    #expect(text.status == 64)
    #expect(text.lines.isEmpty && text.errors.split(separator: "\n").count == 2, "\(text.errors)")
    #expect(text.errors.hasPrefix("histctl: \(problem)\nhint: "), "\(text.errors)")
    #expect(text.errors.contains(hint) && !text.errors.contains("\\n"), "\(text.errors)")
  }

  @Test(arguments: [
    "--format csv", "--format changes", "--format sqlite", "--partition store",
    "--partition store,month", "--compress none", "--format debezium --partition store",
  ])
  func `exported transactions are not written again in another format or partition`(
    _ options: String
  ) async throws {
    let folder = try SampleFolder()
    #expect(try await folder.run("export sample.store --output-dir lake --bookmark a").status == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.folder.file("lake"))
    for bookmark in ["", " --bookmark b"] {
      let again = try await folder.run(
        "export sample.store --output-dir lake \(options)" + bookmark)
      #expect(again.status == 9, "\(again.errors)")
      #expect(again.errors.contains("000000000001-000000000012.jsonl.zst"), "\(again.errors)")
      #expect(again.errors.contains("export into another folder"), "\(again.errors)")
    }
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.folder.file("lake"))
    #expect(
      left.filter { $0.contains("0000") }.sorted() == files.filter { $0.contains("0000") }.sorted())
  }

  @Test(arguments: [
    "-o a.csv --format csv", "-o a.csv.gz --format csv", "-o a.jsonl --format changes",
    "-o a.changes.jsonl.zst --format changes", "-o a.json --format jsonl",
    "-o a.parquet --format changes", "-o a.ndjson", "-o csv", "-o a.txt --format csv",
    "-o a.csvjsonl", "-o a.timesketch.jsonl --format timesketch", "-o a.body", "-o a.body.zst",
    "-o a.sqlite", "-o a.DB --format sqlite", "-o a.sqlite3", "-o a.out --format sqlite",
  ])
  func `a file name with the extension of the format or none is accepted`(
    _ options: String
  ) async throws {
    let result = try await SampleFolder().run("export sample.store " + options)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
  }

  @Test(arguments: ["a.html", "a.HTM", "a", "a.2026-11-30", "a.xhtml", "-"])
  func `a page is written to a name with its ending, with none or with one that names no format`(
    _ name: String
  ) async throws {
    let folder = try SampleFolder()
    let result = try await folder.run("report sample.store -o " + name)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
  }

  @Test
  func `an existing file in an output folder has no hint to rename it`()
    async throws
  {
    let folder = try SampleFolder()
    #expect(try await folder.run("export sample.store --output-dir logs").status == 0)
    let again = try await folder.run("export sample.store --output-dir logs")
    #expect(again.status == 9)
    #expect(again.errors.contains("let --bookmark go on where the last export ended"))
    #expect(!again.errors.contains("--overwrite"))
  }

  @Test
  func `hints use options that the command has`() async throws {
    let folder = try SampleFolder()
    _ = try await folder.run("prune sample.store --keep-last 4 --yes")
    for command in ["log sample.store --after 2", "export sample.store --after 2"] {
      let result = try await folder.run(command)
      #expect(result.status == 4)
      // After 9 its own transaction would be lost.
      #expect(
        result.errors.hasSuffix(
          "hint: start again with --after 0, which has all that is kept, from transaction 9 on\n"),
        "\(result.errors)")
    }
    for command in ["diff sample.store 2", "bookmark set sample.store me 2"] {
      let result = try await folder.run(command)
      #expect(result.status == 4, "\(command)")
      #expect(result.errors.contains("hint: start again from 0, which"), "\(result.errors)")
      #expect(!result.errors.contains("--after"))
    }
    for command in ["show sample.store 2", "rehearse sample.store 2 -o copy.store"] {
      let result = try await folder.run(command)
      #expect(result.status == 4, "\(command)")
      #expect(
        result.errors.hasSuffix("hint: give a token that works: the nearest is 9\n"),
        "\(result.errors)")
    }
  }

  @Test
  func `the command in the hint for an expired bookmark works`() async throws {
    let shell = try #require(Tool("sh"))
    do {
      let folder = try SampleFolder()
      _ = try await folder.run("bookmark set sample.store nightly 2")
      _ = try await folder.run(
        "prune sample.store --keep-last 4 --yes --ignore-guard bookmarks")
      let export = "export sample.store --output-dir out --bookmark nightly"
      let expired = try await folder.run(export)
      #expect(expired.status == 4)
      let commands = expired.errors.matches(of: #/with: (histctl [^;\n]*)/#).map { String($0.1) }
      try #require(commands.count == 1, "\(expired.errors)")
      let command = commands[0].replacing("histctl", with: Tool.histctl.path)
      let set = try await shell.run(["-c", command], folder: folder.folder.path)
      #expect(set.status == 0, "\(command): \(set.errors)")
      let again = try await folder.run(export)
      #expect(again.status == 0, "\(again.errors)")
      let names = try FileManager.default.contentsOfDirectory(
        atPath: folder.folder.file("out/" + SampleFolder.identifier))
      #expect(names.count == 1)
    }
  }

  @Test
  func `an emptied bookmark file still guards history`() async throws {
    let folder = try SampleFolder()
    try FileBytes.write([], to: folder.store + "-bookmarks.json")
    for command in [
      "prune sample.store --keep-last 3 --dry-run", "bookmark list sample.store",
      "bookmark set sample.store me 3",
    ] {
      let result = try await folder.run(command)
      #expect(result.status == 9, "\(command)")
      #expect(result.errors.contains("it is empty"), "\(result.errors)")
    }
  }
}
