import ArgumentParser

/// A number of bytes on the command line: 100M, 1.5G, 4096B.
///
/// The unit must be there: 100 could be meant as bytes or as megabytes, and a size decides much.
struct ByteSize: Equatable {
  /// The number of bytes, 1 or more.
  let bytes: Int64

  /// As GNU's programs have it: K, M and G are powers of 1024, KB, MB and GB powers of 1000.
  private static let units: [String: Int64] = {
    var units: [String: Int64] = ["b": 1]
    var (binary, decimal): (Int64, Int64) = (1, 1)
    for prefix in ["k", "m", "g", "t", "p"] {
      binary *= 1024
      decimal *= 1000
      units[prefix] = binary
      units[prefix + "ib"] = binary
      units[prefix + "b"] = decimal
    }
    return units
  }()

  private static let remedy = "write a number and a unit, such as 500K, 100M or 1.5G"

  /// Reads a number with at most three decimals and its unit.
  init(parsing text: String) throws(ValidationError) {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let thousandths = Self.thousandths(number) else {
      throw ValidationError("it is not a size; \(Self.remedy)")
    }
    guard !unit.isEmpty else { throw ValidationError("it has no unit; \(Self.remedy)") }
    guard let size = Self.units[unit.lowercased()] else {
      throw ValidationError("it has an unknown unit; write B, K, M, G, T or P after the number")
    }
    let (product, overflow) = thousandths.multipliedReportingOverflow(by: size)
    guard !overflow else { throw ValidationError("it is too large") }
    guard product >= 1000 else { throw ValidationError("it is less than a byte; \(Self.remedy)") }
    bytes = product / 1000
  }

  /// A decimal number in thousandths; nil for anything else, and for more than 12 digits.
  private static func thousandths(_ number: Substring) -> Int64? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...12).contains(parts[0].count),
      let whole = Int64(parts[0])
    else { return nil }
    guard parts.count == 2 else { return whole * 1000 }
    guard (1...3).contains(parts[1].count), let digits = Int64(parts[1]) else { return nil }
    return whole * 1000 + digits * [100, 10, 1][parts[1].count - 1]
  }
}
