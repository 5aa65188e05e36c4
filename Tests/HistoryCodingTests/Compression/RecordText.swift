import TestSupport

/// Text as programs write it: the same pieces over and over, with numbers between them.
enum RecordText {
  /// Records of at least so many bytes together.
  static func records(_ byteCount: Int) -> String {
    let kinds = ["insert", "update", "delete"]
    let names = ["Trip", "Activity", "Place", "Traveler"]
    let attributes = ["name", "startDate", "isFavorite", "rating", "notes"]
    var generator = SeededGenerator(seed: UInt64(byteCount))
    var text = ""
    var number = 0
    while text.utf8.count < byteCount {
      number += 1
      let kind = kinds[Int.random(in: 0..<3, using: &generator)]
      let name = names[Int.random(in: 0..<4, using: &generator)]
      text += "{\"change\":\(number),\"kind\":\"\(kind)\",\"entity\":\"\(name)\""
      text += ",\"pk\":\(Int.random(in: 1...90_000, using: &generator))"
      if kind == "update" {
        let changed = attributes.filter { _ in Bool.random(using: &generator) }
        text += ",\"attributes\":[\"\(changed.joined(separator: "\",\""))\"]"
      }
      text += "}\n"
    }
    return text
  }
}
