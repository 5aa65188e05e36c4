import StoreFormat
import TestSupport

/// A store whose history was written by chance, within what a store can hold.
enum RandomStore {
  static func write(to path: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = Int.random(in: 0..<4, using: &random) == 0
    shape.keepsLog = Bool.random(using: &random)
    if Int.random(in: 0..<5, using: &random) == 0 { shape.modelCache = .some(nil) }
    let writer = try StoreWriter(path: path, shape: shape)
    let texts: [String?] = [nil, "app", "Widget", "caf\u{E9} \u{1F30D}", "a\nb\t\"c\\", ""]
    let slots = TripsModel.slots
    var number: Int64 = 0
    var change: Int64 = 0
    for _ in 0..<40 {
      number += Int64.random(in: 1...3, using: &random)
      try writer.transaction(
        number, at: Double.random(in: -1e9...1e9, using: &random),
        author: texts.randomElement(using: &random) ?? nil,
        bundle: texts.randomElement(using: &random) ?? nil,
        process: texts.randomElement(using: &random) ?? nil,
        context: texts.randomElement(using: &random) ?? nil)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        change += Int64.random(in: 1...3, using: &random)
        let (entity, name, _) = TripsModel.numbers[
          Int.random(in: 1..<TripsModel.numbers.count, using: &random)]
        let count = slots[name]?.slots.count ?? 0
        let kind = Int64.random(in: 0...2, using: &random)
        // Now and then a mask of another model, whose length does not fit.
        let length = Int.random(in: 0..<12, using: &random) == 0 ? count + 9 : count
        let set = (0..<length).filter { _ in Bool.random(using: &random) }
        try writer.change(
          change, of: number, kind, entity, Int64.random(in: 1...1 << 40, using: &random),
          mask: kind == 1 ? ColumnMask(slotCount: length, settingSlots: set).bytes : nil,
          tombstone: kind == 2 ? tombstone(of: name, &random) : [])
      }
    }
    try writer.close()
  }

  /// What a deleted object of an entity leaves behind, slot by slot as the attributes' types want.
  private static func tombstone(
    of name: String, _ random: inout SeededGenerator
  ) -> [StoredValue] {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    func text() -> StoredValue {
      .text(["Rome", "", "\u{7}\u{202E}é", "\"q\""][Int.random(in: 0..<4, using: &random)])
    }
    let values: [StoredValue] =
      switch name {
      case "Trip":
        [
          .blob(bytes(16)), .integer(Int64.random(in: 0...1, using: &random)), text(),
          .integer(Int64.random(in: .min ... .max, using: &random)),
          .real(Double.random(in: -1e9...1e9, using: &random)),
          .blob(bytes(Int.random(in: 0...40, using: &random))),
        ]
      case "LivingAccommodation": [text()]
      default: []
      }
    return values.map { Int.random(in: 0..<4, using: &random) == 0 ? .null : $0 }
  }
}
