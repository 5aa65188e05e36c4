import Libc

/// The desktop of the person at this machine.
package enum Desktop {
  /// Opens a file in the program that shows it; returns `false` without a desktop.
  package static func open(_ path: String) -> Bool {
    guard !TerminalProbe.system.isPrivileged() else { return false }
    #if canImport(Darwin)
    let program = "/usr/bin/open"
    #else
    let program = "xdg-open"
    let screens = ["DISPLAY", "WAYLAND_DISPLAY"]
    guard !ProcessEnvironment.variables(named: screens).values.allSatisfy(\.isEmpty) else {
      return false
    }
    #endif
    let null = Libc.open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return false }
    defer { close(null) }
    // A name that begins with a dash would be taken for an option. The browser may run for any time, so do not
    // wait for it.
    let file = path.hasPrefix("/") ? path : "./" + path
    return (try? ChildProcess([program, file], variables: [:], input: null, output: null)) != nil
  }
}
