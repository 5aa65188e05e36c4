import Foundation

/// Makes the manual pages and the completions of shells out of the command line's own description.
///
/// ```
/// histctl --experimental-dump-help | ManualGenerator STATUSES FRAGMENTS PAGES COMPLETIONS
/// ```
///
/// STATUSES is what `histctl dump-exit-statuses` wrote, FRAGMENTS the folder of what is written by
/// hand, PAGES and COMPLETIONS the folders to write to.
@main
enum Main {
  static func main() {
    do {
      let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
      guard paths.count == 4 else {
        throw GeneratorError("usage: ManualGenerator STATUSES FRAGMENTS PAGES COMPLETIONS <DUMP")
      }
      let generator = try Generator(
        dump: FileHandle.standardInput.readDataToEndOfFile(),
        exitStatuses: Data(contentsOf: paths[0]), fragmentFolder: paths[1])
      try generator.writePages(to: paths[2])
      try generator.writeCompletions(to: paths[3])
    } catch {
      let text = (error as? GeneratorError)?.message ?? "\(error)"
      FileHandle.standardError.write(Data("ManualGenerator: \(text)\n".utf8))
      exit(1)
    }
  }
}
