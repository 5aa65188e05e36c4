extension BinaryInteger {
  /// The number with a comma before every three digits: "1,680,000".
  var grouped: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (position, digit) in digits.enumerated() {
      if position > 0 && (digits.count - position).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// So many things: "1,680 transactions", "1 change".
  func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
