/// The arguments as the system hands them over, which need not be text.
package enum CommandLineBytes {
  /// Refuses an argument that is no UTF-8: as text it would name another file, or none.
  package static func check() throws {
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    for argument in arguments.dropFirst() {
      guard let argument, String(validatingCString: argument) == nil else { continue }
      throw Failure(
        status: .usage, kind: "usage",
        message: "the argument '\(String(cString: argument))' is not UTF-8",
        hint: "rename the file, or give it a second name with ln -s; its name has bytes of another "
          + "encoding, shown here as \u{FFFD}")
    }
  }
}
