import Foundation
import TestSupport
import Testing

/// `mcp`: the protocol, the tools, and what they may not do.
@Suite(.bounded) struct MCPTests {
  typealias Object = [String: Any]

  /// Runs the server on lines of input and returns its answers; each must be one line of JSON.
  static func answers(
    _ sample: SampleFolder, _ lines: [String], _ arguments: [String] = ["."]
  ) async throws -> [Object] {
    let result = try await sample.run(["mcp"] + arguments, input: lines.joined(separator: "\n"))
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.output.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) })
    return try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object)
    }
  }

  static func request(_ method: String, _ params: Object? = nil, id: Any = 1) throws -> String {
    var message: Object = ["jsonrpc": "2.0", "id": id, "method": method]
    message["params"] = params
    return String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
  }

  static func call(_ tool: String, _ arguments: Object, id: Any = 1) throws -> String {
    try request("tools/call", ["name": tool, "arguments": arguments], id: id)
  }

  typealias Result = (texts: [String], isError: Bool)

  /// Calls a tool and returns the texts of its result.
  static func texts(
    _ sample: SampleFolder, _ tool: String, _ arguments: Object, _ options: [String] = ["."]
  ) async throws -> Result {
    let results = try await results(sample, [try call(tool, arguments)], options)
    return try #require(results.first)
  }

  /// Returns the results of calls.
  static func results(
    _ sample: SampleFolder, _ calls: [String], _ options: [String] = ["."]
  ) async throws -> [Result] {
    let answers = try await answers(sample, calls, options)
    #expect(answers.count == calls.count)
    return try answers.map { answer in
      let result = try #require(answer["result"] as? Object, "\(answer)")
      let content = try #require(result["content"] as? [Object])
      #expect(content.allSatisfy { $0["type"] as? String == "text" })
      return (content.compactMap { $0["text"] as? String }, result["isError"] as? Bool ?? false)
    }
  }

  static func code(_ answer: Object?) -> Int? { (answer?["error"] as? Object)?["code"] as? Int }

  // MARK: - The protocol

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("2031-01-01", "2025-11-25"), ("", "2025-11-25"),
  ])
  func `the protocol version is the client's or the newest`(
    _ wanted: String, _ given: String
  ) async throws {
    let params: Object = [
      "protocolVersion": wanted, "capabilities": [:] as Object,
      "clientInfo": ["name": "test", "version": "1"],
    ]
    let answers = try await Self.answers(
      SampleFolder(),
      [
        try Self.request("initialize", params, id: "first"),
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        try Self.request("ping", id: 2),
      ])
    #expect(answers.count == 2)
    let result = try #require(answers.first?["result"] as? Object)
    #expect(answers.first?["id"] as? String == "first")
    #expect(result["protocolVersion"] as? String == given)
    #expect((result["capabilities"] as? Object)?["tools"] != nil)
    #expect((result["serverInfo"] as? Object)?["name"] as? String == "histctl")
    #expect(answers.last?["id"] as? Int == 2)
    #expect((answers.last?["result"] as? Object)?.isEmpty == true)
  }

  @Test(arguments: [
    ("{", -32700), ("nonsense", -32700), (#"{"a":1,"a":2}"#, -32700),
    ("{\"a\":\"\u{1}\"}", -32700),
    (String(repeating: "[", count: 100), -32700),
    ("[" + String(repeating: "1,", count: 60_000) + "1]", -32700),
    ("1", -32600), ("null", -32600), ("{}", -32600), ("[]", -32600),
    (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600),
    (String(repeating: "x", count: 1 << 20) + "xx", -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"\u001b[2J"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"prune"}}"#, -32602),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","arguments":[]}}"#,
      -32602
    ),
  ])
  func `invalid requests get a JSON-RPC error, and the server continues`(
    _ line: String, _ code: Int
  ) async throws {
    let answers = try await Self.answers(
      SampleFolder(), [line, "", " \r", try Self.request("ping", id: "after")])
    #expect(answers.count == 2)
    #expect(Self.code(answers.first) == code, "\(answers)")
    let id = answers.first?["id"]
    #expect(line.contains(#""id":1,"method":""#) && code < -32600 ? id as? Int == 1 : id is NSNull)
    #expect(answers.last?["id"] as? String == "after" && answers.last?["result"] != nil)
  }

  @Test
  func `notifications and answers get no answer, and the last line needs no line feed`()
    async throws
  {
    let sample = try SampleFolder()
    let lines = [
      #"{"jsonrpc":"2.0","method":"unknown"}"#, #"{"jsonrpc":"2.0","method":"ping","params":[]}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
      #"{"jsonrpc":"2.0","id":7,"result":{}}"#, #"{"jsonrpc":"2.0","id":7,"error":{}}"#,
    ]
    #expect(try await Self.answers(sample, lines).isEmpty)
    #expect(try await Self.answers(sample, []).isEmpty)
    let cut = #"{"jsonrpc":"2.0","id":7,"#
    #expect(Self.code(try await Self.answers(sample, [cut]).first) == -32700)
  }

  @Test
  func `arrays of messages are accepted in the version that has them`() async throws {
    let sample = try SampleFolder()
    func start(_ version: String) throws -> String {
      try Self.request("initialize", ["protocolVersion": version], id: 0)
    }
    let info = try Self.call("info", ["store": "sample.store"], id: 2)
    let batch =
      "[\(try Self.request("ping", id: 1)),\(info),5,\(try start("2025-03-26")),"
      + #"{"jsonrpc":"2.0","method":"notifications/initialized"}]"#
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
      let answers = try await Self.answers(sample, [try start(version), batch])
      #expect(Self.code(answers.last) == -32600, "\(version)")
    }
    let silent = #"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#
    let input = [try start("2025-03-26"), silent, batch, "[]"].joined(separator: "\n")
    let lines = try await sample.run(["mcp", "."], input: input).lines
    let answers = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    #expect(answers.count == 3)
    let array = try #require(answers.compactMap { $0 as? [Object] }.first)
    #expect(array.count == 4)
    #expect(Set(array.compactMap { $0["id"] as? Int }) == [0, 1, 2])
    #expect(array.compactMap { Self.code($0) } == [-32600, -32600])
    #expect(answers.compactMap { Self.code($0 as? Object) } == [-32600])
  }

  @Test
  func `requests that name their version need no handshake`() async throws {
    func meta(_ version: String) -> Object {
      ["_meta": ["io.modelcontextprotocol/protocolVersion": version]]
    }
    let answers = try await Self.answers(
      SampleFolder(),
      [
        try Self.request("server/discover", meta("2026-07-28"), id: 1),
        try Self.request("tools/list", meta("2026-07-28"), id: 2),
        try Self.request("tools/list", meta("2031-01-01"), id: 3),
      ])
    let results = answers.compactMap { $0["result"] as? Object }
    #expect(results.first?["supportedVersions"] as? [String] == ["2026-07-28"])
    #expect(results.map { $0["resultType"] as? String } == ["complete", "complete"])
    #expect(results.map { $0["cacheScope"] as? String } == ["private", "private"])
    #expect(Self.code(answers.last) == -32022)
    let data = (answers.last?["error"] as? Object)?["data"] as? Object
    #expect((data?["supported"] as? [String])?.contains("2026-07-28") == true)
    #expect(data?["requested"] as? String == "2031-01-01")
  }

  @Test
  func `a canceled call has no answer, whether running or waiting`() async throws {
    let cancelled = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#
    let lines =
      try ["a", "b", "c"].map { try Self.call("log", ["store": "sample.store"], id: $0) }
      + [cancelled + #""a"}}"#, cancelled + #""b"}}"#, try Self.request("ping", id: "d")]
    let answers = try await Self.answers(SampleFolder(), lines)
    #expect(answers.compactMap { $0["id"] as? String } == ["d", "c"])
  }

  @Test
  func `calls wait for each other up to a limit`() async throws {
    let lines = try (0..<20).map { try Self.call("show", ["store": ".", "token": "1"], id: $0) }
    let answers = try await Self.answers(SampleFolder(), lines)
    #expect(answers.count == 20)
    let refused = answers.filter { Self.code($0) == -32000 }.compactMap { $0["id"] as? Int }
    #expect(refused == [17, 18, 19])
    #expect(answers.suffix(17).compactMap { $0["id"] as? Int } == Array(0..<17))
  }

  // MARK: - The tools

  @Test
  func `each tool describes its arguments, and none writes or reads elsewhere`()
    async throws
  {
    let sample = try SampleFolder()
    let answers = try await Self.answers(sample, [try Self.request("tools/list")])
    let result = try #require(answers.first?["result"] as? Object)
    let tools = try #require(result["tools"] as? [Object])
    #expect(
      tools.compactMap { $0["name"] as? String }
        == [
          "find", "info", "log", "show", "diff", "object", "blame", "recover", "stats",
          "token_check",
          "bookmark_check", "verify",
        ])
    var names: [String: Set<String>] = [:]
    for tool in tools {
      let name = try #require(tool["name"] as? String)
      #expect((tool["annotations"] as? Object)?["readOnlyHint"] as? Bool == true)
      #expect((tool["title"] as? String)?.isEmpty == false)
      #expect((tool["description"] as? String)?.contains("Examples") == false)
      let schema = try #require(tool["inputSchema"] as? Object)
      #expect(schema["type"] as? String == "object")
      #expect(schema["additionalProperties"] as? Bool == false)
      let properties = try #require(schema["properties"] as? [String: Object])
      #expect(properties.values.allSatisfy { ($0["description"] as? String)?.isEmpty == false })
      names[name] = Set(properties.keys)
      let required = Set(schema["required"] as? [String] ?? [])
      #expect(required.isSubset(of: properties.keys))
      #expect(required.contains("store") == (name != "find"))
    }
    let allowed: Set = [
      "after", "all", "archive", "at", "attribute", "author", "bookmarks", "bundle", "by",
      "changed_after", "cursor", "each", "end", "entity", "exact_entity", "full", "keep_last",
      "keep_within", "kind", "limit", "max_behind", "model", "no_author", "not_author", "object",
      "objects", "only_matching", "paths", "process", "range", "reverse", "sessions", "start",
      "stat", "store",
      "store_identifier", "token", "tokens", "top", "transaction", "until", "until_size", "value",
      "values",
      "weekdays", "with", "with_history",
    ]
    #expect(names.values.reduce([]) { $0.union($1) } == allowed)
    let log = (tools[2]["inputSchema"] as? Object)?["properties"] as? [String: Object]
    #expect(log?["limit"]?["default"] as? Int == 50)
    #expect(log?["reverse"]?["type"] as? String == "boolean")
    #expect(
      (log?["kind"]?["items"] as? Object)?["enum"] as? [String] == ["insert", "update", "delete"])
  }

  @Test(arguments: [
    ("info", #"{"store":"sample.store"}"#, "info STORE"),
    (
      "info", #"{"store":"sample.store","model":true,"entity":["Trip"]}"#,
      "info STORE --model --entity Trip"
    ),
    ("log", #"{"store":"sample.store"}"#, "log STORE"),
    ("log", #"{"store":"sample.store","limit":30,"reverse":true}"#, "log STORE -n 30 --reverse"),
    (
      "log", #"{"store":"sample.store","author":["app"],"kind":["update"],"only_matching":true}"#,
      "log STORE --author app --kind update --only-matching"
    ),
    (
      "log", #"{"store":"sample.store","author":"app","no_author":false}"#,
      "log STORE --author app"
    ),
    ("show", #"{"store":"sample.store","token":"last"}"#, "show STORE last"),
    ("diff", #"{"store":"sample.store","start":"2","end":"6"}"#, "diff STORE 2 6"),
    ("diff", #"{"store":"sample.store","start":"2..6","stat":true}"#, "diff STORE 2..6 --stat"),
    ("object", #"{"store":"sample.store","object":"Trip/p1"}"#, "object STORE Trip/p1"),
    ("stats", #"{"store":"sample.store","by":"day","top":2}"#, "stats STORE --by day --top 2"),
    ("token_check", #"{"store":"sample.store","tokens":["3","99"]}"#, "token check STORE 3 99"),
    ("blame", #"{"store":"sample.store","object":"Trip/p1"}"#, "blame STORE Trip/p1"),
    ("bookmark_check", #"{"store":"sample.store"}"#, "bookmark check STORE"),
    ("verify", #"{"store":"sample.store","full":true}"#, "verify STORE --full"),
  ])
  func `a tool returns what its command writes`(
    _ tool: String, _ arguments: String, _ line: String
  ) async throws {
    let sample = try SampleFolder()
    let object = try JSONSerialization.jsonObject(with: Data(arguments.utf8)) as? Object
    let (texts, isError) = try await Self.texts(sample, tool, object ?? [:])
    let path = URL(fileURLWithPath: sample.store).resolvingSymlinksInPath().path
    let command = try await sample.run(line.replacing("STORE", with: path) + " --json")
    #expect(!isError && texts == [command.text, command.errors].filter { !$0.isEmpty })
  }

  @Test
  func `find without a path lists the readable stores`() async throws {
    let sample = try SampleFolder()
    let (texts, isError) = try await Self.texts(sample, "find", [:])
    #expect(!isError && texts.first?.contains(#"/sample.store","#) == true, "\(texts)")
  }

  @Test
  func `an error of a command is a result with its message and remedy`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    for (tool, arguments, kind) in [
      ("log", ["after": "2"] as Object, "historyTokenExpired"),
      ("log", ["after": "nonsense"], "malformedToken"),
      ("object", ["object": "Trip/p777"], "unknownObject"),
      ("diff", [:], "usage"),
      ("show", ["token": "@none"], "unknownBookmark"),
    ] {
      let (texts, isError) = try await Self.texts(
        sample, tool, arguments.merging(["store": "sample.store"]) { $1 })
      #expect(isError && texts.count == 1)
      let error = try JSONSerialization.jsonObject(with: Data((texts.first ?? "").utf8)) as? Object
      #expect(error?["kind"] as? String == kind, "\(texts)")
      #expect((error?["hint"] as? String)?.isEmpty == false)
    }
  }

  @Test(arguments: [
    ("log", #"{"store":"sample.store","follow":true}"#, "no argument 'follow'"),
    ("log", #"{"store":"sample.store","bookmark_file":"x"}"#, "no argument 'bookmark_file'"),
    ("log", #"{"store":"sample.store","limit":0}"#, "limit must be a number from 1 to 1000"),
    ("log", #"{"store":"sample.store","limit":"5"}"#, "limit must be a number from 1 to 1000"),
    ("log", #"{"store":"sample.store","author":[5]}"#, "author must be an array of texts"),
    ("log", #"{"store":"sample.store","reverse":"yes"}"#, "reverse must be true or false"),
    ("log", #"{"store":"sample.store","value":"a\u0000"}"#, "value must be an array of texts"),
    ("log", "{}", "store is missing"),
    ("diff", #"{"store":"sample.store","end":"5"}"#, "end needs start"),
    ("object", #"{"store":"sample.store","object":"--follow"}"#, "--follow"),
    ("show", #"{"store":"sample.store","token":"--help"}"#, "--help"),
  ])
  func `unknown arguments of a tool are refused, and no text becomes an option`(
    _ tool: String, _ arguments: String, _ words: String
  ) async throws {
    let object = try JSONSerialization.jsonObject(with: Data(arguments.utf8)) as? Object
    let (texts, isError) = try await Self.texts(SampleFolder(), tool, object ?? [:])
    #expect(isError && texts.count == 1 && texts.first?.contains(words) == true, "\(texts)")
  }

  @Test
  func `an author that looks like an option is an author`() async throws {
    let (texts, isError) = try await Self.texts(
      SampleFolder(), "log", ["store": "sample.store", "author": ["--follow"]])
    #expect(!isError && texts.first?.contains("no transaction has the author '--follow'") == true)
  }

  // MARK: - Limits

  @Test
  func `only files in the given folders are read`() async throws {
    let sample = try SampleFolder()
    let inside = sample.folder.file("inside")
    try FileManager.default.createDirectory(
      atPath: inside, withIntermediateDirectories: false)
    try FileManager.default.createDirectory(
      atPath: inside + "side", withIntermediateDirectories: false)
    let bytes = try FileBytes.read(sample.store)
    for path in [inside + "/a.store", inside + "side/b.store"] {
      try FileBytes.write(bytes, to: path)
    }
    for (name, target) in [("out", "../sample.store"), ("in", "a.store")] {
      try FileManager.default.createSymbolicLink(
        atPath: inside + "/\(name).store", withDestinationPath: target)
    }
    let allowed = ["inside/a.store", "inside/../inside/a.store", "inside/in.store"]
    let read = try await Self.results(
      sample, try allowed.map { try Self.call("info", ["store": $0]) }, ["inside"])
    #expect(read.allSatisfy { !$0.isError })
    let refused = [
      "sample.store", "inside/../sample.store", "inside/out.store", "insideside/b.store", "/", "",
      "inside/none", "-", "/dev/stdin", "/etc/passwd", "~", "inside/a.store/", "\u{1B}[2J",
    ]
    let calls = try refused.flatMap {
      [
        try Self.call("info", ["store": $0]),
        try Self.call("log", ["store": "inside/a.store", "archive": $0]),
      ]
    }
    for (call, result) in zip(calls, try await Self.results(sample, calls, ["inside"])) {
      let isRefused = result.texts.first?.contains(#""kind":"refusedPath""#)
      #expect(result.isError && isRefused == true, "\(call)")
    }
    let other = try await Self.texts(
      sample, "diff", ["store": "inside/a.store", "with": "sample.store"], ["inside"])
    #expect(other.isError)
    #expect(try await Self.texts(sample, "find", ["paths": ["."]], ["inside"]).isError)
    // A file alone.
    let (one, another) = (["inside/a.store"], ["store": "inside/../insideside/b.store"])
    #expect(try await !Self.texts(sample, "info", ["store": "inside/in.store"], one).isError)
    #expect(try await Self.texts(sample, "info", another, one).isError)
  }

  @Test
  func `tokens are not read from files or from the input of the protocol`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(Array("5\n".utf8), to: sample.folder.file("token"))
    var calls: [String] = []
    for token in [
      "@./token", "@-", "@/etc/passwd", " @../token", "@-#key", "3..@./token", "@./token..5",
      "@token/../token", "@./\u{301}token", "1..@-",
    ] {
      for (tool, name) in [
        ("show", "token"), ("log", "after"), ("log", "until"), ("log", "range"), ("diff", "start"),
        ("diff", "end"), ("object", "range"), ("stats", "after"), ("token_check", "tokens"),
        ("recover", "transaction"),
      ] {
        var arguments: Object = ["store": "sample.store", name: token]
        if tool == "object" { arguments["object"] = "Trip/p1" }
        if name == "end" { arguments["start"] = "1" }
        calls.append(try Self.call(tool, arguments))
      }
    }
    for (call, result) in zip(calls, try await Self.results(sample, calls)) {
      let isRefused = result.texts.first?.contains("it is a token in a file")
      #expect(result.isError && isRefused == true, "\(call)")
    }
  }

  @Test
  func `findings of damage are an answer of verify, and an error of other tools`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ACHANGE SET ZTRANSACTIONID = -5 WHERE Z_PK = 3")
    let damage = try await Self.texts(sample, "verify", ["store": "sample.store"])
    #expect(!damage.isError && damage.texts.first?.contains(#""type":"finding""#) == true)
    #expect(try await sample.run("verify sample.store --json").status == 5)
  }

  @Test(arguments: ["1K", "64K"])
  func `pages by cursors are the whole output, each line once`(_ maxText: String) async throws {
    let sample = try SampleFolder()
    let whole = try await sample.run("log sample.store --json")
    var lines: [String] = []
    var cursor: String?
    repeat {
      var arguments: Object = ["store": "sample.store", "limit": 5]
      arguments["cursor"] = cursor
      let answers = try await Self.answers(
        sample, [try Self.call("log", arguments)], [".", "--max-text", maxText])
      let result = try #require(answers.first?["result"] as? Object)
      let texts = (result["content"] as? [Object] ?? []).compactMap { $0["text"] as? String }
      cursor = (result["_meta"] as? Object)?["nextCursor"] as? String
      #expect((cursor == nil) == !(texts.last ?? "").contains("with the cursor"))
      if let cursor { #expect(texts.last?.contains("\"\(cursor)\"") == true) }
      let page = (texts.first ?? "").split(separator: "\n").filter { $0.hasPrefix("{") }
      #expect(page.count <= 5)
      lines += page.map(String.init)
    } while cursor != nil && lines.count < 100
    // The path of the store is resolved in the answers only.
    let numbers = { (lines: [String]) in
      lines.compactMap { $0.firstMatch(of: /"transaction":(\d+)/)?.1 }
    }
    #expect(lines.count == whole.lines.count && numbers(lines) == numbers(whole.lines))
    for cursor in ["-1", "x", "99999999999"] as [Any] + [3] {
      let answer = try await Self.texts(
        sample, "log", ["store": "sample.store", "cursor": cursor])
      #expect(answer.isError && answer.texts.first?.contains("the cursor is not one") == true)
    }
  }

  @Test
  func `stores are resources, whose content is what info writes`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file("a b%é.store"))
    let list = try await Self.answers(sample, [try Self.request("resources/list")])
    let resources = try #require((list.first?["result"] as? Object)?["resources"] as? [Object])
    #expect(
      resources.compactMap { $0["name"] as? String }.sorted() == ["a b%é.store", "sample.store"])
    for resource in resources {
      let address = try #require(resource["uri"] as? String)
      let path = try #require(resource["title"] as? String)
      #expect(address.hasPrefix("histctl:///") && URL(string: address)?.path == path)
      let answers = try await Self.answers(
        sample, [try Self.request("resources/read", ["uri": address])])
      let contents = (answers.first?["result"] as? Object)?["contents"] as? [Object]
      let text = try #require(contents?.first?["text"] as? String)
      #expect(contents?.first?["uri"] as? String == address)
      #expect(text == (try await InProcess.run(["info", path, "--json"])).text)
    }
    let pages = try await Self.answers(
      sample, [try Self.request("resources/list")], [".", "--max-text", "700B"])
    let page = try #require(pages.first?["result"] as? Object)
    #expect((page["resources"] as? [Object])?.count == 1 && page["nextCursor"] as? String == "1")
    let rest = try await Self.answers(
      sample, [try Self.request("resources/list", ["cursor": "1"])])
    #expect(((rest.first?["result"] as? Object)?["resources"] as? [Object])?.count == 1)
    for (address, code) in [
      ("histctl:///etc/passwd", -32002), ("histctl:///%zz", -32602), ("file:///etc/passwd", -32602),
      ("histctl://\(sample.store)/../../../../../../../../etc/hostname", -32002),
    ] {
      let answers = try await Self.answers(
        sample, [try Self.request("resources/read", ["uri": address])])
      #expect(Self.code(answers.first) == code, "\(address)")
    }
  }

  @Test
  func `long text is truncated after a line, with a hint how to get less`() async throws {
    let sample = try SampleFolder()
    let arguments: Object = ["store": "sample.store"]
    let whole = try await Self.texts(sample, "log", arguments).texts.first ?? ""
    let cut = try await Self.texts(sample, "log", arguments, [".", "--max-text", "1K"])
    #expect(!cut.isError && cut.texts.count == 2)
    let first = try #require(cut.texts.first)
    #expect(first.utf8.count <= 1024 && first.utf8.count > 400 && whole.hasPrefix(first + "\n"))
    #expect(cut.texts.last?.contains("longer than 1.0 KiB and was cut. Ask for less") == true)
    // A line that is longer than all.
    let short = try await Self.texts(sample, "log", arguments, [".", "--max-text", "20B"])
    #expect(short.texts.first == String(whole.prefix(20)))
    let exact = try await Self.texts(
      sample, "log", arguments, [".", "--max-text", "\(whole.utf8.count)B"])
    #expect(exact.texts == [whole])
  }

  @Test
  func `the server needs an existing path`() async throws {
    let sample = try SampleFolder()
    let missing = try await sample.run("mcp none")
    #expect(missing.status == 9 && missing.errors.contains("no file or folder at none"))
    #expect(try await sample.run("mcp").status == 64)
    #expect(try await sample.run("mcp . --max-text 1G").status == 64)
  }

  @Test
  func `stores stay unchanged, and a closed client is not an error`() async throws {
    let sample = try SampleFolder()
    let before = try FileBytes.read(sample.store)
    for tool in ["info", "log", "stats"] {
      _ = try await Self.texts(sample, tool, ["store": "sample.store"])
    }
    #expect(try FileBytes.read(sample.store) == before)
    #expect(
      try sample.folder.names().allSatisfy { $0.wholeMatch(of: /sample.store(-wal|-shm)?/) != nil })
    let shell = try #require(Tool("sh"))
    let script = #"printf '%s\n%s\n' "$2" "$2" | { "$1" mcp .; echo "$?" >&2; } | true"#
    let result = try await shell.run(
      ["-c", script, "sh", Tool.histctl.path, try Self.call("log", ["store": "sample.store"])],
      folder: sample.folder.path)
    #expect(result.errors == "0\n")
  }
}
