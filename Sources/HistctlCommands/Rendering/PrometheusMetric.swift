import PersistentHistory
import StoreFormat
import Terminal

extension StoreTimestamp {
  /// Seconds since the beginning of 1970; `nil` if the time is not finite.
  var secondsSince1970: Double? {
    let seconds = secondsSinceReferenceDate + 978_307_200
    return seconds.isFinite ? seconds : nil
  }
}

/// A gauge with its samples, in Prometheus' text format.
///
/// The samples of a metric follow its two lines of description
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct PrometheusMetric {
  let name: String
  private let help: String
  /// The samples: name, labels and value.
  private var samples: [String] = []
  /// What the samples begin with, before their values: bytes, because paths that look alike can be two.
  private var starts: Set<[UInt8]> = []

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Adds a sample; one with the same labels as another is not allowed, and is ignored.
  mutating func add(_ value: Double, labels: [(String, String)]) {
    let start = start(labels)
    guard starts.insert(Array(start.utf8)).inserted else { return }
    samples.append(start + Self.text(value))
  }

  /// Adds a sample of an earlier text, if there is none with the same labels.
  mutating func keep(_ sample: String) {
    guard let end = sample.lastIndex(of: " "), starts.insert(Array(sample[...end].utf8)).inserted
    else { return }
    samples.append(sample)
  }

  /// Returns a sample without its value.
  func start(_ labels: [(String, String)]) -> String {
    "\(name){\(labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ","))} "
  }

  /// The metric with its samples; empty without any.
  var text: String {
    samples.isEmpty
      ? ""
      : (["# HELP \(name) \(help)", "# TYPE \(name) gauge"] + samples).map { $0 + "\n" }.joined()
  }

  private static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      // People read these lines too, and a path may contain control characters.
      default:
        result += TerminalText.terminal.escaped(String(scalar)).replacing("\\", with: "\\\\")
      }
    }
    return result
  }
}
