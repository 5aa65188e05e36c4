import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The times of several runs of one thing, in seconds of the processor: waiting for the disk takes the
/// same time for all, and depends on what else the machine does.
struct Measurement {
  private(set) var times: [Double] = []

  var median: Double {
    let ordered = times.sorted()
    let half = ordered.count / 2
    return ordered.count.isMultiple(of: 2)
      ? (ordered[half - 1] + ordered[half]) / 2 : ordered[half]
  }

  mutating func add<Result>(_ body: () throws -> Result) rethrows -> Result {
    let begin = clock()
    let result = try body()
    times.append(Double(clock() - begin) / Double(CLOCKS_PER_SEC))
    return result
  }

  var text: String {
    func milliseconds(_ seconds: Double) -> String {
      "\((seconds * 10_000).rounded() / 10) ms"
    }
    return "\(milliseconds(median)) | \(milliseconds(times.min() ?? 0)) to "
      + milliseconds(times.max() ?? 0)
  }
}

/// The most memory that this program has taken so far, in bytes.
func peakMemory() -> Int {
  #if canImport(Darwin)
  var usage = rusage()
  getrusage(RUSAGE_SELF, &usage)
  return Int(usage.ru_maxrss)
  #else
  // What getrusage says begins with the memory of the program that launched this one.
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0)
    * 1024
  #endif
}
