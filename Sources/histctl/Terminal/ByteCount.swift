/// A number of bytes, shown in binary units: "1.5 KiB".
struct ByteCount: CustomStringConvertible, Sendable, Equatable {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// The number of bytes; negative where something shrank.
  var bytes: Int64

  /// Wraps a number of bytes.
  init(_ bytes: Int64) {
    self.bytes = bytes
  }

  /// The number with one decimal, rounded to nearest, and its unit; bytes have no decimal.
  var description: String {
    let sign = bytes < 0 ? "-" : ""
    let magnitude = bytes.magnitude
    if magnitude < 1024 { return "\(sign)\(magnitude) B" }

    var unit = 0
    var shift: UInt64 = 0
    var tenths: UInt64 = 0
    repeat {
      unit += 1
      shift += 10
      let whole = magnitude >> shift
      // The remainder is below 2 to the 60th, so ten times it fits.
      let remainder = magnitude & ((1 << shift) - 1)
      tenths = whole * 10 + (remainder * 10 + (1 << (shift - 1))) >> shift
      // 1023.95 KiB would be shown as "1024.0 KiB"; it is "1.0 MiB".
    } while tenths >= 10_240 && unit < Self.units.count - 1
    return "\(sign)\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }
}
