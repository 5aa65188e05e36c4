import Foundation

// Runs libFuzzer on one entry: `HISTCTL_FUZZ_ENTRY=line Fuzz [OPTION…] [CORPUS…]`. `.ci/fuzz` builds and runs it.
// Without an entry, it prints the names of all.

/// The driver of libFuzzer, for programs that have a `main` of their own.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

guard Entry.chosen != nil else {
  for entry in Entry.allCases { print(entry.rawValue) }
  exit(Entry.name == nil ? 0 : 64)
}
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
let status = runFuzzer(&count, &arguments) { start, count in
  // Errors are the answer to damaged input; only traps, hangs and wrong answers are failures.
  try? Entry.chosen?.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
InputFiles.shared.remove()
exit(status)
