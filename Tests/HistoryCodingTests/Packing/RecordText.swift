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

  /// Pieces of any length, some of which were there before, and numbers of any length.
  static func anyPieces(using generator: inout SeededGenerator) -> [UInt8] {
    let known = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
      letters(Int.random(in: 1...900, using: &generator), using: &generator)
    }
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0...300, using: &generator) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: text += letters(Int.random(in: 1...40, using: &generator), using: &generator)
      case 1...3:
        let piece = known[Int.random(in: 0..<known.count, using: &generator)]
        text += piece.prefix(Int.random(in: 1...1200, using: &generator))
      case 4 where !text.isEmpty:
        // What was there before, from any place on.
        let start = Int.random(in: 0..<text.count, using: &generator)
        text += text[start...].prefix(Int.random(in: 1...300, using: &generator))
      default:
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
          text.append(UInt8.random(in: 48...57, using: &generator))
        }
      }
    }
    return text
  }

  private static func letters(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 58...127, using: &generator) }
  }
}
