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
  @Suite(.bounded) struct SignalsTests {
    init() {
      // Makes, here and not in a forked child, whatever is made at the first use.
      TemporaryFileRegistry.removeAll()
      Signals.ignoreFailedWrites()
    }

    @Test
    func `a folder registered after its content is removed after it`() throws {
      let folder = try ScriptFolder()
      let former = try #require(TemporaryFileRegistry.register(folder.file("former")))
      let content = folder.file("folder/content")
      mkdir(folder.file("folder"), 0o700)
      try folder.write("x", to: content)
      let first = try #require(TemporaryFileRegistry.register(content))
      TemporaryFileRegistry.unregister(former)
      let second = try #require(TemporaryFileRegistry.register(folder.file("folder")))
      TemporaryFileRegistry.removeAll()
      for registration in [first, second] { TemporaryFileRegistry.unregister(registration) }
      #expect(access(folder.file("folder"), F_OK) != 0)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal removes temporary files`(_ number: Int32) throws {
      let folder = try ScriptFolder()
      let kept = folder.file("kept")
      let temporary = folder.file("temporary")
      for path in [kept, temporary] { try folder.write("x", to: path) }
      let renamed = try #require(TemporaryFileRegistry.register(kept))
      let registration = try #require(TemporaryFileRegistry.register(temporary))
      TemporaryFileRegistry.unregister(renamed)

      let status = try statusOfForkedChild {
        _ = signal(number, SIG_DFL)
        Signals.cleanUpWhenTerminated()
        raise(number)
      }
      TemporaryFileRegistry.unregister(registration)
      #expect(status & 0x7F == number)
      #expect(access(temporary, F_OK) != 0)
      #expect(access(kept, F_OK) == 0)
    }

    @Test func `ignored signals stay ignored`() throws {
      let status = try statusOfForkedChild {
        _ = signal(SIGHUP, SIG_IGN)
        Signals.cleanUpWhenTerminated()
        raise(SIGHUP)
        _exit(7)
      }
      #expect(status == 7 << 8)
    }

    @Test func `interrupts are suspended and restored`() throws {
      let status = try statusOfForkedChild {
        _ = signal(SIGINT, SIG_DFL)
        let before = Signals.suspendInterrupts()
        raise(SIGINT)
        Signals.restore(SIGINT, before)
        raise(SIGINT)
      }
      #expect(status & 0x7F == SIGINT)
    }

    @Test func `registered places are limited and reused`() {
      var registrations: [TemporaryFileRegistry.Registration] = []
      for number in 0..<TemporaryFileRegistry.capacity {
        if let one = TemporaryFileRegistry.register("/nonexistent/histctl-\(number)") {
          registrations.append(one)
        }
      }
      #expect(registrations.count == TemporaryFileRegistry.capacity)
      #expect(TemporaryFileRegistry.register("/nonexistent/one-more") == nil)
      for one in registrations { TemporaryFileRegistry.unregister(one) }
      #expect(TemporaryFileRegistry.register("") == nil)
      #expect(TemporaryFileRegistry.register("a\0b") == nil)
      #expect(TemporaryFileRegistry.register(String(repeating: "x", count: 4096)) == nil)
      let longest = TemporaryFileRegistry.register(String(repeating: "x", count: 4095))
      #expect(longest != nil)
      if let longest { TemporaryFileRegistry.unregister(longest) }
    }
  }
}
