import ArgumentParser
import HistoryArchive

/// A part of an archive on the command line, in restic's words.
struct SubsetArgument: Equatable {
  let subset: VerificationSubset

  /// Reads `1/7`, `5%` or `10M`.
  init(parsing text: String) throws(ValidationError) {
    if let slash = text.firstIndex(of: "/") {
      guard let part = Int(text[..<slash]), let count = Int(text[text.index(after: slash)...]),
        (1...10_000).contains(count), (1...count).contains(part)
      else { throw ValidationError("write the number of the part and how many there are: 1/7") }
      subset = .part(part, of: count)
    } else if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else {
        throw ValidationError("write a percentage above 0 and up to 100, such as 5%")
      }
      subset = .percent(percent)
    } else {
      do {
        subset = .bytes(try ByteSize(parsing: text).bytes)
      } catch {
        throw ValidationError("write a part, a percentage or a size: 1/7, 5% or 10M")
      }
    }
  }
}
