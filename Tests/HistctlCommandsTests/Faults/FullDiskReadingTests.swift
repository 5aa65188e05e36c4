#if os(Linux)
import Foundation
import TestSupport
import Testing

/// A store is read on a disk that is full, where its log needs an index.
@Suite(.bounded, .enabled(if: FaultInjector.isPossible)) struct FullDiskReadingTests {
  @Test
  func `a log without space for its index is read from a copy, or the index is named`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    try SampleStore.write(to: path, shape: shape)
    let left = try ["", "-wal"].map { (suffix: String) -> (String, [UInt8]) in
      (path + suffix, try FileBytes.read(path + suffix))
    }
    func begin() throws {
      try? FileManager.default.removeItem(atPath: path + "-shm")
      for (file, bytes) in left { try FileBytes.write(bytes, to: file) }
    }
    try begin()
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let arguments = ["info", path, "--json"]
    let calls = try await injector.calls(of: .histctl, arguments, files: path + "-shm").calls
    let growing = 1 + (try #require(calls.firstIndex { $0.isWrite }))

    let answer = try await Tool.histctl.run(["log", path, "--json"])
    try begin()
    for command in ["info", "log"] {
      let result = try await injector.run(
        .histctl, [command, path, "--json"], files: path + "-shm",
        .init(.full, at: growing, lasts: true))
      #expect(result.status == 0, "\(result.errors)")
      if command == "log" { #expect(result.text == answer.text) }
    }

    try begin()
    let result = try await injector.run(
      #require(Tool("env")), ["TMPDIR=\(folder.file("missing"))", Tool.histctl.path] + arguments,
      files: path + "-shm", .init(.full, at: growing, lasts: true))
    #expect(result.status == 9)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "withoutRoom")
    let message = try #require(object["message"] as? String)
    #expect(message.contains(path + "-shm") && message.contains("32768 bytes"))
    #expect((object["hint"] as? String)?.hasPrefix("free space") == true)
    for (file, bytes) in left { #expect(try FileBytes.read(file) == bytes) }
  }
}
#endif
