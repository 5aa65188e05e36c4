import TestSupport
import Testing

@testable import Terminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension DescriptorTests {
  @Suite(.bounded) struct OutputWriterTests {
    init() {
      Signals.ignoreFailedWrites()
    }

    @Test func `every kind of text arrives in order`() throws {
      let pipe = try TestPipe()
      let writer = OutputWriter(descriptor: pipe.writing)
      try writer.write("a")
      try writer.write([0x62, 0x00, 0xFF])
      try [UInt8(ascii: "c")].withUnsafeBytes { try writer.write($0) }
      try writer.writeLine("é")
      try writer.close()
      close(pipe.writing)
      defer { close(pipe.reading) }
      #expect(readToEnd(pipe.reading) == [0x61, 0x62, 0x00, 0xFF, 0x63, 0xC3, 0xA9, 0x0A])
    }

    @Test func `output around the size of the buffer arrives unchanged`() throws {
      let folder = try ScriptFolder()
      let path = folder.file("output")
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      let writer = OutputWriter(descriptor: descriptor, ownership: .owned)
      var expected = ""
      let capacity = OutputWriter.bufferCapacity
      for (number, size) in [1, capacity - 1, capacity, 0, capacity + 1, 5, 3 * capacity]
        .enumerated()
      {
        let text = String(repeating: "\(number)", count: size)
        try writer.write(text)
        expected += text
      }
      try writer.close()
      #expect(try folder.text(path) == expected)
    }

    @Test func `output is buffered until a flush or the end of a line`() throws {
      let pipe = try TestPipe()
      _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK)
      var block = [UInt8](repeating: 0, count: 16)
      let writer = OutputWriter(descriptor: pipe.writing)
      try writer.writeLine("one")
      #expect(read(pipe.reading, &block, 16) == -1)
      try writer.flush()
      #expect(read(pipe.reading, &block, 16) == 4)
      writer.flushesEachLine = true
      try writer.write("tw")
      #expect(read(pipe.reading, &block, 16) == -1)
      try writer.write("o\n")
      #expect(read(pipe.reading, &block, 16) == 4)
      _ = pipe.finish()
    }

    @Test func `a closed pipe is an error of its own at every write`() throws {
      let pipe = try TestPipe()
      close(pipe.reading)
      defer { close(pipe.writing) }
      let writer = OutputWriter(descriptor: pipe.writing)
      try writer.writeLine("nobody reads this")
      #expect(throws: OutputError.closedPipe) { try writer.flush() }
      #expect(throws: OutputError.closedPipe) { try writer.write("x") }
      #expect(throws: OutputError.closedPipe) { try writer.close() }
    }

    @Test func `a writer that outlives its reader ignores a closed pipe`() throws {
      let pipe = try TestPipe()
      close(pipe.reading)
      defer { close(pipe.writing) }
      let writer = OutputWriter(descriptor: pipe.writing)
      writer.outlivesReader = true
      try writer.writeLine("nobody reads this")
      try writer.flush()
      try writer.write([UInt8](repeating: 0, count: 3 * OutputWriter.bufferCapacity))
      try writer.close()
    }

    @Test func `control characters are escaped across writes`() throws {
      let json = "{\"a\":\"é\u{9B}31m\u{7F}\u{202E}\u{E0041}👩‍👩‍👧\"}"
      let bytes = Array((json + "\n").utf8)
      for size in [1, 2, 3, 5, bytes.count] {
        let pipe = try TestPipe()
        let writer = OutputWriter(descriptor: pipe.writing)
        writer.guardedForm = .json
        for start in stride(from: 0, to: bytes.count, by: size) {
          try writer.write(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        try writer.close()
        let text = pipe.finish()
        #expect(text == "{\"a\":\"é\\u009b31m\\u007f\\u202e\\udb40\\udc41👩‍👩‍👧\"}\n")
      }
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0)) func `a full disk is reported`() throws {
      let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
      defer { close(descriptor) }
      let atEnd = OutputWriter(descriptor: descriptor)
      try atEnd.write("x")
      #expect(throws: OutputError.failed(ENOSPC)) { try atEnd.close() }
      let large = OutputWriter(descriptor: descriptor)
      #expect(throws: OutputError.failed(ENOSPC)) {
        try large.write([UInt8](repeating: 0, count: OutputWriter.bufferCapacity))
      }
      #expect(
        OutputError.failed(ENOSPC).description
          == "cannot write to standard output: No space left on device")
      #expect(OutputError.failed(ENOSPC).hint != nil)
    }

    @Test func `a descriptor that cannot be written is reported`() throws {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      let writer = OutputWriter(descriptor: descriptor)
      try writer.close()
      #expect(throws: OutputError.failed(EBADF)) { try writer.write("after closing") }
      let other = OutputWriter(descriptor: descriptor)
      try other.write("x")
      #expect(throws: OutputError.failed(EBADF)) { try other.flush() }
    }

    @Test func `a slow reader of a nonblocking pipe gets all output`() async throws {
      let pipe = try TestPipe()
      _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
      let reading = pipe.reading
      let total = Task.detached {
        usleep(20_000)
        return readToEnd(reading).count
      }
      let writer = OutputWriter(descriptor: pipe.writing, ownership: .owned)
      try writer.write([UInt8](repeating: 7, count: 1_000_003))
      try writer.close()
      #expect(await total.value == 1_000_003)
      close(pipe.reading)
    }

    @Test func `missing standard descriptors are opened`() throws {
      let status = try statusOfForkedChild {
        for descriptor: Int32 in 0...2 { close(descriptor) }
        StandardDescriptors.openMissing()
        var byte: UInt8 = 0x61
        let readsEnd = read(0, &byte, 1) == 0
        let refusesOutput = write(1, &byte, 1) == -1 && errno == EBADF
        let swallowsWords = write(2, &byte, 1) == 1
        _exit(readsEnd && refusesOutput && swallowsWords ? 0 : 1)
      }
      #expect(status == 0)
    }
  }
}
