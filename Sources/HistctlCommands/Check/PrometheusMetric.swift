import Terminal

/// A gauge with its samples, in Prometheus' text format.
///
/// All samples of a metric stand together below its two lines of description
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct PrometheusMetric {
  private let name: String
  private let help: String
  private var samples: [String] = []

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Whether there is no sample.
  var isEmpty: Bool { samples.isEmpty }

  /// Adds a sample; two with the same labels are not allowed, so the first one counts.
  mutating func add(_ value: Double, labels: [(String, String)]) {
    let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    let start = "\(name){\(pairs)} "
    guard !samples.contains(where: { $0.hasPrefix(start) }) else { return }
    samples.append(start + Self.text(value))
  }

  /// The description and the samples, a line each.
  var text: String {
    (["# HELP \(name) \(help)", "# TYPE \(name) gauge"] + samples).map { $0 + "\n" }.joined()
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
      // People read these lines too, and a path may hold what a terminal obeys.
      default:
        result += TerminalText.terminal.escaped(String(scalar)).replacing("\\", with: "\\\\")
      }
    }
    return result
  }
}
