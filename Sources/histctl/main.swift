import DurableFiles
import HistctlCommands
import Libc
import StoreEditing
import StoreFormat
import Terminal

StandardDescriptors.openMissing()
Signals.ignoreFailedWrites()
Signals.cleanUpWhenTerminated(report: { WorkDone.writeFromHandler() })
StoreConnection.stopCountingMemory()
StoreConnection.allocatePagesSingly()
StoreConnection.returnLargeBlocks()
let watch = TemporaryFiles.Watch { paths in
  let registrations = paths.compactMap(TemporaryFileRegistry.register)
  return { registrations.forEach(TemporaryFileRegistry.unregister) }
}

let name = CommandLine.arguments.first ?? ""
let console = Console(
  terminal: .current(), output: STDOUT_FILENO, errors: STDERR_FILENO, input: STDIN_FILENO,
  // A login shell's name begins with a dash.
  programName: name.isEmpty || name.hasPrefix("-") ? "histctl" : name,
  homeFolder: ProcessEnvironment.variables(named: ["HOME"])["HOME"],
  readAnswer: { readLine() }, endQuietly: { ProcessorTimeLimit.endQuietly(afterMilliseconds: $0) },
  openFile: { Desktop.open($0) }, workDone: WorkDone(isReportedBySignals: true))
let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
let status = BatchHold.$observer.withValue(BatchHold.Observer(Signals.holdBack)) {
  TemporaryFiles.$watch.withValue(watch) { Program.run(systemArguments: arguments, console) }
}
exit(status.rawValue)
