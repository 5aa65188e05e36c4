#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A program that this one has started and waits for.
package struct ChildProcess {
  /// How a program ended.
  package enum Ending: Equatable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
    /// Nobody knows: the system has lost track of it.
    case unknown
  }

  /// The system's reason why a program could not be started.
  package struct Failure: Error, Equatable {
    /// The error number.
    package var number: Int32
  }

  private let identifier: pid_t

  /// Starts a program, found through PATH unless it is named with a slash.
  ///
  /// Signals that this program ignores work in the child as usual.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - variables: Environment variables to set besides the inherited ones.
  ///   - input: The descriptor that becomes its standard input.
  ///   - output: The descriptor that becomes its standard output.
  package init(
    _ arguments: [String], variables: [String: String], input: Int32, output: Int32
  ) throws(Failure) {
    guard let program = arguments.first else { throw Failure(number: ENOENT) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var restored = sigset_t()
    sigemptyset(&restored)
    for number in Signals.ignoredSignals { sigaddset(&restored, number) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    let argumentList = arguments.map { strdup($0) } + [nil]
    defer { for argument in argumentList { free(argument) } }
    var identifier: pid_t = 0
    let status = ProcessEnvironment.withChildEnvironment(setting: variables) { environment in
      posix_spawnp(&identifier, program, &actions, &attributes, argumentList, environment)
    }
    guard status == 0 else { throw Failure(number: status) }
    self.identifier = identifier
  }

  /// Waits until the program has ended.
  package func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return .unknown }
    }
    // WIFEXITED and its siblings are macros, which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}
